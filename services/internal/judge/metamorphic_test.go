package judge

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// notes are the texts that the properties vary.
var notes = []string{
	"2026-02-03: upgraded `chi` to 5.1.0 in `go.mod`; `make test` passes.",
	"The billing worker keeps 12 connections open to `pg-main`.",
	"Always run `make generate` before `make lint`.",
	"Errors carry both the operation and the id of the tenant.",
	"Alice prefers tabs over spaces.",
	"2026-02-05: `cache.go` moved from port 6379 to 6380.",
	"Add after Conventions: use pnpm.",
	"- (2026-02-03)",
	"Snapshots are stored for 30 days in `s3://backups/daily`.",
	"I think `htmx` would be better than React.",
	"Die Sicherung läuft jede Nacht um 2 Uhr auf `backup01`.",
	"The importer no longer supports CSV files (2026-02-01).",
}

func judgeOn(t testing.TB, stored []string, text string) memory.Decision {
	t.Helper()
	lane := testLane(t, "standard")
	for i, s := range stored {
		lane.Upsert(Entry{ID: fmt.Sprintf("mem_%d", i), Role: memory.RoleMemory, Text: s, Kind: memory.KindFact, Authority: memory.OriginAgent})
	}
	d, _ := lane.Judge(Item{Proposal: proposal("prop_1", text)}, testNow)
	return d
}

// Blanks and list markers change nothing; where a text is stored already,
// neither does case.
func TestFormatChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		stored := rapid.SliceOfN(rapid.SampledFrom(notes), 0, 4).Draw(r, "stored")
		text := rapid.SampledFrom(notes).Draw(r, "text")
		varied := rapid.SampledFrom([]string{"- ", "* ", "  ", "• ", "1. "}).Draw(r, "marker") + strings.ReplaceAll(text, " ", rapid.SampledFrom([]string{" ", "  ", " \t"}).Draw(r, "blank")) + rapid.SampledFrom([]string{"", " ", "\n"}).Draw(r, "end")
		want, got := judgeOn(t, stored, text), judgeOn(t, stored, varied)
		if want.Verdict != got.Verdict || want.Rule != got.Rule || want.Target != got.Target {
			r.Fatalf("%q: %s by %s; %q: %s by %s", text, want.Verdict, want.Rule, varied, got.Verdict, got.Rule)
		}
	})
}

func TestCaseMakesNoNewText(t *testing.T) {
	t.Parallel()
	for _, n := range notes {
		if strings.HasPrefix(n, "Add after") || strings.HasPrefix(n, "- (") {
			continue // rejected before anything is compared
		}
		for _, varied := range []string{strings.ToUpper(n), strings.ToLower(n)} {
			if d := judgeOn(t, []string{n}, varied); d.Rule != "dup.exact" {
				t.Errorf("%q after %q: %s by %s, want dup.exact", varied, n, d.Verdict, d.Rule)
			}
		}
	}
}

// S3.9, S3.10: the repeat of a text is a duplicate or gets the same verdict as the
// first, and never becomes a second memory.
func TestRepeatedProposalIsADuplicate(t *testing.T) {
	t.Parallel()
	for _, n := range notes {
		lane := testLane(t, "standard")
		first, _ := lane.Judge(Item{Proposal: proposal("prop_1", n)}, testNow)
		second, out := lane.Judge(Item{Proposal: proposal("prop_2", n)}, testNow)
		if first.Verdict == memory.VerdictRejected {
			if second.Rule != first.Rule {
				t.Errorf("%q: %s, then %s", n, first.Rule, second.Rule)
			}
			continue
		}
		if second.Rule != "dup.exact" || out.Memory != nil {
			t.Errorf("%q: %s by %s, its repeat %s by %s", n, first.Verdict, first.Rule, second.Verdict, second.Rule)
		}
	}
}

