package cluster

import (
	"container/heap"
	"context"
	"slices"
)

// Link is complete link over known pairs of n texts, by index, the smaller first and in
// any order. It returns all groups, those of one too, each by index and in the order of
// their first. Two texts without a pair are never in one group, so whoever leaves a pair
// out keeps its texts apart. The error is that of the context.
func Link(ctx context.Context, n int, pairs []Pair, maxMembers int) ([][]int32, error) {
	return completeLink(ctx, n, pairs, maxMembers)
}

// completeLink merges texts along the pairs and returns all groups, those of one
// too, each by index and in the order of their first.
//
// A group is named by its smallest member. The neighbours of a merged group are those
// that both parts had, at the distance of the farther part, so two groups are
// neighbours only while all their members are similar. A pair whose groups would be too
// large together is dropped: groups only grow.
func completeLink(ctx context.Context, n int, pairs []Pair, maxMembers int) ([][]int32, error) {
	l := linkage{near: make([]map[int32]float64, n), members: make([][]int32, n)}
	for i := range l.members {
		l.members[i] = []int32{int32(i)}
	}
	for _, p := range pairs {
		l.connect(p.A, p.B, p.Similarity)
		l.connect(p.B, p.A, p.Similarity)
	}
	l.queue = slices.Clone(pairs)
	heap.Init(&l.queue)
	for steps := 0; len(l.queue) > 0; steps++ {
		if steps%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p := heap.Pop(&l.queue).(Pair)
		if s, near := l.near[p.A][p.B]; !near || s != p.Similarity {
			continue // one of the two has been merged since
		}
		if len(l.members[p.A])+len(l.members[p.B]) > maxMembers {
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

// linkage is the state of the groups, each under its smallest member.
type linkage struct {
	near    []map[int32]float64 // neighbours and their similarity, both ways
	members [][]int32           // nil where merged into another
	queue   queue               // merges to try; outdated ones stay in
}

func (l *linkage) connect(a, b int32, similarity float64) {
	if l.near[a] == nil {
		l.near[a] = make(map[int32]float64)
	}
	l.near[a][b] = similarity
}

// merge adds b to a, the smaller id.
func (l *linkage) merge(a, b int32) {
	delete(l.near[a], b)
	delete(l.near[b], a)
	for c, toA := range l.near[a] {
		toB, shared := l.near[b][c]
		switch {
		case !shared:
			delete(l.near[a], c)
			delete(l.near[c], a)
		case toB < toA:
			l.near[a][c], l.near[c][a] = toB, toB
			heap.Push(&l.queue, Pair{min(a, c), max(a, c), toB})
		}
	}
	for c := range l.near[b] {
		delete(l.near[c], b)
	}
	l.members[a] = append(l.members[a], l.members[b]...)
	l.near[b], l.members[b] = nil, nil
}

// queue is a heap of pairs, the best first.
type queue []Pair

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return comparePairs(q[i], q[j]) < 0 }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// Push implements [heap.Interface].
func (q *queue) Push(p any) { *q = append(*q, p.(Pair)) }

// Pop implements [heap.Interface].
func (q *queue) Pop() any {
	last := len(*q) - 1
	p := (*q)[last]
	*q = (*q)[:last]
	return p
}
