package recall

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// maxRedirects bounds the chain of successors that a search follows.
const maxRedirects = 8

// looked is a ranking with the rows behind it.
type looked struct {
	slot       slot // of the search, released while Postgres is read
	index      vector.Index
	current    bool // as in [vector.Lists]
	pool       search.Pool
	space      *space
	memories   map[string]*candidate
	redirected map[string]bool
	near       map[string][]neighbour // neighbours by memory; empty without any and with inRows
	beside     bool                   // there are neighbours
	inRows     bool                   // all candidates have a row: neighbours are found by it

	leads  map[string]string // archived rows to their successors
	seen   map[string]bool
	ranked []search.Scored // those with a row
}

// look joins the lists and returns the pool of candidates that are worth matching. Rows
// are read best first, and only while the next one could still enter the pool: about a
// hundred of five hundred candidates. Reading rows is most of what a search costs.
func (r *Recall) look(ctx context.Context, held slot, q Question, depth search.Depth, found asked, space *space) (l looked, err error) {
	l = looked{
		slot: held, index: found.index, current: found.lists.Current, space: space,
		memories: space.memories, seen: space.seen, redirected: redirects(found.lists), leads: map[string]string{},
		ranked: space.ranked,
	}
	defer func() { space.ranked = l.ranked }()
	rest := search.FuseIn(space.fused, found.lists, r.Options)
	space.fused = rest
	// A current index gives all rows, so none is found archived on the way.
	l.inRows = r.Neighbours != nil && l.current && q.Filter.Topic == "" && allInRows(rest)
	r.byBound(rest)
	if some := min(len(rest), depth.Pool*3/2); r.Neighbours != nil {
		if err := r.read(ctx, q.Tenant, rest[:some], &l); err != nil {
			return l, failed(err)
		}
		if rest = l.spread(rest, r.Options); l.beside {
			r.byBound(rest)
		}
	}
	for len(rest) > 0 {
		n := min(len(rest), depth.Pool*3/2)
		if err := r.read(ctx, q.Tenant, rest[:n], &l); err != nil {
			return l, failed(err)
		}
		l.follow(rest[:n])
		rest = rest[n:]
		l.pool = search.GatherIn(space.pool, l.ranked, l.row, q.Filter, r.Options, depth.Pool)
		space.pool = l.pool.Scored
		if len(rest) > 0 && len(l.pool.Scored) == depth.Pool {
			worst := l.pool.Scored[depth.Pool-1]
			if worst.Fused*worst.Boost >= search.Bound(&rest[0], &r.Options) {
				l.pool.Capped += len(rest)
				break
			}
		}
	}
	return l, nil
}

func allInRows(list []search.Scored) bool {
	for i := range list {
		if list[i].Hit == nil || list[i].Hit.Row <= 0 {
			return false
		}
	}
	return true
}

// byBound sorts candidates by the highest score that each can reach.
func (r *Recall) byBound(list []search.Scored) {
	type bounded struct {
		search.Scored
		most float64
	}
	least, ordered := math.Inf(1), true
	for i := range list {
		most := search.Bound(&list[i], &r.Options)
		ordered = ordered && most <= least
		least = most
	}
	if ordered { // mostly it is: nothing is boosted
		return
	}
	all := make([]bounded, len(list))
	for i := range list {
		all[i] = bounded{list[i], search.Bound(&list[i], &r.Options)}
	}
	slices.SortStableFunc(all, func(a, b bounded) int { return cmp.Compare(b.most, a.most) })
	for i := range all {
		list[i] = all[i].Scored
	}
}

// read finds the rows behind a part of the ranking that are not known yet: from a
// current index, and the rest in Postgres. A memory that was archived since the index
// stored it leads to its successor.
func (r *Recall) read(ctx context.Context, tenant memory.Tenant, part []search.Scored, l *looked) error {
	part, err := r.remember(ctx, tenant, part, l)
	if err != nil {
		return err
	}
	var wanted []string
	for _, s := range part {
		if _, archived := l.leads[s.ID]; !archived && l.memories[s.ID] == nil {
			wanted = append(wanted, s.ID)
		}
	}
	var rows []*candidate
	for range maxRedirects {
		if len(wanted) == 0 {
			break
		}
		var list []memory.Memory
		err := l.slot.yield(func() (err error) {
			list, err = r.Store.Memories(ctx, tenant, store.MemoryQuery{IDs: wanted})
			return err
		})
		if err != nil {
			return err
		}
		wanted = nil
		for i := range list {
			m := &list[i]
			if m.State == memory.StateActive {
				k := fromStore(m)
				rows = append(rows, k)
				l.add(k)
				continue
			}
			l.leads[m.ID] = m.SuccessorID
			if _, known := l.memories[m.SuccessorID]; m.SuccessorID != "" && !known {
				wanted = append(wanted, m.SuccessorID)
			}
		}
	}
	return r.readNeighbours(ctx, l.slot, tenant, rows)
}

// remember adds the rows that the index stores, and returns the candidates that must be
// read in Postgres. An index that is not current gives none, because its rows may be
// outdated.
func (r *Recall) remember(ctx context.Context, tenant memory.Tenant, part []search.Scored, l *looked) ([]search.Scored, error) {
	if !l.current {
		return part, nil
	}
	fresh := l.space.candidates(len(part))
	rest := part[:0:0]
	for _, s := range part {
		switch {
		case l.memories[s.ID] != nil:
		case s.Hit == nil || s.Hit.Original == nil:
			rest = append(rest, s)
		default:
			fresh = append(fresh, fromIndex(s.Hit))
			l.add(&fresh[len(fresh)-1])
		}
	}
	return rest, r.indexNeighbours(ctx, tenant, fresh, l)
}

func (l *looked) add(k *candidate) {
	l.memories[k.ID] = k
	l.space.read = append(l.space.read, k)
}

// row returns the row of a memory that was read, nil for another one.
func (l *looked) row(id string) *search.Row {
	if k := l.memories[id]; k != nil {
		return &k.row
	}
	return nil
}

// follow replaces archived memories by their successors, each memory once.
func (l *looked) follow(part []search.Scored) {
	l.ranked = slices.Grow(l.ranked, len(part))
	for _, s := range part {
		for range maxRedirects {
			next, archived := l.leads[s.ID]
			if !archived {
				break
			}
			s.ID = next
		}
		if _, ok := l.memories[s.ID]; ok && !l.seen[s.ID] {
			l.seen[s.ID] = true
			l.ranked = append(l.ranked, s)
		}
	}
}

// redirects returns the memories that an archived hit leads to, nil for none.
func redirects(lists vector.Lists) map[string]bool {
	var led map[string]bool
	for _, list := range [][]vector.Hit{lists.Dense, lists.Lexical} {
		for i := range list {
			if list[i].State == vector.Archived {
				if led == nil {
					led = map[string]bool{}
				}
				led[list[i].LeadsTo()] = true
			}
		}
	}
	return led
}
