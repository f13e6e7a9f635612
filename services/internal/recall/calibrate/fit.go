package calibrate

import (
	"math"

	"github.com/winnowhq/winnow/services/internal/judge/similar"
)

// FitWeights fits the weights of [similar.Weights] to a model's labelled pairs: a
// logistic regression in which likeness may only count for the same meaning, and
// differences only against it. A weight whose sign the pairs contradict becomes zero,
// because that sign is an accident of these pairs: mined negatives, for one, share more
// letters than paraphrases do.
//
// The same pairs give the same weights.
func FitWeights(pairs []Pair) similar.Weights {
	w := weights(pairs, func(p Pair) bool { return p.Same })
	const rounds, rate, ridge = 4000, 0.5, 1e-3
	var at [5]float64
	for range rounds {
		var slope [5]float64
		for i, p := range pairs {
			x := row(p.Features)
			miss := -1 / (1 + math.Exp(-dotted(at, x)))
			if p.Same {
				miss++
			}
			for k := range slope {
				slope[k] += w[i] * miss * x[k]
			}
		}
		for k := range at {
			at[k] += rate * (slope[k] - ridge*at[k]*math.Abs(sign[k]))
			if at[k]*sign[k] < 0 {
				at[k] = 0
			}
		}
	}
	return similar.Weights{Bias: at[0], Cosine: at[1], Lexical: at[2], Missing: at[3], Conflict: at[4]}
}

// sign is the allowed sign of each weight: 0 is any.
var sign = [5]float64{0, 1, 1, -1, -1}

func row(f similar.Features) [5]float64 {
	x := [5]float64{1, 0, f.Lexical, f.Missing, 0}
	if f.Embedded {
		x[1] = f.Cosine
	}
	if f.Conflict {
		x[4] = 1
	}
	return x
}

func dotted(a, b [5]float64) float64 {
	sum := 0.0
	for k := range a {
		sum += a[k] * b[k]
	}
	return sum
}