// D3: one changed digit is never a duplicate.
func TestChangedDigitIsNoDuplicate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.SampledFrom([]string{notes[0], notes[1], notes[5], notes[8], notes[10], "Retries: 3", "Timeout is 30 s", "The pool has 128 slots and 4 workers."}).Draw(r, "text")
		tokens := memory.Scan(text)
		stamps := memory.Stamps(text, tokens)
		var digits []int
		for i, tok := range tokens {
			if stamps[i] {
				continue
			}
			for at := tok.Start; at < tok.End; at++ {
				if text[at] >= '0' && text[at] <= '9' {
					digits = append(digits, at)
				}
			}
		}
		at := rapid.SampledFrom(digits).Draw(r, "at")
		digit := rapid.IntRange(1, 9).Draw(r, "by")
		changed := []byte(text)
		changed[at] = '0' + (changed[at]-'0'+byte(digit))%10
		d := judgeOn(t, []string{text}, string(changed))
		if strings.HasPrefix(d.Rule, "dup.") || d.Rule == "merge" && d.Verdict == memory.VerdictMerged {
			r.Fatalf("%q after %q: %s by %s (%s)", changed, text, d.Verdict, d.Rule, d.Reason)
		}
	})
}

// The order in which unrelated proposals arrive does not matter.
func TestOrderOfUnrelatedDoesNotMatter(t *testing.T) {
	t.Parallel()
	run := func(texts []string) map[string]string {
		lane, got := testLane(t, "standard"), map[string]string{}
		for i, text := range texts {
			d, _ := lane.Judge(Item{Proposal: proposal(fmt.Sprintf("prop_%d", i), text)}, testNow)
			got[text] = string(d.Verdict) + " " + d.Rule
		}
		return got
	}
	want := run(notes)
	rapid.Check(t, func(r *rapid.T) {
		if got := run(rapid.Permutation(notes).Draw(r, "order")); !reflect.DeepEqual(got, want) {
			r.Fatalf("got %v, want %v", got, want)
		}
	})
}

// The same input gives the same decision, and a replay says so.
func TestDecisionsAreDeterministicAndReplay(t *testing.T) {
	t.Parallel()
	byBoth(t, decisionsReplay)
}

func decisionsReplay(t *testing.T, a *wording.Analyzer) {
	run := func() ([]memory.Decision, map[string]string) {
		lane, texts := laneBy(t, "standard", a), map[string]string{}
		lane.SetRetired([]string{"karma"})
		var all []memory.Decision
		for i, text := range append(append([]string{}, notes...), append(notes, "Snapshots are stored for 90 days in `s3://backups/daily`.", "The karma runner needs Chrome.", "The billing worker keeps 12 connections open to `pg-main` because `pgbouncer` caps them at 20 (2026-02-09).")...) {
			id := fmt.Sprintf("prop_%026d", i)
			texts[id] = text
			d, out := lane.Judge(Item{Proposal: proposal(id, text)}, testNow)
			if out.Memory != nil {
				texts[out.Memory.ID] = text
			}
			all = append(append(all, d), out.Absorbed...)
		}
		return all, texts
	}
	first, texts := run()
	second, _ := run()
	x, _ := json.Marshal(first)
	y, _ := json.Marshal(second)
	if string(x) != string(y) {
		t.Fatal("two runs over the same input differ")
	}
	policy, _, _ := ShippedPolicy("standard")
	for _, d := range first {
		got, err := Replay(ReplayInput{Decision: d, Policy: policy, Text: texts[d.ProposalID], Texts: texts}, SimilarityOf(a), a)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Same {
			t.Errorf("%s on %q: %v", d.Rule, texts[d.ProposalID], got.Differences)
		}
	}
}

func FuzzJudge(f *testing.F) {
	for _, n := range notes {
		f.Add(n)
	}
	f.Add("`(`)\x00→ -> \xff \"'“")
	f.Fuzz(func(t *testing.T, text string) {
		lane := testLane(t, "standard")
		lane.Upsert(Entry{ID: "mem_1", Role: memory.RoleMemory, Text: notes[0], Authority: memory.OriginAgent})
		lane.Judge(Item{Proposal: proposal("prop_1", text)}, testNow)
		if d, _ := lane.Judge(Item{Proposal: proposal("prop_2", text)}, testNow); d.Verdict == memory.VerdictPromoted {
			t.Errorf("the repeat of %q was promoted", text)
		}
	})
}
