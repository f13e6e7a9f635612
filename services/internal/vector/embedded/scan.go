package embedded

import (
	"context"
	"math"

	"github.com/winnowhq/winnow/services/internal/dot"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// slack is how many candidates more than asked for are ranked again in float64:
// rows whose float32 scores are in the wrong order lie next to each other.
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

// dense ranks the rows seen whose cosine with the unit vector q is greater than
// least. The caller holds the lock.
func (s *shard) dense(ctx context.Context, v view, q []float32, least float64, limit int) ([]vector.Hit, error) {
	best := newTop(limit+slack, s.rows)
	// What is a little below the line in float32 may be above it in float64.
	floor := float32(max(least, -2) - vector.Margin)
	for b, block := range s.blocks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		floor = s.scanBlock(best, v, q, floor, b, block)
	}
	// The vectors are rounded to float32, so q is compared as it is stored.
	kept := best.heap[:0]
	for _, c := range best.heap {
		if c.score = vector.Cosine(q, s.vectorAt(c.row)); c.score > least {
			kept = append(kept, c)
		}
	}
	best.heap = kept
	ranked := best.sorted()
	return s.hits(ranked[:min(limit, len(ranked))]), nil
}

// scanBlock offers the rows of one block and returns the floor, raised.
func (s *shard) scanBlock(best *top, v view, q []float32, floor float32, b int, block []float32) float32 {
	classes := s.scanned[b*blockRows : min((b+1)*blockRows, len(s.scanned))]
	for i, c := range classes {
		if !v.seen[c] {
			continue
		}
		score := dot.Of(q, block[i*s.dim:(i+1)*s.dim])
		if score < floor {
			continue
		}
		slot := int32(b*blockRows + i)
		if v.except[slot] {
			continue
		}
		best.offer(candidate{slot, float64(score)})
		if best.full() {
			floor = max(floor, float32(best.floor()))
		}
	}
	return floor
}

// sums is scratch for scores: one for each slot, all zero when at rest.
type sums []float64

func (x *sums) upTo(n int) []float64 {
	if len(*x) < n {
		*x = make([]float64, n+n/4)
	}
	return *x
}

// lexical ranks the rows seen by BM25. Tokens ascend, so that a sum is rounded
// the same way every time. The caller holds the lock.
func (s *shard) lexical(v view, tokens []uint32, limit int, scratch *sums) []vector.Hit {
	scores := scratch.upTo(len(s.rows))
	var touched []int32
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
	return s.hits(best.sorted())
}

func (s *shard) hits(ranked []candidate) []vector.Hit {
	hits := make([]vector.Hit, len(ranked))
	for i, c := range ranked {
		hits[i] = s.hit(c)
	}
	return hits
}
