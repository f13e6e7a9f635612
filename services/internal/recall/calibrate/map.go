package calibrate

import (
	"cmp"
	"math"
	"slices"
)

// Map converts a model's similarity into the probability that two texts say the same,
// when one pair in four does. It never falls as the similarity rises.
type Map struct {
	// Method is "isotonic" or, under 300 pairs, "platt".
	Method string `json:"method"`
	// Steps of an isotonic map, ascending.
	Steps []Step `json:"steps,omitempty"`
	// Slope and Intercept of a logistic one.
	Slope     float64 `json:"slope,omitempty"`
	Intercept float64 `json:"intercept,omitempty"`
}

// Step is the probability from a similarity up to that of the next step.
type Step struct {
	From        float64 `json:"from"`
	Probability float64 `json:"probability"`
}

// minIsotonic is the least number of pairs for a free curve; with fewer it would learn
// noise.
const minIsotonic = 300

// FitMap fits a map to labelled pairs.
func FitMap(pairs []Pair) Map {
	w := weights(pairs, func(p Pair) bool { return p.Same })
	if len(pairs) < minIsotonic {
		return platt(pairs, w)
	}
	return isotonic(pairs, w)
}

// Probability returns how likely two texts of this similarity say the same, 0–1.
func (m Map) Probability(similarity float64) float64 {
	if m.Method == "platt" {
		return 1 / (1 + math.Exp(-(m.Slope*similarity + m.Intercept)))
	}
	at, found := slices.BinarySearchFunc(m.Steps, similarity, func(s Step, x float64) int { return cmp.Compare(s.From, x) })
	if !found {
		at--
	}
	if at < 0 {
		return 0
	}
	return m.Steps[at].Probability
}

// isotonic fits by pooling adjacent violators (Ayer and others 1955).
func isotonic(pairs []Pair, w []float64) Map {
	order := make([]int, len(pairs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(pairs[a].Score, pairs[b].Score), a-b) })
	type block struct{ from, right, weight float64 }
	var blocks []block
	for _, i := range order {
		b := block{from: pairs[i].Score, weight: w[i]}
		if pairs[i].Same {
			b.right = w[i]
		}
		for n := len(blocks); n > 0; n = len(blocks) {
			last := blocks[n-1]
			// Equal scores are one block, and a block's probability is never above that
			// of the next.
			if last.from < b.from && last.right/last.weight < b.right/b.weight {
				break
			}
			b = block{from: last.from, right: last.right + b.right, weight: last.weight + b.weight}
			blocks = blocks[:n-1]
		}
		blocks = append(blocks, b)
	}
	m := Map{Method: "isotonic"}
	for _, b := range blocks {
		m.Steps = append(m.Steps, Step{From: b.from, Probability: b.right / b.weight})
	}
	return m
}

// platt fits a logistic curve by Newton's method, with a small ridge against infinite
// slopes where the labels separate perfectly.
func platt(pairs []Pair, w []float64) Map {
	const ridge, rounds = 1e-3, 50
	var slope, intercept float64
	for range rounds {
		gs, gi := -ridge*slope, 0.0
		hss, hsi, hii := ridge, 0.0, 1e-9
		for i, p := range pairs {
			y := 0.0
			if p.Same {
				y = 1
			}
			q := 1 / (1 + math.Exp(-(slope*p.Score + intercept)))
			gs += w[i] * (y - q) * p.Score
			gi += w[i] * (y - q)
			v := w[i] * q * (1 - q)
			hss += v * p.Score * p.Score
			hsi += v * p.Score
			hii += v
		}
		det := hss*hii - hsi*hsi
		if det <= 0 {
			break
		}
		ds, di := (gs*hii-gi*hsi)/det, (gi*hss-gs*hsi)/det
		slope, intercept = slope+ds, intercept+di
		if math.Abs(ds)+math.Abs(di) < 1e-9 {
			break
		}
	}
	// A negative slope is cut to 0: a model without signal must not be read backwards.
	return Map{Method: "platt", Slope: max(0, slope), Intercept: intercept}
}
