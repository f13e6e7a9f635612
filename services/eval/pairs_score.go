package eval

import (
	"cmp"
	"slices"
)

// PairsReport is the output of `winnow eval pairs --json`.
type PairsReport struct {
	Suite     string               `json:"suite"`
	N         int                  `json:"n"`
	Same      int                  `json:"same"` // pairs that say the same
	Metrics   PairsMetrics         `json:"metrics"`
	Intervals map[string]*Interval `json:"intervals"`
	ByKind    map[string]PairsKind `json:"by_kind"`
	Embedder  string               `json:"embedder"`
	Items     []*PairItem          `json:"-"`
}

// PairsMetrics are figures of the ranking of all pairs, each 0–1. Without a
// suffix they are of all evidence together.
type PairsMetrics struct {
	AP          float64  `json:"ap"`        // average precision
	APStatic    *float64 `json:"ap_static"` // of the cosine alone; null without an embedder
	APLexical   float64  `json:"ap_lexical"`
	APHard      float64  `json:"ap_hard"`       // without random pairs
	RecallAtP95 float64  `json:"recall_at_p95"` // greatest recall at a precision of 0.95 or more
	BestF1      float64  `json:"best_f1"`
	BestF1Score float64  `json:"best_f1_threshold"` // scores from here on count as the same there
	Calibration float64  `json:"ece"`               // expected calibration error, ten bins
	// StaticBestF1 is the threshold of the cosine alone.
	StaticBestF1 *float64 `json:"static_best_f1_threshold"`
}

// PairsKind are the pairs of one kind.
type PairsKind struct {
	N     int     `json:"n"`
	Label int     `json:"label"`
	Mean  float64 `json:"mean_score"`
	Above int     `json:"above_threshold"` // of the best F1
}

// scored is a pair in a ranking.
type scored struct {
	score float64
	same  bool
}

func rankBy(items []*PairItem, of func(*PairItem) float64) []scored {
	out := make([]scored, len(items))
	for i, it := range items {
		out[i] = scored{of(it), it.Label == 1}
	}
	slices.SortStableFunc(out, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	return out
}

// steps calls f after each group of equal scores with what is at or above it:
// ties have no order, so nothing may be counted in the middle of one.
func steps(ranked []scored, f func(score float64, tp, n int)) {
	tp := 0
	for i, s := range ranked {
		if s.same {
			tp++
		}
		if i+1 == len(ranked) || ranked[i+1].score != s.score {
			f(s.score, tp, i+1)
		}
	}
}

func positives(ranked []scored) int {
	n := 0
	for _, s := range ranked {
		if s.same {
			n++
		}
	}
	return n
}

// averagePrecision is the area under the curve of precision over recall, in
// steps.
func averagePrecision(ranked []scored) (float64, bool) {
	all := positives(ranked)
	if all == 0 {
		return 0, false
	}
	ap, before := 0.0, 0
	steps(ranked, func(_ float64, tp, n int) {
		ap += float64(tp-before) / float64(all) * float64(tp) / float64(n)
		before = tp
	})
	return ap, true
}

// recallAt is the greatest recall at which precision is at least p.
func recallAt(ranked []scored, p float64) float64 {
	all, best := positives(ranked), 0
	steps(ranked, func(_ float64, tp, n int) {
		if float64(tp) >= p*float64(n) {
			best = tp
		}
	})
	if all == 0 {
		return 0
	}
	return float64(best) / float64(all)
}

// bestF1 is the greatest F1 and the score from which on pairs count as the same
// there.
func bestF1(ranked []scored) (f1, threshold float64) {
	all := positives(ranked)
	steps(ranked, func(score float64, tp, n int) {
		if f := 2 * float64(tp) / float64(n+all); f > f1 {
			f1, threshold = f, score
		}
	})
	return f1, threshold
}

// calibrationError is the mean distance between what a score promises and how
// often it comes true, over ten equal bins, weighed by their size.
func calibrationError(ranked []scored) float64 {
	const bins = 10
	var sum, same, n [bins]float64
	for _, s := range ranked {
		b := min(bins-1, int(s.score*bins))
		sum[b] += s.score
		n[b]++
		if s.same {
			same[b]++
		}
	}
	total := 0.0
	for b := range bins {
		total += max(sum[b]-same[b], same[b]-sum[b])
	}
	return total / float64(max(1, len(ranked)))
}

func scorePairs(items []*PairItem) *PairsReport {
	score := func(it *PairItem) float64 { return it.Score }
	static := func(it *PairItem) float64 { return it.Static }
	ranked := rankBy(items, score)
	r := &PairsReport{Suite: "pairs", N: len(items), Same: positives(ranked), Items: items}
	m := &r.Metrics
	m.AP, _ = averagePrecision(ranked)
	m.APLexical, _ = averagePrecision(rankBy(items, func(it *PairItem) float64 { return it.Lexical }))
	m.APHard, _ = averagePrecision(rankBy(slices.DeleteFunc(slices.Clone(items), random), score))
	m.RecallAtP95 = recallAt(ranked, 0.95)
	m.BestF1, m.BestF1Score = bestF1(ranked)
	if slices.ContainsFunc(items, func(it *PairItem) bool { return it.Embedded }) {
		cosines := rankBy(items, static)
		ap, _ := averagePrecision(cosines)
		_, threshold := bestF1(cosines)
		m.APStatic, m.StaticBestF1 = &ap, &threshold
	}
	m.Calibration = calibrationError(ranked)
	r.ByKind = kindsOf(items, m.BestF1Score)
	groups := inOrder(groupBy(items, func(it *PairItem) string { return it.group }))
	interval := func(of func(*PairItem) float64) *Interval {
		return bootstrap(groups, func(s []*PairItem) (float64, bool) { return averagePrecision(rankBy(s, of)) })
	}
	r.Intervals = map[string]*Interval{"ap": interval(score)}
	if m.APStatic != nil {
		r.Intervals["ap_static"] = interval(static)
	}
	return r
}

// random says that a pair was put together by chance.
func random(it *PairItem) bool { return it.Kind == "random_negative" || it.Kind == "random" }

func kindsOf(items []*PairItem, threshold float64) map[string]PairsKind {
	out := map[string]PairsKind{}
	for _, it := range items {
		k := out[it.Kind]
		k.N++
		k.Label = it.Label
		k.Mean += it.Score
		if it.Score >= threshold {
			k.Above++
		}
		out[it.Kind] = k
	}
	for name, k := range out {
		k.Mean /= float64(k.N)
		out[name] = k
	}
	return out
}

// Regressions compares with an earlier report and lists the figures that fell
// by more than tolerance (0–1).
func (r *PairsReport) Regressions(baseline *PairsReport, tolerance float64) []string {
	of := func(m PairsMetrics) map[string]float64 {
		return map[string]float64{"ap": m.AP, "ap_lexical": m.APLexical, "ap_hard": m.APHard, "best_f1": m.BestF1}
	}
	return fallen(of(r.Metrics), of(baseline.Metrics), tolerance)
}
