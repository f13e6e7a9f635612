package embedded

import (
	"math"
	"math/bits"
	"slices"
)

// candidate is a row that may be among the best.
type candidate struct {
	row   int32
	score float64
}

// top holds the best candidates seen, as a heap with the worst at its root.
type top struct {
	limit int
	rows  []row // for the ids that break ties
	heap  []candidate
}

// topIn returns an empty top in the given memory.
func topIn(space []candidate, limit int, rows []row) top {
	return top{limit: limit, rows: rows, heap: slices.Grow(space[:0], min(limit, len(rows)))}
}

// before reports whether a ranks before b: by score, ties by id.
func (t *top) before(a, b candidate) bool {
	if a.score != b.score {
		return a.score > b.score
	}
	return t.rows[a.row].id < t.rows[b.row].id
}

// full reports that scores below floor cannot enter any more.
func (t *top) full() bool { return len(t.heap) == t.limit }

// floor returns the score of the worst candidate in the heap; only valid when full.
func (t *top) floor() float64 { return t.heap[0].score }

// offer adds c when it is among the best.
func (t *top) offer(c candidate) {
	if !t.full() {
		t.heap = append(t.heap, c)
		t.up(len(t.heap) - 1)
	} else if t.before(c, t.heap[0]) {
		t.heap[0] = c
		t.down(0)
	}
}

func (t *top) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !t.before(t.heap[parent], t.heap[i]) {
			return
		}
		t.heap[i], t.heap[parent] = t.heap[parent], t.heap[i]
		i = parent
	}
}

func (t *top) down(i int) {
	for {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(t.heap); child++ {
			if t.before(t.heap[worst], t.heap[child]) {
				worst = child
			}
		}
		if worst == i {
			return
		}
		t.heap[i], t.heap[worst] = t.heap[worst], t.heap[i]
		i = worst
	}
}

// sorted returns the candidates, best first, in the memory of the heap, which must not be
// used afterwards. space is memory for it that the next sort may use.
//
// Numbers are sorted in a third of the time of candidates: the upper bits of a score, with
// the place of the candidate below. Those that agree in the upper bits are compared.
func (t *top) sorted(space *[]uint64) []candidate {
	n := len(t.heap)
	places := bits.Len(uint(n))
	place := uint64(1)<<places - 1
	keys := slices.Grow((*space)[:0], n)[:n]
	*space = keys
	for i := range t.heap {
		keys[i] = ^ascending(t.heap[i].score)&^place | uint64(i)
	}
	slices.Sort(keys)
	t.arrange(keys, place)
	for from := 0; from < n; {
		to := from + 1
		for to < n && keys[to]&^place == keys[from]&^place {
			to++
		}
		if to-from > 1 {
			slices.SortFunc(t.heap[from:to], func(a, b candidate) int {
				if t.before(a, b) {
					return -1
				}
				return 1
			})
		}
		from = to
	}
	return t.heap
}

// arrange moves each candidate to where its key stands, along each cycle of the permutation,
// with one candidate held out.
func (t *top) arrange(keys []uint64, place uint64) {
	for i := range keys {
		hand, at := t.heap[i], i
		for from := int(keys[at] & place); from != i; from = int(keys[at] & place) {
			t.heap[at] = t.heap[from]
			keys[at] = keys[at]&^place | uint64(at)
			at = from
		}
		t.heap[at] = hand
		keys[at] = keys[at]&^place | uint64(at)
	}
}

// ascending returns a number that is in the order of scores. Both zeros are one.
func ascending(score float64) uint64 {
	b := math.Float64bits(score + 0)
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}
