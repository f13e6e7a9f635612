package similar

import "math"

// Weights are those of a logistic model over [Features]. A set belongs to one
// embedding model, because the cosines of another have another scale.
type Weights struct {
	Bias     float64 `json:"bias"`
	Cosine   float64 `json:"cosine"`
	Lexical  float64 `json:"lexical"`
	Missing  float64 `json:"missing"`
	Conflict float64 `json:"conflict"`
}

// WeightsID names the two sets that ship. It changes whenever one of their numbers
// does.
const WeightsID = "sim-1"

// Static are the weights for vectors of the static table; WordsOnly are those for
// texts without a vector. They were fitted on pairs of notes that we wrote, on
// paraphrased shell tasks and on duplicate bug reports. Each source has the same
// weight, and one pair in four is a duplicate. Similarities were forced to raise the
// score and differences to lower it. Then the weights were rounded: the order of
// pairs changes little when any of them moves by a third.
var (
	Static    = Weights{Bias: -2.3, Cosine: 3.7, Lexical: 0.5, Missing: -2.5, Conflict: -1.5}
	WordsOnly = Weights{Bias: -1.7, Lexical: 3.7, Missing: -2.5, Conflict: -1.6}
)

// Score returns how likely two texts say the same, 0–1, where one pair in four does.
func Score(f Features) float64 {
	if f.Embedded {
		return Static.Score(f)
	}
	return WordsOnly.Score(f)
}

// Score returns the model's probability, 0–1.
func (w Weights) Score(f Features) float64 {
	z := w.Bias + w.Lexical*f.Lexical + w.Missing*f.Missing
	if f.Embedded {
		z += w.Cosine * f.Cosine
	}
	if f.Conflict {
		z += w.Conflict
	}
	return 1 / (1 + math.Exp(-z))
}
