package calibrate

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// minAnchors is the least number of random pairs, for the tail of their distribution.
const minAnchors = 100

// Anchors returns the operating points of a model without labelled pairs. random are
// similarities of the user's own texts paired by chance; jitter are those of texts with
// themselves, written a little differently. No point is sure: they sort and flag, and
// never act.
//
// It returns ErrPairs for fewer than 100 random pairs or no jitter.
func Anchors(random, jitter []float64) (Points, error) {
	if len(random) < minAnchors || len(jitter) == 0 {
		return Points{}, fmt.Errorf("%w: %d random and %d jittered, want %d and 1", ErrPairs, len(random), len(jitter), minAnchors)
	}
	random, jitter = slices.Sorted(slices.Values(random)), slices.Sorted(slices.Values(jitter))
	cluster := quantile(random, 0.999)
	self := quantile(jitter, 0.5)
	off := make([]float64, len(jitter))
	for i, j := range jitter {
		off[i] = max(j-self, self-j)
	}
	slices.Sort(off)
	// Three median deviations below the similarity of a text to itself.
	duplicate := max(quantile(random, 0.9999), self-3*quantile(off, 0.5), cluster)
	return Points{
		Duplicate: Point{Threshold: duplicate},
		Cluster:   Point{Threshold: cluster},
		Loose:     Point{Threshold: quantile(random, 0.99)},
	}, nil
}

// Sizes of the samples of [Draw]: enough for the tail of chance, and little to embed.
const (
	maxRandom = 5000
	maxJitter = 300
)

// Draw pairs a user's own texts for [Anchors]: at random, and each with itself written
// a little differently. The same texts give the same pairs. Fewer than two different
// texts give none.
func Draw(texts []string) (random, jittered []Text) {
	texts = slices.Compact(slices.Sorted(slices.Values(texts)))
	if len(texts) > 0 && texts[0] == "" {
		texts = texts[1:]
	}
	n := len(texts)
	if n < 2 {
		return nil, nil
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range min(maxRandom, n*(n-1)/2) {
		i := rng.IntN(n)
		j := (i + 1 + rng.IntN(n-1)) % n
		random = append(random, Text{A: texts[i], B: texts[j], Kind: KindRandom})
	}
	for _, i := range rng.Perm(n)[:min(n, maxJitter)] {
		for _, other := range jitter(texts[i]) {
			jittered = append(jittered, Text{A: texts[i], B: other, Kind: KindExact, Same: true})
		}
	}
	return random, jittered
}

// Scores returns the similarities of pairs, for [Anchors].
func Scores(pairs []Pair) []float64 {
	out := make([]float64, len(pairs))
	for i, p := range pairs {
		out[i] = p.Score
	}
	return out
}

// quantile returns a quantile of ascending values, the higher of two.
func quantile(sorted []float64, q float64) float64 {
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}
