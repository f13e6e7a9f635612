package calibrate

import (
	"errors"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/judge/similar"
)

// ErrPairs reports pairs that cannot be calibrated on: too few, or of one label.
var ErrPairs = errors.New("pairs cannot be calibrated on")

// Pair is a labelled pair with a model's similarity.
type Pair struct {
	Score    float64 // the model's similarity
	Same     bool
	Kind     string
	Group    string
	Features similar.Features
}

// clean reports that the specifics of both texts agree: these pairs are left to the
// similarity to decide (D3).
func (p Pair) clean() bool { return !p.Features.Conflict && p.Features.Missing == 0 }

// related reports that the texts are about the same thing.
func (p Pair) related() bool { return p.Same || p.Kind == KindEdited || p.Kind == KindHard }

// Measure scores labelled texts by the vectors of a model: those of A and B of the
// first pair, then of the second, and so on. A pair without both vectors is left out.
// With no vectors at all the texts are scored by their words, which calibrates the
// similarity of an installation without a model.
func Measure(texts []Text, vectors [][]float32) ([]Pair, error) {
	if vectors != nil && len(vectors) != 2*len(texts) {
		return nil, fmt.Errorf("%w: %d vectors for %d pairs", ErrPairs, len(vectors), len(texts))
	}
	words := lexical.NewAnalyzer()
	out := make([]Pair, 0, len(texts))
	for i, t := range texts {
		var a, b []float32
		if vectors != nil {
			if a, b = vectors[2*i], vectors[2*i+1]; a == nil || b == nil {
				continue
			}
		}
		f := similar.Between(similar.Read(words, t.A, a), similar.Read(words, t.B, b))
		p := Pair{Score: f.Lexical, Same: t.Same, Kind: t.Kind, Group: t.Group, Features: f}
		if f.Embedded {
			p.Score = f.Cosine
		}
		out = append(out, p)
	}
	return out, nil
}

// weights returns a weight for each pair: kinds count alike within a label, and
// positive pairs are one in four of all, as in triage. Precision depends on that share.
func weights(pairs []Pair, positive func(Pair) bool) []float64 {
	type stratum struct {
		positive bool
		kind     string
	}
	size := map[stratum]int{}
	kinds := map[bool]int{}
	for _, p := range pairs {
		s := stratum{positive(p), p.Kind}
		if size[s]++; size[s] == 1 {
			kinds[s.positive]++
		}
	}
	const prior = 0.25
	w := make([]float64, len(pairs))
	for i, p := range pairs {
		yes := positive(p)
		share := 1 - prior
		if yes {
			share = prior
		}
		w[i] = share / float64(kinds[yes]) / float64(size[stratum{yes, p.Kind}])
	}
	return w
}
