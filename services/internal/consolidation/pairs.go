package consolidation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/winnowhq/winnow/services/internal/consolidation/cluster"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/vector/dot"
)

// Pairs finds similar candidates. Implementations are safe for concurrent use.
type Pairs interface {
	// Above returns the pairs of part whose cosine is strictly greater than least, by
	// their indexes, the smaller first and the most similar first. used is least, or a
	// higher value where more than limit pairs are similar; then the pairs above used are
	// returned.
	Above(ctx context.Context, part []Candidate, least float64, limit int) (pairs []cluster.Pair, used float64, err error)
}

// Vectors compares the vectors of the candidates in this process: each with each up to
// ExactUpTo candidates, of more only within cells. The index behind search makes no
// difference, so the embedded and the Qdrant driver give the same groups.
type Vectors struct {
	ExactUpTo int // 0 is exactUpTo
}

const (
	// exactUpTo is the number of candidates from which on comparing each with each takes
	// more than a few seconds.
	exactUpTo = 12_000
	// nearestCells is how many cells a vector is in. Two vectors of a cosine of 0.9 share
	// one of four in nearly all cases.
	nearestCells = 4
)

// Above implements [Pairs].
func (v Vectors) Above(ctx context.Context, part []Candidate, least float64, limit int) ([]cluster.Pair, float64, error) {
	if len(part) <= cmp.Or(v.ExactUpTo, exactUpTo) {
		vectors := make([][]float32, len(part))
		for i := range part {
			vectors[i] = part[i].Vector
		}
		return cluster.Pairs(ctx, vectors, least, limit)
	}
	c, err := newCells(ctx, part)
	if err != nil {
		return nil, 0, err
	}
	pairs, err := c.pairs(ctx, part, least, limit)
	if err != nil {
		return nil, 0, err
	}
	used := least
	if len(pairs) > limit {
		used = pairs[limit].Similarity
		pairs = pairs[:slices.IndexFunc(pairs, func(p cluster.Pair) bool { return p.Similarity <= used })]
	}
	return pairs, used, nil
}

// cells divide vectors by the nearest of some of them. With the square root of n
// cells, time grows with n to the power of 1.5. Which vectors lead a cell depends on
// their ids alone.
type cells struct {
	units   [][]float32
	members [][]int32 // by cell, ascending
}

func newCells(ctx context.Context, part []Candidate) (*cells, error) {
	c := &cells{units: make([][]float32, len(part))}
	var there []int32
	dim := 0
	for i := range part {
		dim = max(dim, len(part[i].Vector))
	}
	for i := range part {
		if len(part[i].Vector) == 0 {
			continue
		}
		unit, err := vector.Unit(part[i].Vector, dim)
		if err != nil {
			return nil, fmt.Errorf("vector of %s: %w", part[i].ID, err)
		}
		c.units[i], there = unit, append(there, int32(i))
	}
	leaders := leadersOf(part, there)
	c.members = make([][]int32, len(leaders))
	nearest := make([][nearestCells]int32, len(part))
	err := inParallel(ctx, len(there), func(n int) {
		nearest[there[n]] = c.nearest(c.units[there[n]], leaders)
	})
	for _, i := range there {
		for _, cell := range nearest[i] {
			if cell >= 0 {
				c.members[cell] = append(c.members[cell], i)
			}
		}
	}
	return c, err
}

// leadersOf chooses the square root of the candidates by a hash of their ids.
func leadersOf(part []Candidate, there []int32) []int32 {
	type keyed struct {
		key uint64
		at  int32
	}
	keys := make([]keyed, len(there))
	for n, i := range there {
		h := uint64(14695981039346656037) // FNV-1a
		for _, b := range []byte(part[i].ID) {
			h = (h ^ uint64(b)) * 1099511628211
		}
		keys[n] = keyed{h, i}
	}
	slices.SortFunc(keys, func(a, b keyed) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.at, b.at)) })
	n := 1
	for n*n < len(there) {
		n++
	}
	out := make([]int32, 0, n)
	for _, k := range keys[:min(n, len(keys))] {
		out = append(out, k.at)
	}
	return out
}

