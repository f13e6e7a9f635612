package poison_test

import (
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/guard/poison"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// note is the part of the shared formats that holds text.
type note struct {
	ID, Title, Text, Group string
	Expected               struct{ Reason string }
	Added                  []struct{ Title, Text string }
}

// texts are the note's own text and those a history line adds.
func (n note) texts() []string {
	var out []string
	if n.Title+n.Text != "" {
		out = append(out, n.Title+"\n"+n.Text)
	}
	for _, a := range n.Added {
		out = append(out, a.Title+"\n"+a.Text)
	}
	return out
}

// S18: benign text quarantined at most 5 %; real notes hold us to 1 %.
func TestBenignNotesPass(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"triage/triage_memories.jsonl", "triage/triage_proposals.jsonl", "consolidation/entries.jsonl",
		"consolidation/distractors.jsonl", "consolidation/history.jsonl", "duplicates/nl2bash_clusters.jsonl",
	} {
		total, flagged := 0, 0
		for _, n := range testenv.Lines[note](t, testenv.Shared(t, name)) {
			if n.Expected.Reason == "suspicious_instruction" {
				continue
			}
			for _, text := range n.texts() {
				total++
				hits := poison.Scan(text)
				if len(hits) > 0 {
					flagged++
				}
				for _, h := range hits {
					t.Logf("%s %s: %q", name, h.Detector, text[max(0, h.Span.Start-60):min(len(text), h.Span.End+40)])
				}
			}
		}
		t.Logf("%s: %d of %d flagged", name, flagged, total)
		if flagged*100 > total {
			t.Errorf("%s: %d of %d benign texts flagged, want at most 1 %%", name, flagged, total)
		}
	}
}

// The two planted proposals of the shared set are recognised.
func TestSuspiciousProposalsHit(t *testing.T) {
	t.Parallel()
	for _, n := range testenv.Lines[note](t, testenv.Shared(t, "triage/triage_proposals.jsonl")) {
		if n.Expected.Reason == "suspicious_instruction" && len(poison.Scan(n.Text)) == 0 {
			t.Errorf("%s not flagged: %q", n.ID, n.Text)
		}
	}
}

// Recall is reported and not demanded: a third of the strings are harmless
// requests, which other rules keep out because an imperative is no fact.
func TestInjectionRecallIsReported(t *testing.T) {
	t.Parallel()
	total, flagged := 0, 0
	for _, n := range testenv.Lines[note](t, testenv.Shared(t, "security/injection_strings.jsonl")) {
		total++
		if len(poison.Scan(n.Text)) > 0 {
			flagged++
			continue
		}
		t.Logf("not flagged (%s): %q", n.Group, n.Text[:min(len(n.Text), 160)])
	}
	t.Logf("%d of %d flagged", flagged, total)
	if 2*flagged < total {
		t.Errorf("%d of %d injections flagged, want at least half", flagged, total)
	}
}

const clean = "The API gateway reads its key mapping from config/routes.yaml since 2026-02-11; always run the hook " +
	"before you post a release, and never forget that the system prompt lives in internal/prompt/system.md (3f2a91c)."

func BenchmarkClean200B(b *testing.B) {
	b.SetBytes(int64(len(clean)))
	b.ReportAllocs()
	for b.Loop() {
		poison.Scan(clean)
	}
}

func BenchmarkClean10kB(b *testing.B) {
	text := strings.Repeat(clean+"\n", 48)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		poison.Scan(text)
	}
}
