package cluster

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// text stands for an item and its copies.
type text struct {
	item   int
	vector []float32
	copies []int
}

// collapse makes one text of each set of copies, so that ten thousand copies of
// one text do not make fifty million pairs. In the order of ids an item joins the
// first text whose hash it has, else the first that it is at least duplicate
// similar to, else it is a text of its own. The texts come by id.
func collapse(ctx context.Context, items []Item, order []int, duplicate float64) ([]text, error) {
	texts := byHash(items, order)
	vectors := make([][]float32, len(texts))
	for i, t := range texts {
		vectors[i] = t.vector
	}
	m, err := newMatrix(vectors)
	if err != nil {
		return nil, err
	}
	joined, err := m.leaders(ctx, duplicate)
	if err != nil {
		return nil, err
	}
	for i, leader := range joined {
		if leader >= 0 {
			texts[leader].copies = append(append(texts[leader].copies, texts[i].item), texts[i].copies...)
		}
	}
	var kept []text
	for i, t := range texts {
		if joined[i] < 0 {
			slices.SortFunc(t.copies, func(a, b int) int { return compareIDs(items, a, b) })
			kept = append(kept, t)
		}
	}
	return kept, nil
}

func compareIDs(items []Item, a, b int) int {
	switch {
	case items[a].ID < items[b].ID:
		return -1
	case items[a].ID > items[b].ID:
		return 1
	}
	return 0
}

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

// leaders says for each row which earlier row it is a copy of, -1 for none. Only
// rows that are no copies themselves are joined. Rows are taken by the tile: all
// processors compare a tile with the leaders before it, then one goes through the
// tile in order.
func (m *matrix) leaders(ctx context.Context, duplicate float64) ([]int, error) {
	joined := make([]int, m.rows())
	var leaders []int
	for from := 0; from < m.rows(); from += tile {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		to := min(from+tile, m.rows())
		before := leaders
		var next atomic.Int64
		var workers sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			workers.Go(func() {
				for i := from + int(next.Add(1)-1); i < to; i = from + int(next.Add(1)-1) {
					joined[i] = m.first(before, i, duplicate)
				}
			})
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

// first is the first candidate that row i is at least so similar to, else -1.
func (m *matrix) first(candidates []int, i int, least float64) int {
	bound := floor(least)
	for _, c := range candidates {
		if m.reaches(i, c, bound) && m.cosine(c, i) >= least {
			return c
		}
	}
	return -1
}