// nearest returns the cells of a vector, -1 where there are fewer.
func (c *cells) nearest(unit []float32, leaders []int32) [nearestCells]int32 {
	var best [nearestCells]int32
	var score [nearestCells]float32
	for i := range best {
		best[i], score[i] = -1, -2
	}
	for cell, leader := range leaders {
		s := dot.Of(unit, c.units[leader])
		for i := range best {
			if s > score[i] {
				copy(best[i+1:], best[i:])
				copy(score[i+1:], score[i:])
				best[i], score[i] = int32(cell), s
				break
			}
		}
	}
	return best
}

// pairs compares the members of each cell. Once there are more than twice limit, the
// least similar are dropped.
func (c *cells) pairs(ctx context.Context, part []Candidate, least float64, limit int) ([]cluster.Pair, error) {
	var mu sync.Mutex
	var all []cluster.Pair
	floor := least
	err := inParallel(ctx, len(c.members), func(cell int) {
		mu.Lock()
		above := floor
		mu.Unlock()
		found := c.within(part, c.members[cell], above)
		mu.Lock()
		defer mu.Unlock()
		if all = append(all, found...); len(all) > 2*limit+len(part) {
			all = distinct(all)
			if len(all) > limit {
				floor = all[limit].Similarity
				all = slices.DeleteFunc(all, func(p cluster.Pair) bool { return p.Similarity < floor })
				floor -= vector.Margin
			}
		}
	})
	return distinct(all), err
}

func (c *cells) within(part []Candidate, members []int32, least float64) []cluster.Pair {
	var out []cluster.Pair
	for x, i := range members {
		for _, j := range members[x+1:] {
			if dot.Of(c.units[i], c.units[j]) < float32(least-vector.Margin) {
				continue
			}
			if s := vector.Cosine(part[i].Vector, part[j].Vector); s > least {
				out = append(out, cluster.Pair{A: i, B: j, Similarity: s})
			}
		}
	}
	return out
}

// distinct sorts pairs, the most similar first, and drops repeats: two vectors may
// share several cells.
func distinct(pairs []cluster.Pair) []cluster.Pair {
	slices.SortFunc(pairs, comparePairs)
	return slices.Compact(pairs)
}

func comparePairs(a, b cluster.Pair) int {
	return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
}

// inParallel calls do for 0 to n-1 on all processors and returns the context's error.
func inParallel(ctx context.Context, n int, do func(i int)) error {
	var workers sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for from := range next {
				for i := from; i < min(from+batch, n); i++ {
					do(i)
				}
			}
		})
	}
	var err error
	for from := 0; from < n && err == nil; from += batch {
		err = ctx.Err()
		next <- from
	}
	close(next)
	workers.Wait()
	return errors.Join(err, ctx.Err())
}

const batch = 16

// Index asks a vector index for the neighbours of each candidate. It is exact on every
// driver, and one question for each candidate: for a few thousand, or to check
// [Vectors].
type Index struct {
	Searcher vector.Searcher
	// Neighbours is the most that one candidate has, 1 to vector.MaxLimit; the most
	// similar count.
	Neighbours int
}

// Above implements [Pairs]. Candidates that the index does not hold have no pairs.
func (x Index) Above(ctx context.Context, part []Candidate, least float64, limit int) ([]cluster.Pair, float64, error) {
	at := make(map[string]int32, len(part))
	for i := range part {
		at[part[i].ID] = int32(i)
	}
	var pairs []cluster.Pair
	for i := range part {
		m := &part[i]
		if len(m.Vector) == 0 {
			continue
		}
		within := vector.Within(m.Tenant, m.Scope).Kinds(m.Kind).States(vector.Active).Outcomes(m.Outcome)
		if strings.HasPrefix(m.ID, memory.PrefixMemory) {
			within = within.Except(m.ID)
		}
		hits, err := x.Searcher.Near(ctx, within, m.Vector, least, x.Neighbours)
		if err != nil {
			return nil, 0, fmt.Errorf("near %s: %w", m.ID, err)
		}
		for _, h := range hits {
			// Both directions have one cosine, so it is taken once, from the smaller.
			if j, known := at[h.ID]; known && j != int32(i) {
				pairs = append(pairs, cluster.Pair{A: min(int32(i), j), B: max(int32(i), j), Similarity: vector.Cosine(part[min(int32(i), j)].Vector, part[max(int32(i), j)].Vector)})
			}
		}
	}
	pairs = distinct(pairs)
	used := least
	if len(pairs) > limit {
		used = pairs[limit].Similarity
		pairs = pairs[:slices.IndexFunc(pairs, func(p cluster.Pair) bool { return p.Similarity <= used })]
	}
	return pairs, used, nil
}
