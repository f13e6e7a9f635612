package cluster

import (
	"github.com/winnowhq/winnow/services/internal/vector"
)

// Statistics describe a group (S4.41).
type Statistics struct {
	// Average and Least are over all pairs of members, 1 for a group of one.
	// Copies are not counted.
	Average float64
	Least   float64
	// Centroid is the mean of the members' directions, of length 1; nil when no
	// member has a vector or they cancel out.
	Centroid []float32
}

// Describe returns the statistics of a group of the items.
func Describe(items []Item, g Group) Statistics {
	s := Statistics{Average: 1, Least: 1}
	var sum float64
	pairs := 0
	for i, a := range g.Members {
		for _, b := range g.Members[:i] {
			x, y := items[a.Item].Vector, items[b.Item].Vector
			if len(x) == 0 || len(x) != len(y) {
				continue
			}
			cosine := vector.Cosine(x, y)
			sum += cosine
			pairs++
			s.Least = min(s.Least, cosine)
		}
	}
	if pairs > 0 {
		s.Average = sum / float64(pairs)
	}
	s.Centroid = centroid(items, g)
	return s
}

func centroid(items []Item, g Group) []float32 {
	var mean []float32
	for _, m := range g.Members {
		unit, err := vector.Unit(items[m.Item].Vector, len(items[m.Item].Vector))
		if err != nil {
			continue // no vector
		}
		if mean == nil {
			mean = make([]float32, len(unit))
		}
		for i := range min(len(mean), len(unit)) {
			mean[i] += unit[i]
		}
	}
	unit, err := vector.Unit(mean, len(mean))
	if err != nil {
		return nil
	}
	return unit
}
