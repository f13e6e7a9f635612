package search

import (
	"math"
	"slices"

	"github.com/winnowhq/winnow/services/internal/vector"
)

// weights are those of the signs in the order inside a pool. zero lifts the sum, so that few
// are cut off at 0.
type weights struct {
	fused, cosine, near, own, back, title, pairs, beside, short, long, asks, zero float64
}

// inTalk are the weights of what was said beside something else, alone those of a memory of
// its own (ADR 38, 56, 84, 91). They were fitted by listwise logistic regression: of the
// passages of a pool those that answer the question come first; services/eval/fit does it
// again. The fused score of a turn has a share of its neighbours' and so says more than that of
// a memory alone, and a short turn is a greeting, while a short memory is a fact.
var (
	inTalk = weights{
		fused: 1.1, cosine: 1.6, near: 8.8, own: 0.59, back: 7, title: 5.6, pairs: 2.81, beside: 2.13,
		short: 1.4, long: -3.6, asks: -1.45, zero: 3,
	}
	alone = weights{
		fused: 0.3, cosine: 5, near: 8.8, own: 0.59, back: 7, title: 5.6, pairs: 2.81, beside: 2.13,
		long: -3.6, asks: -1.45, zero: 3.5,
	}
)

// scale brings the sum to about 0–1.
const scale = 1 / 24.0

// Relevance is how well a passage with these signs answers the query, 0–1, given its
// fused score and the cosine of the whole texts. The fused score makes the best of each list
// one, however near it is; the cosine says how near.
func (s *Signs) Relevance(fused, cosine float64) float64 {
	o := &inTalk
	if s.Alone {
		o = &alone
	}
	sum := o.zero + o.fused*fused + o.cosine*max(0, cosine) + o.near*s.Near + o.own*s.Own + o.back*s.Back + o.title*s.Title + o.pairs*s.Pairs +
		o.beside*s.Beside + o.short*s.Short + o.long*s.Long + o.asks*s.Asks + s.Brief*s.Kinds.weight()
	return min(1, max(0, sum*scale))
}

// The floor of relevance (SPEC §9), of the shipped table of words and of words alone: the
// least that the greatest Match of a pool must be, for a pool of one and for each unit of
// the logarithm of its size, because the greatest of many is greater by chance (ADR 57).
const (
	floorMatch = 0.06
	floorGrows = 0.025
)

// Unrelated reports whether nothing in a pool has to do with the query: no passage has a
// word of it, and none comes as near it in words as one of so many must. Of a question in a
// language that the table of words does not read it is false.
func Unrelated(pool []Signs) bool {
	floor := floorMatch + floorGrows*math.Log(float64(max(1, len(pool))))
	for i := range pool {
		if s := &pool[i]; s.Exact || s.Unread || s.Match >= floor {
			return false
		}
	}
	return len(pool) > 0
}

// The floor where the vectors of whole texts were compared too (ADR 69, ADR 83).
const (
	// floorNear is the least nearness for a question of one word; each unit of the logarithm
	// of their number takes floorWords off it.
	floorNear  = 0.825
	floorWords = 0.25
	shareBack  = 2
	// Of a pool above the floor a passage is shown that comes so near, as a number and as a
	// share of the nearest, or stands beside one that answers.
	tailNear   = 0.3
	tailShare  = 0.3
	tailMost   = 0.635 // a text that repeats the question hides no other that comes so near
	tailBeside = 0.3
)

// near is how near a passage comes to the query as a whole, 0–4: by its vector, by the
// query's rare words that it has or comes near, and by how much of it is about them.
// Passages are judged one by one: two that have half of a question each do not answer it.
func (s *Signs) near(cosine float64) float64 {
	return max(0, cosine) + s.Cover + shareBack*s.Back
}

// strange reports whether no passage comes near the query, and none has a name of it: the
// one name in a pasted stack trace is a small part of it.
func strange(pool []Scored, signs []Signs) bool {
	for i := range signs {
		if s := &signs[i]; s.Unread || s.Named || s.near(pool[i].Cosine) >= floorNear-floorWords*math.Log(float64(max(1, s.Asked))) {
			return false
		}
	}
	return len(signs) > 0
}

// Far reports which passages of a pool have so little to do with the query, beside the
// nearest, that a search leaves them out: of a store of twenty texts nineteen are not the
// answer. What would be above the floor alone is never left out, so a text that repeats a
// question word for word hides no answer to it. It is nil where vectors were not compared,
// where the table does not read the query, and behind a redirect, as for [BelowFloor].
func Far(pool []Scored, signs []Signs, lists vector.Lists) []bool {
	if len(signs) == 0 || len(lists.Dense) == 0 || archived(lists) {
		return nil
	}
	best := 0.0
	for i := range signs {
		if signs[i].Unread {
			return nil
		}
		best = max(best, signs[i].near(pool[i].Cosine))
	}
	least, far := min(tailMost, max(tailNear, tailShare*best)), make([]bool, len(signs))
	for i := range signs {
		s := &signs[i]
		far[i] = !s.Named && s.Beside < tailBeside && s.near(pool[i].Cosine) < least
	}
	return far
}

// archived reports whether an archived memory that leads to another was found by a word. One
// that an undo took back leads nowhere, so a search shows what it showed before.
func archived(lists vector.Lists) bool {
	return slices.ContainsFunc(lists.Lexical, func(h vector.Hit) bool { return h.State == vector.Archived && h.LeadsTo() != "" })
}

// BelowFloor reports whether a search that found lists shows nothing: its pool has nothing
// to do with the query, and no archived memory led to a successor, which need not have the
// word by which it was found. signs are those of the pool, in its order, or nil where it
// was not looked at.
func BelowFloor(pool []Scored, signs []Signs, lists vector.Lists) bool {
	if archived(lists) {
		return false
	}
	if len(lists.Dense) == 0 {
		return Unrelated(signs)
	}
	return strange(pool, signs)
}
