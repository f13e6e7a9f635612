package eval

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/consolidation"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// The themes that a plan offers agree with those that people approved better than
// groups of the same texts by their rare words do (F1 .42).
func TestThemesAgreeWithPeople(t *testing.T) {
	t.Parallel()
	dir := filepath.Dir(testenv.Shared(t, "consolidation/entries.jsonl"))
	r, err := Themes(t.Context(), dir, static.New())
	if err != nil {
		t.Fatal(err)
	}
	if r.Metrics.PairwiseF1 < 0.50 || r.Metrics.Merged > 0 || len(r.Runs) != 4 || r.Intervals["pairwise_f1"] == nil {
		t.Errorf("%+v over %d consolidations, want F1 of .50 and nothing merged by the engine", r.Metrics, len(r.Runs))
	}
	if r.Inferred.PairwiseF1 < 0.50 || r.Batch.PairwiseF1 < 0.50 {
		t.Errorf("with inferred groups %+v, without distractors %+v", r.Inferred, r.Batch)
	}
}

// SPEC §6: the engine merges no siblings, no contradictions and no updates, however
// alike they are, also where a caller's threshold is as low as can be.
func TestEngineMergesNoSiblings(t *testing.T) {
	t.Parallel()
	merged, all := map[string]int{}, map[string]int{}
	for _, line := range lines[struct{ Stored, Proposal, Label string }](t, testenv.Shared(t, "own/siblings.jsonl")) {
		all[line.Label]++
		if mode := together(t, line.Stored, line.Proposal, false); mode == consolidation.ModeMerge {
			merged[line.Label]++
		}
		// Whatever the caller's threshold: siblings and conflicts stay apart.
		if mode := together(t, line.Stored, line.Proposal, true); mode != "" && line.Label == "conflict" {
			t.Errorf("merged at a caller's threshold: %q and %q", line.Stored, line.Proposal)
		}
	}
	if merged["different"]+merged["conflict"]+merged["update"] > 0 {
		t.Errorf("merged %v of %v", merged, all)
	}
	if merged["duplicate"]+merged["extends"] == 0 {
		t.Errorf("no duplicate was merged (%v of %v): the guard lets nothing through", merged, all)
	}
	t.Logf("merged %v of %v", merged, all)
}

// The same for pairs in which one detail was changed.
func TestEngineMergesNoEdits(t *testing.T) {
	t.Parallel()
	merged, all := map[string]int{}, map[string]int{}
	for _, line := range lines[struct {
		Stored   string `json:"store_text"`
		Proposal string
		Label    string
		Kind     string `json:"kind_of_difference"`
	}](t, testenv.Shared(t, "own/paraphrases.jsonl")) {
		all[line.Label]++
		if together(t, line.Stored, line.Proposal, false) == consolidation.ModeMerge {
			merged[line.Label]++
			if line.Label == "different" {
				t.Errorf("merged (%s): %q and %q", line.Kind, line.Stored, line.Proposal)
			}
		}
	}
	t.Logf("merged %v of %v", merged, all)
}

// together returns the mode of the group that two memories are in, empty for none.
func together(t *testing.T, a, b string, given bool) consolidation.Mode {
	t.Helper()
	vectors, err := static.New().Embed(t.Context(), []string{a, b})
	if err != nil {
		t.Fatal(err)
	}
	c := consolidation.DefaultConfig(0.70, 0.98, true)
	if given {
		c.Threshold, c.Given = -1, true
	}
	var list []consolidation.Candidate
	for i, text := range []string{a, b} {
		list = append(list, consolidation.Candidate{Memory: memory.Memory{
			ID: string(rune('a' + i)), Tenant: "t", Scope: "project:x", State: memory.StateActive, Kind: memory.KindFact, Text: text,
			Origin: memory.OriginAgent, Authority: memory.OriginAgent,
		}, Vector: vectors[i]})
	}
	plan, err := consolidation.Find(t.Context(), list, nil, c)
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Groups) == 0 {
		return ""
	}
	return plan.Groups[0].Mode
}

func lines[T any](t *testing.T, path string) []T {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []T
	for line := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n") {
		var x T
		if err := json.Unmarshal([]byte(line), &x); err != nil {
			t.Fatal(err)
		}
		out = append(out, x)
	}
	return out
}
