package calibrate

import (
	"math/rand/v2"
	"slices"

	"github.com/winnowhq/winnow/services/internal/judge/similar"
)

// Result is a calibration with the figures that it rests on.
type Result struct {
	Pairs  int            `json:"pairs"`
	Same   int            `json:"same"`
	ByKind map[string]int `json:"by_kind"`
	Points
	Map Map `json:"map"`
	// Weights combine all evidence, for this model.
	Weights similar.Weights `json:"weights"`
	// Spread is how far the cluster point moves when other pairs of the same kind are
	// drawn: the middle 95 %.
	SpreadLow  float64 `json:"cluster_low"`
	SpreadHigh float64 `json:"cluster_high"`
	// Wide says that the spread is more than 0.05 to either side: more pairs would
	// help.
	Wide bool `json:"wide"`
}

// Calibrate derives the points and the map of a model from labelled pairs, and how much
// they depend on the choice of pairs. The same pairs give the same result. Errors are
// those of [Derive].
func Calibrate(pairs []Pair) (Result, error) {
	points, err := Derive(pairs)
	if err != nil {
		return Result{}, err
	}
	r := Result{Pairs: len(pairs), Points: points, Map: FitMap(pairs), Weights: FitWeights(pairs), ByKind: map[string]int{}}
	for _, p := range pairs {
		r.ByKind[p.Kind]++
		if p.Same {
			r.Same++
		}
	}
	r.SpreadLow, r.SpreadHigh = spread(pairs, points.Cluster.Threshold)
	const wide = 0.05
	r.Wide = points.Cluster.Threshold-r.SpreadLow > wide || r.SpreadHigh-points.Cluster.Threshold > wide
	return r, nil
}

// resamples is the number of bootstrap samples.
const resamples = 200

// spread draws whole groups with replacement, from a fixed seed.
func spread(pairs []Pair, point float64) (low, high float64) {
	var names []string
	groups := map[string][]Pair{}
	for _, p := range pairs {
		if groups[p.Group] == nil {
			names = append(names, p.Group)
		}
		groups[p.Group] = append(groups[p.Group], p)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var points []float64
	sample := make([]Pair, 0, len(pairs))
	for range resamples {
		sample = sample[:0]
		for range names {
			sample = append(sample, groups[names[rng.IntN(len(names))]]...)
		}
		if p, err := Derive(sample); err == nil {
			points = append(points, p.Cluster.Threshold)
		}
	}
	if len(points) == 0 {
		return point, point
	}
	slices.Sort(points)
	return points[int(0.025*float64(len(points)-1))], points[int(0.975*float64(len(points)-1))]
}

// Checked is how a threshold does on pairs that it was not derived from.
type Checked struct {
	Threshold float64 `json:"threshold"`
	Precision float64 `json:"precision"`
	Low       float64 `json:"precision_low"`
	Recall    float64 `json:"recall"`
	Above     int     `json:"above"`
}

// Check applies a threshold to other pairs.
func Check(pairs []Pair, threshold float64) Checked {
	w := weights(pairs, func(p Pair) bool { return p.Same })
	c := Checked{Threshold: threshold}
	var right, total, all float64
	for i, p := range pairs {
		if p.Same {
			all += w[i]
		}
		if p.Score > threshold {
			c.Above++
			total += w[i]
			if p.Same {
				right += w[i]
			}
		}
	}
	if total > 0 {
		c.Precision = min(1, right/total)
	}
	if all > 0 {
		c.Recall = right / all
	}
	c.Low, _ = Wilson(c.Precision, c.Above)
	return c
}
