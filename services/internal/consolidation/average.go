package consolidation

import (
	"cmp"
	"container/heap"
	"context"
	"slices"

	"github.com/winnowhq/winnow/services/internal/consolidation/cluster"
)

// averageLink forms groups of notes whose mean similarity is above point: of all pairs
// of groups the most similar two merge first, ties by number. Themes are loose: in most
// of them two notes have nothing in common but the third, and complete link splits
// them. apart says which two notes must not be in one group; it is asked only before a
// merge. The groups do not depend on the order of the pairs.
//
// pairs are those worth merging along; similarity is asked for the others where it is
// needed. It returns all groups, those of one too.
func averageLink(ctx context.Context, n int, pairs []cluster.Pair, point float64, maxMembers int,
	similarity func(a, b int32) float64, apart func(a, b int32) bool,
) ([][]int32, error) {
	l := averages{near: make([]map[int32]float64, n), members: make([][]int32, n), point: point, similarity: similarity}
	for i := range l.members {
		l.members[i] = []int32{int32(i)}
		l.near[i] = map[int32]float64{}
	}
	for _, p := range pairs {
		l.near[p.A][p.B], l.near[p.B][p.A] = p.Similarity, p.Similarity
		l.push(p.A, p.B)
	}
	for steps := 0; len(l.queue) > 0; steps++ {
		if steps%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p := heap.Pop(&l.queue).(cluster.Pair)
		sum, there := l.near[p.A][p.B]
		if !there || l.mean(p.A, p.B, sum) != p.Similarity {
			continue // one of the two has grown since
		}
		if len(l.members[p.A])+len(l.members[p.B]) > maxMembers || l.anyApart(p.A, p.B, apart) {
			delete(l.near[p.A], p.B)
			delete(l.near[p.B], p.A)
			continue
		}
		l.merge(p.A, p.B)
	}
	groups := slices.DeleteFunc(l.members, func(members []int32) bool { return members == nil })
	for _, members := range groups {
		slices.Sort(members)
	}
	return groups, nil
}

// averages is the state of the groups, each under its smallest member.
type averages struct {
	near       []map[int32]float64 // neighbours, and the sum of all similarities between the two
	members    [][]int32           // nil where merged into another
	queue      pairQueue
	point      float64
	similarity func(a, b int32) float64
}

func (l *averages) mean(a, b int32, sum float64) float64 {
	return sum / float64(len(l.members[a])*len(l.members[b]))
}

// push queues two groups whose mean is above the point.
func (l *averages) push(a, b int32) {
	a, b = min(a, b), max(a, b)
	if mean := l.mean(a, b, l.near[a][b]); mean > l.point {
		heap.Push(&l.queue, cluster.Pair{A: a, B: b, Similarity: mean})
	}
}

func (l *averages) anyApart(a, b int32, apart func(a, b int32) bool) bool {
	for _, x := range l.members[a] {
		for _, y := range l.members[b] {
			if apart(x, y) {
				return true
			}
		}
	}
	return false
}

// merge adds b to a, the smaller number.
func (l *averages) merge(a, b int32) {
	delete(l.near[a], b)
	delete(l.near[b], a)
	for c := range l.near[b] {
		if _, shared := l.near[a][c]; !shared {
			l.near[a][c] = l.between(a, c)
		}
	}
	for c, sum := range l.near[a] {
		other, shared := l.near[b][c]
		if !shared {
			other = l.between(b, c)
		}
		delete(l.near[c], b)
		l.near[a][c], l.near[c][a] = sum+other, sum+other
	}
	l.members[a] = append(l.members[a], l.members[b]...)
	l.near[b], l.members[b] = nil, nil
	for c := range l.near[a] {
		l.push(a, c)
	}
}

// between sums the similarities between two groups, in the order of their notes, so
// that the sum is rounded alike every time.
func (l *averages) between(a, b int32) float64 {
	x, y := slices.Sorted(slices.Values(l.members[a])), slices.Sorted(slices.Values(l.members[b]))
	if y[0] < x[0] {
		x, y = y, x
	}
	sum := 0.0
	for _, i := range x {
		for _, j := range y {
			sum += l.similarity(i, j)
		}
	}
	return sum
}

// pairQueue is a heap of pairs, the most similar first.
type pairQueue []cluster.Pair

func (q pairQueue) Len() int { return len(q) }
func (q pairQueue) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(q[j].Similarity, q[i].Similarity), cmp.Compare(q[i].A, q[j].A), cmp.Compare(q[i].B, q[j].B)) < 0
}
func (q pairQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push implements [heap.Interface].
func (q *pairQueue) Push(p any) { *q = append(*q, p.(cluster.Pair)) }

// Pop implements [heap.Interface].
func (q *pairQueue) Pop() any {
	last := len(*q) - 1
	p := (*q)[last]
	*q = (*q)[:last]
	return p
}
