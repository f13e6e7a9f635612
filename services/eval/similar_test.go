package eval

import (
	"math"
	"testing"

	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/recall/calibrate"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// All evidence together separates duplicates better than the cosine or the words alone.
// The weights were not fitted on these pairs.
func TestPairsHoldTheBar(t *testing.T) {
	t.Parallel()
	report, err := Pairs(t.Context(), testenv.Shared(t, "duplicates/nl2bash_pairs.jsonl"), static.New())
	if err != nil {
		t.Fatal(err)
	}
	m := report.Metrics
	t.Logf("%+v", m)
	if m.AP < 0.60 || m.APStatic == nil || m.AP <= *m.APStatic || m.AP <= m.APLexical {
		t.Errorf("AP %.3f, cosine alone %.3f, words alone %.3f; want 0.60 and more than each", m.AP, figureOr(m.APStatic), m.APLexical)
	}
}

// figureOr returns a figure for a message, −1 for none.
func figureOr(f *float64) float64 {
	if f == nil {
		return -1
	}
	return *f
}

func TestPairFigures(t *testing.T) {
	t.Parallel()
	ranked := rankBy([]*PairItem{{Score: 0.9, Label: 1}, {Score: 0.8}, {Score: 0.7, Label: 1}, {Score: 0.2}}, func(it *PairItem) float64 { return it.Score })
	if ap, ok := averagePrecision(ranked); !ok || math.Abs(ap-(1+2.0/3)/2) > 1e-12 {
		t.Errorf("AP %v", ap)
	}
	if f1, at := bestF1(ranked); math.Abs(f1-0.8) > 1e-12 || at != 0.7 {
		t.Errorf("best F1 %v from %v", f1, at)
	}
	if r := recallAt(ranked, 0.95); r != 0.5 {
		t.Errorf("recall at precision 0.95 is %v, want one of two", r)
	}
	// A tie has no order: a model that says the same of all has the precision of
	// chance, however the file is sorted.
	tied := rankBy([]*PairItem{{Label: 1}, {}, {}, {}}, func(*PairItem) float64 { return 0.5 })
	if ap, _ := averagePrecision(tied); ap != 0.25 {
		t.Errorf("AP of ties is %v, want 0.25", ap)
	}
}

// D14: complete link is better than the predecessors' greedy algorithm and than no
// grouping, at the point of the shipped calibration.
func TestClustersHoldTheBar(t *testing.T) {
	t.Parallel()
	report, err := Clusters(t.Context(), testenv.Shared(t, "duplicates/nl2bash_clusters.jsonl"), ClustersOptions{Embedder: static.New()})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("above %.3f: complete %+v greedy %+v alone %+v", report.Threshold, report.Metrics, report.Greedy, report.Singletons)
	if m := report.Metrics; m.B3 <= report.Greedy.B3 || m.B3 <= report.Singletons.B3 || m.Largest > 0.02 {
		t.Errorf("complete link %+v, greedy %+v, all alone %+v", m, report.Greedy, report.Singletons)
	}
}

func TestClusterFigures(t *testing.T) {
	t.Parallel()
	gold := []string{"a", "a", "a", "b", "b", "c"}
	m := clusterMetrics(gold, []int{1, 1, 2, 2, 2, 3})
	// Pairs in groups: one and three, of which one and one are right; labelled: 4.
	if m.PairwisePrecision != 0.5 || m.PairwiseRecall != 0.5 || m.Groups != 2 || m.Largest != 0.5 {
		t.Errorf("%+v", m)
	}
	if want := (1 + 1 + 1.0/3 + 2.0/3 + 2.0/3) / 5; math.Abs(m.B3Precision-want) > 1e-12 {
		t.Errorf("B³ precision %v, want %v", m.B3Precision, want)
	}
	if want := (2.0/3 + 2.0/3 + 1.0/3 + 1 + 1) / 5; math.Abs(m.B3Recall-want) > 1e-12 {
		t.Errorf("B³ recall %v, want %v", m.B3Recall, want)
	}
	if perfect := clusterMetrics(gold, []int{1, 1, 1, 2, 2, 3}); perfect.B3 != 1 || perfect.PairwiseF1 != 1 {
		t.Errorf("perfect %+v", perfect)
	}
}

// D2: every embedder gets points on pairs that ship, in order, and a file is
// checked against them.
func TestCalibrateShipped(t *testing.T) {
	t.Parallel()
	for _, e := range []embed.Embedder{static.New(), embed.None{}} {
		r, err := Calibrate(t.Context(), ShippedPairs, e)
		if err != nil {
			t.Fatal(err)
		}
		if r.Model != e.ID() || r.Duplicate.Threshold < r.Cluster.Threshold || r.Cluster.Threshold < r.Loose.Threshold {
			t.Errorf("%s: %+v", e.ID(), r.Points)
		}
	}
}

func TestCalibrateChecksAFile(t *testing.T) {
	t.Parallel()
	r, err := Calibrate(t.Context(), testenv.Shared(t, "duplicates/nl2bash_pairs.jsonl"), static.New())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Checked) != 3 || r.ByKind[calibrate.KindHard] != 700 || r.ByKind[calibrate.KindRandom] != 700 {
		t.Errorf("checked %v, kinds %v", r.Checked, r.ByKind)
	}
}
