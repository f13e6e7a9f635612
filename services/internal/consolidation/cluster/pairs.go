package cluster

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Pair is two similar vectors, by their indexes, the smaller first.
type Pair struct {
	A, B       int32
	Similarity float64
}

// comparePairs orders pairs: most similar first, ties by index.
func comparePairs(a, b Pair) int {
	return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
}

// tile is how many vectors are compared with as many others at a time: both fit
// into the cache of one processor.
const tile = 256

// Pairs finds every pair of vectors whose cosine is strictly greater than least,
// most similar first, on all processors. Nil vectors pair with nothing.
//
// Memory beside the vectors is that of at most twice limit pairs. When more are
// similar, only those above the cosine of the first that does not fit are
// returned, and used is that cosine, else least. It does not depend on the order
// of work or of the vectors.
//
// A vector of another dimension is vector.ErrDimension, one without a direction
// vector.ErrVector.
func Pairs(ctx context.Context, vectors [][]float32, least float64, limit int) (pairs []Pair, used float64, err error) {
	m, err := newMatrix(vectors)
	if err != nil {
		return nil, least, err
	}
	return m.pairs(ctx, least, limit)
}

// pairs is [Pairs] of the rows.
func (m *matrix) pairs(ctx context.Context, least float64, limit int) ([]Pair, float64, error) {
	found := &collector{least: least, limit: limit}
	tiles := (m.rows() + tile - 1) / tile
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			// Tile pairs in the order of a triangle: (0,0) (0,1) (1,1) (0,2) …
			first, second, at := 0, 0, int64(0)
			for ctx.Err() == nil {
				for want := next.Add(1) - 1; at < want; at++ {
					if first++; first > second {
						first, second = 0, second+1
					}
				}
				if second >= tiles {
					return
				}
				found.add(m.compareTiles(first, second, found.floor()))
			}
		})
	}
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return nil, least, fmt.Errorf("pairs: %w", err)
	}
	pairs, used := found.result()
	return pairs, used, nil
}

// compareTiles compares the rows of one tile with those of another, or with each
// other.
func (m *matrix) compareTiles(first, second int, least float64) []Pair {
	var pairs []Pair
	bound := floor(least)
	for i := first * tile; i < min((first+1)*tile, m.rows()); i++ {
		from := second * tile
		if first == second {
			from = i + 1
		}
		for j := from; j < min((second+1)*tile, m.rows()); j++ {
			if !m.reaches(i, j, bound) {
				continue
			}
			if s := m.cosine(i, j); s > least {
				pairs = append(pairs, Pair{int32(i), int32(j), s})
			}
		}
	}
	return pairs
}

// collector holds the best pairs, one more than the limit, to know the cosine of the
// first that does not fit.
type collector struct {
	mu    sync.Mutex
	limit int
	least float64
	pairs []Pair
}

// floor returns the cosine that a pair must exceed, or equal once it has been raised,
// to be among the best; it only rises.
func (c *collector) floor() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.least
}

func (c *collector) add(pairs []Pair) {
	if len(pairs) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pairs = append(c.pairs, pairs...)
	if len(c.pairs) > 2*c.limit {
		c.trim()
	}
}

// trim drops all but the best, one more than the limit. A pair as similar as the last
// may be dropped or not: the final threshold is at least that high.
func (c *collector) trim() {
	slices.SortFunc(c.pairs, comparePairs)
	if len(c.pairs) > c.limit+1 {
		c.pairs = c.pairs[:c.limit+1]
		c.least = max(c.least, c.pairs[c.limit].Similarity)
	}
}

func (c *collector) result() ([]Pair, float64) {
	line := c.least
	c.trim()
	if len(c.pairs) <= c.limit {
		return c.pairs, line
	}
	line = c.pairs[c.limit].Similarity
	end, _ := slices.BinarySearchFunc(c.pairs, line, func(p Pair, line float64) int { return cmp.Compare(line, p.Similarity) })
	return c.pairs[:end], line
}
