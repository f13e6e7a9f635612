package cluster

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// text stands for an item and its copies.
type text struct {
	item   int
	vector []float32
	copies []int
}

// gather joins items of equal hash and compares the rest. Nearly equal texts become
// copies: in the order of ids a text joins the first one that it is at least Duplicate
// similar to and that is no copy itself. The texts are ordered by id, and the pairs
// index them.
func gather(ctx context.Context, items []Item, c Config) (texts []text, pairs []Pair, used float64, err error) {
	texts = byHash(items, byID(items))
	m, err := matrixOf(texts)
	if err != nil {
		return nil, nil, 0, err
	}
	if pairs, used, err = m.pairs(ctx, c.Threshold, c.MaxPairs); err != nil {
		return nil, nil, 0, err
	}
	if used == c.Threshold {
		// All pairs are known, those of copies among them.
		joined := leadersAmong(len(texts), pairs, c.Duplicate)
		remaining, position := collapse(items, texts, joined)
		return remaining, between(pairs, position), used, nil
	}
	// Ten thousand copies make fifty million pairs. Without the copies the pairs may
	// fit.
	joined, err := m.leaders(ctx, c.Duplicate)
	if err != nil {
		return nil, nil, 0, err
	}
	remaining, _ := collapse(items, texts, joined)
	if m, err = matrixOf(remaining); err != nil {
		return nil, nil, 0, err
	}
	pairs, used, err = m.pairs(ctx, c.Threshold, c.MaxPairs)
	return remaining, pairs, used, err
}

func matrixOf(texts []text) (*matrix, error) {
	vectors := make([][]float32, len(texts))
	for i, t := range texts {
		vectors[i] = t.vector
	}
	return newMatrix(vectors)
}

// collapse makes copies of the texts that join another, and returns the position of
// each text among the remaining ones, -1 for copies.
func collapse(items []Item, texts []text, joined []int) (remaining []text, position []int32) {
	for i, leader := range joined {
		if leader >= 0 {
			texts[leader].copies = append(append(texts[leader].copies, texts[i].item), texts[i].copies...)
		}
	}
	position = make([]int32, len(texts))
	for i, t := range texts {
		if position[i] = -1; joined[i] < 0 {
			slices.SortFunc(t.copies, func(a, b int) int { return compareIDs(items, a, b) })
			position[i] = int32(len(remaining))
			remaining = append(remaining, t)
		}
	}
	return remaining, position
}

// between returns the pairs of remaining texts, in order.
func between(pairs []Pair, position []int32) []Pair {
	remaining := pairs[:0]
	for _, p := range pairs {
		if a, b := position[p.A], position[p.B]; a >= 0 && b >= 0 {
			remaining = append(remaining, Pair{a, b, p.Similarity})
		}
	}
	return remaining
}

// leadersAmong returns what [matrix.leaders] finds, from known pairs.
func leadersAmong(n int, pairs []Pair, duplicate float64) []int {
	earlier := make([][]int, n)
	for _, p := range pairs {
		if p.Similarity < duplicate {
			break // the most similar come first
		}
		earlier[p.B] = append(earlier[p.B], int(p.A))
	}
	joined := make([]int, n)
	for i := range joined {
		joined[i] = -1
		slices.Sort(earlier[i])
		for _, leader := range earlier[i] {
			if joined[leader] < 0 {
				joined[i] = leader
				break
			}
		}
	}
	return joined
}

func compareIDs(items []Item, a, b int) int { return strings.Compare(items[a].ID, items[b].ID) }

// byHash joins items of equal hash. Equal texts have equal embeddings, so the
// first vector there is speaks for all.
func byHash(items []Item, order []int) []text {
	texts := make([]text, 0, len(items))
	at := make(map[string]int)
	for _, i := range order {
		if items[i].Hash != "" {
			if n, known := at[items[i].Hash]; known {
				texts[n].copies = append(texts[n].copies, i)
				if texts[n].vector == nil {
					texts[n].vector = items[i].Vector
				}
				continue
			}
			at[items[i].Hash] = len(texts)
		}
		texts = append(texts, text{item: i, vector: items[i].Vector})
	}
	return texts
}

// leaders returns for each row the earlier row that it is a copy of, -1 for none. A
// copy is never joined. Rows are processed by the tile: all processors compare a tile
// with the leaders before it, then one processor goes through the tile in order.
func (m *matrix) leaders(ctx context.Context, duplicate float64) ([]int, error) {
	joined := make([]int, m.rows())
	var leaders []int
	for from := 0; from < m.rows(); from += tile {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		to := min(from+tile, m.rows())
		before := leaders
		var workers sync.WaitGroup
		share := (to - from + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0)
		for start := from; start < to; start += share {
			workers.Go(func() { m.join(joined, start, min(start+share, to), before, duplicate) })
		}
		workers.Wait()
		for i := from; i < to; i++ {
			if joined[i] < 0 {
				joined[i] = m.first(leaders[len(before):], i, duplicate)
			}
			if joined[i] < 0 {
				leaders = append(leaders, i)
			}
		}
	}
	return joined, nil
}

// join finds the leaders of rows. It reads the leaders by the tile too, so that all
// rows use a tile while it is in the cache.
func (m *matrix) join(joined []int, from, to int, leaders []int, duplicate float64) {
	for i := from; i < to; i++ {
		joined[i] = -1
	}
	for some := range slices.Chunk(leaders, tile) {
		for i := from; i < to; i++ {
			if joined[i] < 0 {
				joined[i] = m.first(some, i, duplicate)
			}
		}
	}
}

// first returns the first candidate at least so similar to row i, else -1.
func (m *matrix) first(candidates []int, i int, least float64) int {
	bound := floor(least)
	for _, c := range candidates {
		if m.reaches(i, c, bound) && m.cosine(c, i) >= least {
			return c
		}
	}
	return -1
}
