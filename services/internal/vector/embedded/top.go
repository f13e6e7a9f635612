package embedded

import "slices"

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

func newTop(limit int, rows []row) *top {
	return &top{limit: limit, rows: rows, heap: make([]candidate, 0, min(limit, len(rows)))}
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

// sorted returns the candidates, best first. The heap must not be used afterwards.
func (t *top) sorted() []candidate {
	slices.SortFunc(t.heap, func(a, b candidate) int {
		if t.before(a, b) {
			return -1
		}
		return 1
	})
	return t.heap
}
