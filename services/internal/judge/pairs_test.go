package judge

import (
	"testing"

	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// nearPair is a stored text and a proposal that reads like it.
type nearPair struct {
	ID       string
	Set      string // the sitting in which it was written
	Label    string // duplicate or different
	Stored   string `json:"store_text"`
	Proposal string
	Kind     string `json:"kind_of_difference"`
}

// D2, D3, S3.16: of statements that differ by one small word at most one in fifty is
// rejected as a repeat of the other, and most repeats are found. The pairs were written
// for this, each set before the rules were tried on it.
func TestSmallWordsMakeAnotherStatement(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, a *wording.Analyzer) {
		type count struct{ rejected, merged, all int }
		sets := map[string]map[string]*count{}
		for _, p := range testenv.Lines[nearPair](t, "testdata/pairs.jsonl") {
			if sets[p.Set] == nil {
				sets[p.Set] = map[string]*count{"duplicate": {}, "different": {}}
			}
			n := sets[p.Set][p.Label]
			n.all++
			d := judgeBeside(t, a, p.Stored, p.Proposal)
			lost := d.Verdict == memory.VerdictRejected || d.Verdict == memory.VerdictMerged
			switch {
			case d.Verdict == memory.VerdictRejected:
				n.rejected++
			case lost:
				n.merged++
			}
			if lost == (p.Label == "different") {
				t.Logf("%s %s %s: %q beside %q was %s by %s (%s)", p.Set, p.ID, p.Kind, p.Proposal, p.Stored, d.Verdict, d.Rule, d.Reason)
			}
		}
		var same, others count
		for set, n := range sets {
			t.Logf("%s: repeats rejected and merged %+v; others %+v", set, *n["duplicate"], *n["different"])
			same.rejected, same.all = same.rejected+n["duplicate"].rejected, same.all+n["duplicate"].all
			others.rejected, others.all = others.rejected+n["different"].rejected+n["different"].merged, others.all+n["different"].all
		}
		if same.rejected*100 < same.all*70 || others.rejected*50 > others.all {
			t.Errorf("of the repeats %+v found, want 70 %%; of the others %+v lost, want one in fifty at most", same, others)
		}
	})
}
