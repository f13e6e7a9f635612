package merge

import "math"

// The consensus bonus of S4.49, by the formula at S4.62.
const (
	maxBonus    = 0.1
	noConsensus = 0.5 // standard deviation at which the bonus is gone
	fullGroup   = 10  // sources from which on the bonus is whole
)

// Confidence returns the confidence of a memory made from the sources, 0–1: the mean
// of theirs, each weighted by its usage + 1 (S4.48), plus up to 0.1 where they agree
// (S4.49). One source alone agrees with nothing and gets no bonus (D22). Without
// sources it is 0.
func Confidence(sources []Source) float64 {
	if len(sources) == 0 {
		return 0
	}
	n := float64(len(sources))
	var weighted, weights, mean float64
	for i := range sources {
		w := float64(max(sources[i].Usage, 0)) + 1
		weighted += sources[i].Confidence * w
		weights += w
		mean += sources[i].Confidence / n
	}
	base := weighted / weights
	if len(sources) < 2 {
		return clamp(base)
	}
	var variance float64
	for i := range sources {
		d := sources[i].Confidence - mean
		variance += d * d / n
	}
	bonus := (1 - math.Sqrt(variance)/noConsensus) * min(n/fullGroup, 1) * maxBonus
	return clamp(base + max(bonus, 0))
}

func clamp(v float64) float64 { return min(max(v, 0), 1) }
