package recall

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// reach is how many memories of the same session are read before and after a memory.
const reach = 2

// neighbour is a memory that stands next to another in the session that both came from.
type neighbour struct {
	id       string
	distance int
	passage  string
	memo     *atomic.Value // of the passage, nil for none
	row      int32         // as in [vector.Hit]
}

// readNeighbours reads the neighbours of rows that were read in Postgres, in one query.
//
// Text from outside neither lends nor borrows score: an attacker could write its words
// into a session to be found with the memories there.
func (r *Recall) readNeighbours(ctx context.Context, held slot, tenant memory.Tenant, rows []*candidate) error {
	if r.Neighbours == nil {
		return nil
	}
	byID := make(map[string]*candidate, len(rows))
	var ids []string
	for _, k := range rows {
		if k.ProposalID != "" && search.Trusted(&k.row) && byID[k.ID] == nil {
			byID[k.ID] = k
			ids = append(ids, k.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var list []store.Neighbour
	err := held.yield(func() (err error) {
		list, err = r.Neighbours.Neighbours(ctx, tenant, reach, ids...)
		return err
	})
	if err != nil {
		return err
	}
	for i := range list {
		if b := &list[i]; b.Authority > memory.OriginExternal {
			k := byID[b.Of]
			k.neighbours = append(k.neighbours, neighbour{b.ID, b.Distance, embed.Text(b.Memory), nil, 0})
		}
	}
	return nil
}

// indexNeighbours is readNeighbours for rows that came from the index, which also knows their
// neighbours.
func (r *Recall) indexNeighbours(ctx context.Context, tenant memory.Tenant, rows []candidate, l *looked) error {
	index, ok := l.index.(vector.NeighbourReader)
	if r.Neighbours == nil || !ok || len(rows) == 0 {
		return nil
	}
	of := l.space.of[:0]
	for i := range rows {
		of = append(of, rows[i].original)
	}
	list, err := index.Neighbours(ctx, tenant, reach, of, l.space.found)
	l.space.of, l.space.found = of, list
	if err != nil {
		return err
	}
	// Those of one memory follow each other.
	known := len(l.space.nearby)
	l.space.nearby = slices.Grow(l.space.nearby, len(list))[:known+len(list)]
	near := l.space.nearby[known:]
	for from := 0; from < len(list); {
		to := from
		for ; to < len(list) && list[to].Of == list[from].Of; to++ {
			near[to] = neighbour{list[to].ID, list[to].Distance, list[to].Passage, list[to].Memo, list[to].Row}
		}
		rows[list[from].Of].neighbours = near[from:to:to]
		from = to
	}
	return nil
}

// around returns the neighbours of each memory that was read, in both directions: of
// two neighbours only one may have been read.
func (l *looked) around() map[string][]neighbour {
	near := l.space.near
	for id, k := range l.memories {
		if len(k.neighbours) > 0 {
			near[id] = slices.Clip(k.neighbours)
		}
	}
	for id, k := range l.memories {
		for _, b := range k.neighbours {
			if !knows(near[b.id], id) {
				near[b.id] = append(near[b.id], k.beside(b.distance))
			}
		}
	}
	return near
}

// beside returns the candidate as a neighbour of another one.
func (k *candidate) beside(distance int) neighbour {
	return neighbour{k.ID, distance, k.passage, k.memo(), k.indexRow}
}

func knows(list []neighbour, id string) bool {
	return slices.ContainsFunc(list, func(n neighbour) bool { return n.id == id })
}

// spread gives candidates a share of the scores of their neighbours. A neighbour that
// is no candidate itself does not join: reading it would cost every search a query to
// Postgres, and is worth a fifth of a point of recall.
func (l *looked) spread(ranked []search.Scored, o search.Options) []search.Scored {
	if l.inRows {
		return l.spreadByRow(ranked, o)
	}
	l.near = l.around()
	if l.beside = len(l.near) > 0; !l.beside {
		return ranked
	}
	among := l.space.among
	for i := range ranked {
		among[ranked[i].ID] = true
	}
	return search.Spread(ranked, func(id string) (next []string) {
		for _, b := range l.near[id] {
			if b.distance == 1 && among[b.id] {
				next = append(next, b.id)
			}
		}
		return next
	}, o)
}

// rowSpace finds the candidates of a ranking by their rows in the index.
type rowSpace struct {
	places search.Places
	ids    []string      // by place
	near   [][]neighbour // by place
	next   []int32
	pool   []int32 // place in the pool plus one, by place
}

func (s *rowSpace) clear() {
	s.places.Clear()
	clear(s.ids)
	clear(s.near)
	s.ids, s.near = s.ids[:0], s.near[:0]
}

// find returns the place of a neighbour, or -1 where it is no candidate.
func (s *rowSpace) find(b *neighbour) int {
	if n := s.places.At(b.row); n >= 0 && s.ids[n] == b.id {
		return n
	}
	return -1
}

// spreadByRow is spread where all candidates have a row and those that were read came from
// the index: most of the time, at a quarter of the cost.
func (l *looked) spreadByRow(ranked []search.Scored, o search.Options) []search.Scored {
	s := &l.space.rows
	s.clear()
	for i := range ranked {
		s.places.Add(ranked[i].Hit.Row)
		s.ids = append(s.ids, ranked[i].ID)
	}
	s.near = slices.Grow(s.near, len(ranked))[:len(ranked)]
	for _, k := range l.space.read {
		if len(k.neighbours) > 0 {
			s.near[s.places.At(k.indexRow)], l.beside = slices.Clip(k.neighbours), true
		}
	}
	if !l.beside {
		return ranked
	}
	for _, k := range l.space.read {
		for i := range k.neighbours {
			if n := s.find(&k.neighbours[i]); n >= 0 && !knows(s.near[n], k.ID) {
				s.near[n] = append(s.near[n], k.beside(k.neighbours[i].distance))
			}
		}
	}
	return search.SpreadAmong(ranked, func(n int) []int32 {
		s.next = s.next[:0]
		for i := range s.near[n] {
			if b := &s.near[n][i]; b.distance == 1 {
				if at := s.find(b); at >= 0 {
					s.next = append(s.next, int32(at))
				}
			}
		}
		return s.next
	}, o)
}

// neighbours returns those of a candidate.
func (l *looked) neighbours(s *search.Scored) []neighbour {
	if !l.inRows {
		return l.near[s.ID]
	}
	if n := l.space.rows.places.At(s.Hit.Row); n >= 0 {
		return l.space.rows.near[n]
	}
	return nil
}

// places returns a function that tells the place of a neighbour in the pool, from 1, 0 for
// none.
func (l *looked) places() func(*neighbour) int {
	if !l.inRows {
		at := l.space.at
		for i := range l.pool.Scored {
			at[l.pool.Scored[i].ID] = i + 1
		}
		return func(b *neighbour) int { return at[b.id] }
	}
	s := &l.space.rows
	s.pool = slices.Grow(s.pool[:0], s.places.Len())[:s.places.Len()]
	clear(s.pool)
	for i := range l.pool.Scored {
		s.pool[s.places.At(l.pool.Scored[i].Hit.Row)] = int32(i) + 1
	}
	return func(b *neighbour) int {
		if n := s.find(b); n >= 0 {
			return int(s.pool[n])
		}
		return 0
	}
}

// passages returns the pool as the matcher reads it, with the texts of neighbours, in memory
// that is valid as long as the search.
func (l *looked) passages() []search.Passage {
	at := l.places()
	out := slices.Grow(l.space.passages[:0], len(l.pool.Scored))[:len(l.pool.Scored)]
	beside := 0
	for i := range out {
		beside += len(l.neighbours(&l.pool.Scored[i]))
	}
	all := slices.Grow(l.space.beside[:0], beside) // one piece of memory for all
	for i := range out {
		s, from := &l.pool.Scored[i], len(all)
		k := l.memories[s.ID]
		near := l.neighbours(s)
		for n := range near {
			b := &near[n]
			all = append(all, search.Near{Text: b.passage, Distance: b.distance, At: at(b), Memo: b.memo})
		}
		out[i] = search.Passage{Text: k.passage, Title: k.Title, Fused: s.Fused, Around: all[from:len(all):len(all)], Memo: k.memo()}
	}
	l.space.passages, l.space.beside = out, all
	return out
}
