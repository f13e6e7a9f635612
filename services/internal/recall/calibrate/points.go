package calibrate

import (
	"cmp"
	"fmt"
	"slices"
)

// Point is an operating point. A similarity strictly above it counts (D1).
type Point struct {
	Threshold float64 `json:"threshold"`
	// Sure says that the pairs allow to act on the point. An unsure point is the best
	// guess and may only flag and recommend.
	Sure      bool    `json:"sure"`
	Precision float64 `json:"precision"` // of pairs above it, kinds weighed alike, one pair in four the same
	Low       float64 `json:"precision_low"`
	Recall    float64 `json:"recall"`
	Above     int     `json:"above"` // pairs above it
}

// Points are the three operating points of a model (D2). Duplicate is not below
// Cluster, nor Cluster below Loose.
type Points struct {
	Duplicate Point `json:"duplicate"` // says the same
	Cluster   Point `json:"cluster"`   // belongs to one theme
	Loose     Point `json:"loose"`     // is about the same thing
}

// What each point must hold.
const (
	duplicatePrecision = 0.98 // lower bound, of pairs whose specifics agree
	// A consolidation compares every text with every other, so false pairs have many
	// more chances than in any file of pairs. At 0.80 on labelled pairs, groups of real
	// texts were worse than none (B³ 0.55 against 0.58); at 0.95 they are near the best
	// (0.67 of 0.70).
	clusterPrecision = 0.95
	loosePrecision   = 0.80 // lower bound, of pairs about the same thing
)

// apart are the kinds that carry no information about themes.
var apart = []string{KindExact, KindEdited, KindRandom}

// minPairs is the least number of pairs of each label.
const minPairs = 20

// Derive finds the operating points of a model on labelled pairs.
//
//   - duplicate: the lowest at which the lower bound of precision holds 0.98, on
//     pairs whose specifics agree, because the guard sees to the others;
//   - cluster: that of the best F1 among those with a precision of 0.95, telling
//     paraphrases from other statements about the same thing. Copies collapse
//     before (D14); edits and conflicts are of one theme and the guard's to keep
//     apart; random pairs are too easy to tell anything;
//   - loose: the lowest at which four of five pairs are about the same thing.
//
// A model that misses a target gets its best guess, marked as unsure.
//
// It returns ErrPairs for fewer than 20 pairs of either label.
func Derive(pairs []Pair) (Points, error) {
	same := 0
	for _, p := range pairs {
		if p.Same {
			same++
		}
	}
	if same < minPairs || len(pairs)-same < minPairs {
		return Points{}, fmt.Errorf("%w: %d that say the same and %d that do not, want %d of each", ErrPairs, same, len(pairs)-same, minPairs)
	}
	says := func(p Pair) bool { return p.Same }
	var agree, differ []Pair
	for _, p := range pairs {
		if p.clean() {
			agree = append(agree, p)
		}
		if !p.Features.Conflict && !slices.Contains(apart, p.Kind) {
			differ = append(differ, p)
		}
	}
	out := Points{
		Duplicate: lowest(curve(agree, says), duplicatePrecision),
		Cluster:   bestF1(curve(differ, says), clusterPrecision),
		Loose:     lowest(curve(pairs, Pair.related), loosePrecision),
	}
	// A stricter point never has the lower threshold.
	if out.Loose.Threshold > out.Cluster.Threshold {
		out.Loose = at(curve(pairs, Pair.related), out.Cluster.Threshold)
	}
	if out.Duplicate.Threshold < out.Cluster.Threshold {
		sure := out.Duplicate.Sure
		out.Duplicate = at(curve(agree, says), out.Cluster.Threshold)
		out.Duplicate.Sure = sure
	}
	return out, nil
}

// curve returns the point just below each score that occurs, the highest first.
func curve(pairs []Pair, positive func(Pair) bool) []Point {
	w := weights(pairs, positive)
	order := make([]int, len(pairs))
	all := 0.0
	for i, p := range pairs {
		order[i] = i
		if positive(p) {
			all += w[i]
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(pairs[b].Score, pairs[a].Score), a-b) })
	var out []Point
	right, total := 0.0, 0.0
	for n, i := range order {
		total += w[i]
		if positive(pairs[i]) {
			right += w[i]
		}
		if n+1 < len(order) && pairs[order[n+1]].Score == pairs[i].Score {
			continue
		}
		p := Point{Threshold: pairs[i].Score - gap(pairs, order, n), Above: n + 1, Precision: right / total}
		if all > 0 {
			p.Recall = right / all
		}
		p.Low, _ = Wilson(min(1, p.Precision), p.Above)
		out = append(out, p)
	}
	return out
}

// gap returns half the distance to the next lower score, so that a threshold does not
// equal the score of a pair.
func gap(pairs []Pair, order []int, n int) float64 {
	if n+1 == len(order) {
		return 1e-6
	}
	return (pairs[order[n]].Score - pairs[order[n+1]].Score) / 2
}

// lowest returns the lowest point whose precision is enough at its lower bound. Without
// one it returns the nearest, unsure.
func lowest(curve []Point, enough float64) Point {
	best := Point{Threshold: 1}
	for _, p := range curve {
		if p.Low >= enough || !best.Sure && p.Low > best.Low {
			best = p
			best.Sure = p.Low >= enough
		}
	}
	return best
}

// leastRecall is the least recall of a point: a threshold that only copies pass is
// precise and of no use.
const leastRecall = 0.2

// bestF1 returns the point of the greatest F1 among those precise enough. Without one
// it returns the most precise point with leastRecall, unsure.
func bestF1(curve []Point, enough float64) Point {
	best, value := Point{Threshold: 1}, -1.0
	for _, p := range curve {
		if p.Recall < leastRecall {
			continue
		}
		p.Sure = p.Precision >= enough
		v := p.Precision
		if p.Sure {
			v = 2 * p.Precision * p.Recall / (p.Precision + p.Recall)
		}
		if p.Sure && !best.Sure || p.Sure == best.Sure && v > value {
			best, value = p, v
		}
	}
	return best
}

// at returns the point of a curve at a threshold.
func at(curve []Point, threshold float64) Point {
	best := Point{Threshold: threshold, Precision: 1}
	for _, p := range curve {
		if p.Threshold >= threshold {
			best = p
		}
	}
	best.Threshold = threshold
	return best
}
