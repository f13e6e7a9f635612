package embedded

import (
	"math"
	"slices"

	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/vector/dot"
)

// slack is how many candidates beyond the limit are ranked again in float64: rows whose
// float32 scores are in the wrong order lie next to each other.
const slack = 16

// view is a filter decided for a shard.
type view struct {
	seen   []bool         // by class
	except map[int32]bool // slots
}

func (s *shard) viewOf(within vector.Filter) view {
	v := view{seen: s.classes.seen(s.tenant, within)}
	for _, id := range within.Excepted() {
		if point, err := vector.PointOf(id); err == nil {
			if slot, ok := s.slots[point]; ok {
				if v.except == nil {
					v.except = make(map[int32]bool)
				}
				v.except[slot] = true
			}
		}
	}
	return v
}

// scan is one search on its way through the blocks. The shard's lock is held from begin
// to end.
type scan struct {
	shard *shard
	ask   *ask
	view  view
	best  *top
	floor float32 // lower scores cannot be among the best
	rough rough   // of the query; only where the shard has coarse blocks
}

func (s *shard) begin(a *ask) *scan {
	room := a.limit
	if a.exact {
		room += slack
	}
	c := &scan{
		shard: s, ask: a, view: s.viewOf(a.within), best: newTop(room, s.rows),
		// A score slightly below the minimum in float32 may be above it in float64.
		floor: float32(a.least - vector.Margin),
	}
	if a.dense != nil && len(s.coarse) > 0 {
		c.rough = roughOf(a.dense)
	}
	return c
}

// block offers the rows of the n-th block.
func (c *scan) block(n int, block []float32) {
	if c.ask.dense == nil {
		return
	}
	s := c.shard
	var first *coarse
	if len(s.coarse) > 0 {
		first = &s.coarse[n]
	}
	for i, class := range s.scanned[n*blockRows : min((n+1)*blockRows, len(s.scanned))] {
		if !c.view.seen[class] {
			continue
		}
		if first != nil && first.atMost(i, &c.rough) < c.floor {
			continue
		}
		score := dot.Of(c.ask.dense, block[i*s.dim:(i+1)*s.dim])
		if score < c.floor {
			continue
		}
		slot := int32(n*blockRows + i)
		if c.view.except[slot] {
			continue
		}
		c.best.offer(candidate{slot, float64(score)})
		if c.best.full() {
			c.floor = max(c.floor, float32(c.best.floor()))
		}
	}
}

// end returns the best rows, ranked again in float64 where exact was asked for, and cut
// at the limit.
func (c *scan) end() []candidate {
	if !c.ask.exact {
		return c.best.sorted()
	}
	kept := c.best.heap[:0]
	for _, candidate := range c.best.heap {
		candidate.score = vector.Cosine(c.ask.dense, c.shard.vectorAt(candidate.row))
		if candidate.score > c.ask.least {
			kept = append(kept, candidate)
		}
	}
	c.best.heap = kept
	ranked := c.best.sorted()
	return ranked[:min(c.ask.limit, len(ranked))]
}

// sums is scratch space for scores: one for each slot, all zero between uses, and the
// slots that have one.
type sums struct {
	scores  []float64
	touched []int32
}

func (x *sums) upTo(n int) []float64 {
	if len(x.scores) < n {
		x.scores = make([]float64, n+n/4)
	}
	return x.scores
}

// lexical ranks the rows that pass, by BM25. Tokens ascend, so that a sum is rounded
// the same way every time. The caller holds the lock.
func (s *shard) lexical(v view, tokens []uint32, limit int, scratch *sums) []candidate {
	scores := scratch.upTo(len(s.rows))
	touched := scratch.touched[:0]
	for _, token := range tokens {
		list := s.words.lists[token]
		if list == nil {
			continue
		}
		idf := vector.IDF(s.words.texts, len(list.slots))
		for i, slot := range list.slots {
			if scores[slot] == 0 {
				touched = append(touched, slot)
			}
			scores[slot] += idf * float64(list.weights[i])
		}
	}
	scratch.touched = touched
	best := newTop(limit, s.rows)
	floor := math.Inf(-1)
	for _, slot := range touched {
		score := scores[slot]
		scores[slot] = 0
		if score < floor || !v.seen[s.visible[slot]] || v.except[slot] {
			continue
		}
		best.offer(candidate{slot, score})
		if best.full() {
			floor = best.floor()
		}
	}
	return best.sorted()
}

// hits returns the hits on rows, in the given space where it is large enough.
func (s *shard) hits(ranked []candidate, space []vector.Hit) []vector.Hit {
	hits := slices.Grow(space[:0], len(ranked))[:len(ranked)]
	for i, c := range ranked {
		s.hit(&hits[i], c)
	}
	return hits
}
