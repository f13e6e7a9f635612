package eval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/model/llm/llmtest"
	"github.com/winnowhq/winnow/services/internal/model/llm/openai"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// consolidated measures a folder with the texts of a model, or with none.
func consolidated(t *testing.T, dir string, m llm.Model) *ConsolidationReport {
	t.Helper()
	r, err := Consolidation(t.Context(), dir, ConsolidationOptions{Embedder: static.New(), Words: static.New(), Open: scratch, Model: m, Threshold: 0.7})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// merging returns a model that answers requests to merge in one way.
func merging(t *testing.T, behaviour string) llm.Model {
	t.Helper()
	reply, err := llmtest.Named(behaviour, 0)
	if err != nil {
		t.Fatal(err)
	}
	server := llmtest.NewServer(t, llmtest.Always(reply))
	server.Forget()
	m, err := openai.New(openai.Config{URL: server.URL, Model: "scripted", Timeout: 10 * time.Second, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// wantsNothingLost holds a report to what no merge may do, whatever wrote its texts.
func wantsNothingLost(t *testing.T, name string, r *ConsolidationReport) {
	t.Helper()
	m := r.Metrics
	if m.Invented != 0 || m.Altered != 0 || m.ContradictionsMerged != 0 || m.SiblingsMerged != 0 || r.Counts.InjectionsCarried != 0 || !m.RestoreEqual {
		t.Errorf("%s: %+v, failed %v", name, m, r.Counts.Failed)
		for _, item := range r.Items {
			if len(item.Invented)+len(item.Altered) > 0 {
				t.Errorf("%s: %s invented %v, altered %v in %q", name, item.Group, item.Invented, item.Altered, item.Text)
			}
		}
	}
	if r.Counts.Contradictions == 0 || r.Counts.Siblings == 0 || r.Counts.Injections == 0 {
		t.Errorf("%s: no probes: %+v", name, r.Counts)
	}
}

// Five groups of notes written for this test, English and German, five notes that stay
// out of them, and eleven pairs. D12, and the bars of SPEC §18: what the sources say is
// found after the merge as before, nothing is invented, and the text is shorter.
func TestConsolidationFloor(t *testing.T) {
	t.Parallel()
	r := consolidated(t, floor("consolidation"), nil)
	wantsNothingLost(t, "no model", r)
	m := r.Metrics
	if m.SpecificsKept < 1 || m.SpecificsInText < 0.80 || m.Recall10After < m.Recall10Before {
		t.Errorf("%+v", m)
	}
	wantsLength(t, r, 0.60)
	if p := r.Parts["given"]; p.Merged != 5 || p.Refused != 0 || p.Questions == 0 {
		t.Errorf("%+v", p)
	}
}

// wantsLength holds the merged texts of the groups that are not short to a share of their
// sources. Short ones are kept whole, so that they lose nothing.
func wantsLength(t *testing.T, r *ConsolidationReport, most float64) {
	t.Helper()
	for _, item := range r.Items {
		short := float64(len(item.Text))/max(item.Compression, 0.01) <= 405
		if !short && item.Compression > most || short && len(item.Redirected) > 0 {
			t.Errorf("%s has %.2f of its sources' length, %v not in the text", item.Group, item.Compression, item.Redirected)
		}
	}
}

// A model that is honest, and models that drop details, invent, turn negations round,
// put details of one memory into another's place, obey text in a memory, or answer with
// anything else: the gate lets nothing of it through.
func TestConsolidationByScriptedModels(t *testing.T) {
	t.Parallel()
	for _, behaviour := range append(llmtest.MergeNames(), "ungrounded", "malformed", "empty", "refusing", "hostile", "garbled") {
		t.Run(behaviour, func(t *testing.T) {
			t.Parallel()
			r := consolidated(t, floor("consolidation"), merging(t, behaviour))
			wantsNothingLost(t, behaviour, r)
			m, p := r.Metrics, r.Parts["given"]
			if m.SpecificsKept < 1 || m.Recall10After < m.Recall10Before {
				t.Errorf("%+v", m)
			}
			wantsLength(t, r, 0.66)
			honest := strings.HasPrefix(behaviour, "merge")
			if honest && p.Fallback == p.Merged && behaviour == "merge" {
				t.Error("an honest model's texts all fell back")
			}
			if !honest && p.Fallback != p.Merged {
				t.Errorf("%d of %d fell back: %+v", p.Fallback, p.Merged, r.Counts.Rules)
			}
		})
	}
}

// The bars on groups that people merged: details findable 1.0, none altered, length at
// most .60, recall@10 not lower than before.
func TestConsolidationOfSharedData(t *testing.T) {
	t.Parallel()
	dir := testenv.Shared(t, "consolidation")
	r := consolidated(t, dir, nil)
	wantsNothingLost(t, "no model", r)
	m := r.Metrics
	t.Logf("%+v", m)
	if m.SpecificsKept < 1 || m.SpecificsInText < 0.88 || m.Compression > 0.60 || m.Recall10After < m.Recall10Before {
		t.Errorf("%+v", m)
	}
	if p := r.Parts["given"]; p.Refused > 2 {
		t.Errorf("%d of %d groups that people merged are refused", p.Refused, p.Groups)
	}
}

// The same bars whatever wrote the texts: each behaviour of a model, on the groups that
// people merged.
func TestConsolidationOfSharedDataByScriptedModels(t *testing.T) {
	t.Parallel()
	dir := testenv.Shared(t, "consolidation")
	for _, behaviour := range llmtest.MergeNames() {
		t.Run(behaviour, func(t *testing.T) {
			t.Parallel()
			r := consolidated(t, dir, merging(t, behaviour))
			wantsNothingLost(t, behaviour, r)
			if m := r.Metrics; m.SpecificsKept < 1 || m.Recall10After < m.Recall10Before {
				t.Errorf("%+v", m)
			}
		})
	}
}

// A report that is worse in what must be none, or by more than the tolerance, is named.
func TestConsolidationRegressions(t *testing.T) {
	t.Parallel()
	before := &ConsolidationReport{Metrics: ConsolidationMetrics{SpecificsKept: 1, Compression: 0.5, Recall10After: 0.9, RestoreEqual: true}}
	same := *before
	if fell := same.Regressions(before, 0.01); len(fell) != 0 {
		t.Errorf("%v", fell)
	}
	worse := &ConsolidationReport{Metrics: ConsolidationMetrics{SpecificsKept: 0.9, Compression: 0.6, Recall10After: 0.8, Invented: 1, Altered: 1, ContradictionsMerged: 1, SiblingsMerged: 1}}
	if fell := worse.Regressions(before, 0.01); len(fell) != 8 {
		t.Errorf("%v", fell)
	}
	if _, err := Consolidation(t.Context(), t.TempDir(), ConsolidationOptions{Embedder: static.New(), Open: scratch}); err == nil || !strings.Contains(err.Error(), "entries.jsonl") {
		t.Errorf("an empty folder: %v", err)
	}
	dir := t.TempDir()
	for _, name := range []string{"entries.jsonl", "groups.jsonl"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Consolidation(t.Context(), dir, ConsolidationOptions{Embedder: static.New(), Open: scratch}); err == nil || !strings.Contains(err.Error(), "no group") {
		t.Errorf("empty files: %v", err)
	}
}
