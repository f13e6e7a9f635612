package similar

import "math"

// Weights of a logistic model over [Features]. A set belongs to one embedding
// model, because the cosine of another means something else.
type Weights struct {
	Bias     float64 `json:"bias"`
	Cosine   float64 `json:"cosine"`
	Lexical  float64 `json:"lexical"`
	Missing  float64 `json:"missing"`
	Conflict float64 `json:"conflict"`
}

// WeightsID names the two sets that ship. It changes when a number of them
// does.
const WeightsID = "sim-1"

// Static are the weights beside the static table; WordsOnly those where a text
// has no vector. They were fitted on pairs of notes that we wrote, on
// paraphrased shell tasks and on duplicate bug reports, each source weighing the
// same and duplicates one in four, similarities forced to count for and
// differences against; then rounded. The order of pairs changes little when any
// of them moves by a third.
var (
	Static    = Weights{Bias: -2.3, Cosine: 3.7, Lexical: 0.5, Missing: -2.5, Conflict: -1.5}
	WordsOnly = Weights{Bias: -1.7, Lexical: 3.7, Missing: -2.5, Conflict: -1.6}
)

// Score is how likely two texts say the same, 0–1, when one pair in four does.
func Score(f Features) float64 {
	if f.Embedded {
		return Static.Score(f)
	}
	return WordsOnly.Score(f)
}

// Score is the model's probability, 0–1.
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
