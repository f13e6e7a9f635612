package calibrate_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/judge/similar"
	"github.com/winnowhq/winnow/services/internal/recall/calibrate"
)

// Reference values of the Wilson interval: 95 % of 0/10, 10/10 and 50/100.
func TestWilson(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		share     float64
		n         int
		low, high float64
	}{{0, 10, 0, 0.2775}, {1, 10, 0.7225, 1}, {0.5, 100, 0.4038, 0.5962}, {1, 0, 0, 1}} {
		low, high := calibrate.Wilson(c.share, c.n)
		if math.Abs(low-c.low) > 1e-4 || math.Abs(high-c.high) > 1e-4 {
			t.Errorf("%v of %d: %.4f–%.4f, want %.4f–%.4f", c.share, c.n, low, high, c.low, c.high)
		}
	}
}

// The pairs that ship cover every kind, in both languages, and never label one
// text both ways.
func TestShipped(t *testing.T) {
	t.Parallel()
	texts, err := calibrate.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	kinds, langs, label := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, x := range texts {
		kinds[x.Kind]++
		langs[x.Group[:2]]++
		if x.A == "" || x.B == "" {
			t.Errorf("blank: %+v", x)
		}
		key := x.A + "\x00" + x.B
		if same, seen := label[key]; seen && same != x.Same {
			t.Errorf("labelled both ways: %+v", x)
		}
		label[key] = x.Same
	}
	for _, kind := range []string{calibrate.KindExact, calibrate.KindParaphrase, calibrate.KindEdited, calibrate.KindHard, calibrate.KindRandom} {
		if kinds[kind] < 100 {
			t.Errorf("%d pairs of kind %s", kinds[kind], kind)
		}
	}
	if langs["en"] < 150 || langs["de"] < 150 {
		t.Errorf("by language: %v", langs)
	}
}

// pairs draws scores of a model that tells well: means apart by width.
func pairs(seed uint64, n int, width float64) []calibrate.Pair {
	rng := rand.New(rand.NewPCG(seed, 1))
	var out []calibrate.Pair
	for i := range n {
		kind, middle := calibrate.KindRandom, 0.2
		switch i % 4 {
		case 0:
			kind, middle = calibrate.KindParaphrase, 0.2+width
		case 1:
			kind, middle = calibrate.KindHard, 0.3
		}
		out = append(out, calibrate.Pair{
			Score: middle + 0.08*rng.NormFloat64(), Same: kind == calibrate.KindParaphrase, Kind: kind, Group: string(rune('a' + i/8%26)),
		})
	}
	return out
}

// D2: a model that tells well gets points that may be acted on; one that does
// not gets none.
func TestPointsAreSureWhereTheModelIs(t *testing.T) {
	t.Parallel()
	good, err := calibrate.Derive(pairs(1, 2000, 0.7))
	if err != nil {
		t.Fatal(err)
	}
	if !good.Duplicate.Sure || !good.Cluster.Sure || good.Duplicate.Low < 0.98 || good.Duplicate.Recall < 0.9 {
		t.Errorf("a good model: %+v", good)
	}
	bad, err := calibrate.Derive(pairs(1, 2000, 0.1))
	if err != nil {
		t.Fatal(err)
	}
	if bad.Duplicate.Sure || bad.Cluster.Sure {
		t.Errorf("a bad model: %+v", bad)
	}
}

// Few pairs prove little, however good they look.
func TestFewPairsAreNotSure(t *testing.T) {
	t.Parallel()
	few, err := calibrate.Derive(pairs(2, 200, 0.7))
	if err != nil {
		t.Fatal(err)
	}
	if few.Duplicate.Sure {
		t.Errorf("50 duplicates prove a precision of 0.98: %+v", few.Duplicate)
	}
	if _, err := calibrate.Derive(pairs(2, 60, 0.7)); !errors.Is(err, calibrate.ErrPairs) {
		t.Errorf("15 duplicates: %v, want ErrPairs", err)
	}
}

// The guard's pairs say nothing about the similarity: with all of them in
// conflict there is no duplicate point.
func TestConflictsAreTheGuards(t *testing.T) {
	t.Parallel()
	all := pairs(3, 2000, 0.7)
	for i := range all {
		if all[i].Kind == calibrate.KindHard {
			all[i].Score, all[i].Features = 0.99, similar.Features{Conflict: true}
		}
	}
	p, err := calibrate.Derive(all)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Duplicate.Sure {
		t.Errorf("edits that the guard sees spoil the point: %+v", p.Duplicate)
	}
}

// Points are ordered and maps never fall, whatever the labels.
func TestOrderAndMonotony(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(80, 500).Draw(t, "n")
		drawn := pairs(rapid.Uint64().Draw(t, "seed"), n, rapid.Float64Range(-0.5, 0.8).Draw(t, "width"))
		r, err := calibrate.Derive(drawn)
		if err != nil {
			t.Fatal(err)
		}
		if r.Duplicate.Threshold < r.Cluster.Threshold || r.Cluster.Threshold < r.Loose.Threshold {
			t.Fatalf("%+v", r)
		}
		m := calibrate.FitMap(drawn)
		before := -1.0
		for x := -1.0; x <= 1.2; x += 0.01 {
			p := m.Probability(x)
			if p < before-1e-12 || p < 0 || p > 1 || math.IsNaN(p) {
				t.Fatalf("%s map: %v at %v after %v", m.Method, p, x, before)
			}
			before = p
		}
	})
}

