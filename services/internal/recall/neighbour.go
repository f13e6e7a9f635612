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
			k.neighbours = append(k.neighbours, neighbour{b.ID, b.Distance, embed.Text(b.Memory), nil})
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
			near[to] = neighbour{list[to].ID, list[to].Distance, list[to].Passage, list[to].Memo}
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
			if !slices.ContainsFunc(near[b.id], func(known neighbour) bool { return known.id == id }) {
				near[b.id] = append(near[b.id], neighbour{id, b.distance, k.passage, k.memo()})
			}
		}
	}
	return near
}

// spread gives candidates a share of the scores of their neighbours. A neighbour that
// is no candidate itself does not join: reading it would cost every search a query to
// Postgres, and is worth a fifth of a point of recall.
func (l *looked) spread(ranked []search.Scored, o search.Options) []search.Scored {
	if l.near = l.around(); len(l.near) == 0 {
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

// passages returns the pool as the matcher reads it, with the texts of neighbours, in memory
// that is valid as long as the search.
func (l *looked) passages() []search.Passage {
	at := l.space.at
	for i := range l.pool.Scored {
		at[l.pool.Scored[i].ID] = i + 1
	}
	out := slices.Grow(l.space.passages[:0], len(l.pool.Scored))[:len(l.pool.Scored)]
	beside := 0
	for i := range out {
		beside += len(l.near[l.pool.Scored[i].ID])
	}
	all := slices.Grow(l.space.beside[:0], beside) // one piece of memory for all
	for i := range out {
		s, from := &l.pool.Scored[i], len(all)
		k := l.memories[s.ID]
		for _, b := range l.near[s.ID] {
			all = append(all, search.Near{Text: b.passage, Distance: b.distance, At: at[b.id], Memo: b.memo})
		}
		out[i] = search.Passage{Text: k.passage, Title: k.Title, Fused: s.Fused, Around: all[from:len(all):len(all)], Memo: k.memo()}
	}
	l.space.passages, l.space.beside = out, all
	return out
}
