package search

import (
	"slices"

	"github.com/winnowhq/winnow/services/internal/vector"
)

// order are the weights of the signs in the order inside the pool (ADR 38, 56). They were
// fitted by listwise logistic regression: of the passages of a pool those that answer
// the question come first. zero lifts the sum, so that few are cut off at 0.
var order = struct {
	fused, near, own, back, title, pairs, beside, short, long, asks, when, count, where, why, zero float64
}{
	fused: 2.8, near: 7, own: 0.59, back: 6, title: 5.6, pairs: 2.81, beside: 2.13,
	short: 1.4, long: -3.6, asks: -1.45, when: 1.99, count: 2.55, where: 2, why: 1, zero: 3,
}

// scale brings the sum to about 0–1.
const scale = 1 / 17.5

// Relevance is how well a passage with these signs answers the query, 0–1, given its
// fused score.
func (s *Signs) Relevance(fused float64) float64 {
	o := &order
	sum := o.zero + o.fused*fused + o.near*s.Near + o.own*s.Own + o.back*s.Back + o.title*s.Title + o.pairs*s.Pairs +
		o.beside*s.Beside + o.short*s.Short + o.long*s.Long + o.asks*s.Asks + o.when*s.When + o.count*s.Count + o.where*s.Where + o.why*s.Why
	return min(1, max(0, sum*scale))
}

// The floor of relevance (SPEC §9), of the shipped table of words and of words alone. It
// holds in a full pool only: the greatest sign of a few passages is low also where one of
// them answers in other words. Measured in stores drawn from notes (ADR 38), it empties
// none of 200 answerable questions over 64 texts and 18 of 40 that nothing answers; with
// 32 texts it would empty seven of the 200, with eight nineteen.
const (
	floorBack  = 0.055
	floorMatch = 0.2
)

// Unrelated reports whether nothing in a full pool has to do with the query: no passage
// has a word of it, and none comes near it in words. Of a pool that is not full it is
// false, because showing a text in vain costs less than losing the answer.
func Unrelated(pool []Signs) bool {
	if len(pool) < Standard.Pool {
		return false
	}
	for i := range pool {
		if s := &pool[i]; s.Exact || s.Back >= floorBack || s.Match >= floorMatch {
			return false
		}
	}
	return true
}

// BelowFloor reports whether a search that found lists shows nothing: its pool is
// [Unrelated], and no archived memory led to a successor, which need not have the word
// by which it was found.
func BelowFloor(pool []Signs, lists vector.Lists) bool {
	return Unrelated(pool) && !slices.ContainsFunc(lists.Lexical, func(h vector.Hit) bool { return h.State == vector.Archived })
}