func TestMapMethods(t *testing.T) {
	t.Parallel()
	if m := calibrate.FitMap(pairs(4, 200, 0.7)); m.Method != "platt" || m.Probability(0.9) < 0.8 || m.Probability(0.1) > 0.1 {
		t.Errorf("%+v: %v at 0.9, %v at 0.1", m, m.Probability(0.9), m.Probability(0.1))
	}
	if m := calibrate.FitMap(pairs(4, 2000, 0.7)); m.Method != "isotonic" || m.Probability(0.9) < 0.9 || m.Probability(0.1) > 0.05 {
		t.Errorf("%s: %v at 0.9, %v at 0.1", m.Method, m.Probability(0.9), m.Probability(0.1))
	}
}

// Without labels the points sort and flag, and are never sure.
func TestAnchors(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 1))
	var random, jitter []float64
	for range 5000 {
		random = append(random, 0.2+0.1*rng.NormFloat64())
		jitter = append(jitter, 0.95+0.01*rng.NormFloat64())
	}
	p, err := calibrate.Anchors(random, jitter)
	if err != nil {
		t.Fatal(err)
	}
	if p.Duplicate.Threshold < 0.9 || p.Duplicate.Threshold > 0.95 || p.Cluster.Threshold < 0.45 || p.Cluster.Threshold > 0.6 || p.Loose.Threshold > p.Cluster.Threshold {
		t.Errorf("%+v", p)
	}
	if p.Duplicate.Sure || p.Cluster.Sure || p.Loose.Sure {
		t.Error("an anchor is sure")
	}
	if _, err := calibrate.Anchors(random[:50], jitter); !errors.Is(err, calibrate.ErrPairs) {
		t.Errorf("50 random pairs: %v", err)
	}
}

// The same pairs give the same result, to the bit.
func TestCalibrateIsRepeatable(t *testing.T) {
	t.Parallel()
	a, err := calibrate.Calibrate(pairs(6, 400, 0.5))
	if err != nil {
		t.Fatal(err)
	}
	b, _ := calibrate.Calibrate(pairs(6, 400, 0.5))
	if a.Points != b.Points || a.SpreadLow != b.SpreadLow || a.SpreadHigh != b.SpreadHigh || a.SpreadLow > a.SpreadHigh {
		t.Errorf("%+v\n%+v", a, b)
	}
}

// The weights tell paraphrases from edits where the cosine cannot, and never
// count a likeness against.
func TestFitWeights(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 1))
	var all []calibrate.Pair
	for i := range 800 {
		p := calibrate.Pair{Kind: calibrate.KindRandom, Features: similar.Features{
			Embedded: true, Cosine: 0.1 + 0.1*rng.NormFloat64(), Lexical: 0.1, Missing: 0.5,
		}}
		switch i % 4 {
		case 0: // a paraphrase has fewer words in common than an edit
			p.Kind, p.Same = calibrate.KindParaphrase, true
			p.Features = similar.Features{Embedded: true, Cosine: 0.7 + 0.1*rng.NormFloat64(), Lexical: 0.4}
		case 1:
			p.Kind = calibrate.KindEdited
			p.Features = similar.Features{Embedded: true, Cosine: 0.9 + 0.05*rng.NormFloat64(), Lexical: 0.9, Missing: 0.2, Conflict: true}
		}
		all = append(all, p)
	}
	w := calibrate.FitWeights(all)
	if w.Cosine <= 0 || w.Lexical < 0 || w.Missing > 0 || w.Conflict >= 0 {
		t.Fatalf("%+v", w)
	}
	if para, edit, random := w.Score(all[0].Features), w.Score(all[1].Features), w.Score(all[2].Features); para < 0.5 || edit > 0.4 || random > 0.2 {
		t.Errorf("paraphrase %.2f, edit %.2f, random %.2f: %+v", para, edit, random, w)
	}
}

// Draw pairs no text with itself at random, and always draws the same.
func TestDraw(t *testing.T) {
	t.Parallel()
	if random, jittered := calibrate.Draw([]string{"one", "one", ""}); random != nil || jittered != nil {
		t.Errorf("one text was paired: %v %v", random, jittered)
	}
	texts := []string{"The pool holds 20.", "Prices are in cents.", "UTC everywhere.", "", "Deploys rest on Friday."}
	random, jittered := calibrate.Draw(texts)
	if len(random) != 6 || len(jittered) == 0 {
		t.Fatalf("%d random, %d jittered", len(random), len(jittered))
	}
	for _, p := range random {
		if p.A == p.B || p.A == "" || p.B == "" {
			t.Errorf("drew %+v", p)
		}
	}
	slices.Reverse(texts)
	if again, _ := calibrate.Draw(texts); !slices.Equal(random, again) {
		t.Error("the order of the texts matters")
	}
	pairs, err := calibrate.Measure(random, nil)
	if err != nil || len(calibrate.Scores(pairs)) != len(random) {
		t.Errorf("%d scores, %v", len(pairs), err)
	}
}
