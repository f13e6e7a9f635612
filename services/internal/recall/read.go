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

// maxRedirects bounds the chain of successors that is followed.
const maxRedirects = 8

// looked is a ranking with the rows behind it.
type looked struct {
	turn       turn // of the search, given away while Postgres is read
	index      vector.Index
	current    bool // as of [vector.Lists]
	pool       search.Pool
	memories   map[string]*kept
	rows       map[string]search.Row
	redirected map[string]bool
	near       map[string][]beside // what stands beside them, if anything

	leads  map[string]string // archived rows to their successors
	seen   map[string]bool
	ranked []search.Scored // those with a row
}

// look joins the lists and keeps what is worth a close look. Rows are read best
// first and only as far as one can still enter the pool: of five hundred
// candidates a hundred, which is most of what a search costs.
func (r *Recall) look(ctx context.Context, t turn, q Question, depth search.Depth, found asked) (looked, error) {
	l := looked{
		turn: t, index: found.index, current: found.lists.Current,
		memories: make(map[string]*kept, depth.Pool*3/2), rows: make(map[string]search.Row, depth.Pool*3/2),
		seen: make(map[string]bool, depth.Pool*3/2), redirected: redirects(found.lists), leads: map[string]string{},
	}
	rest := search.Fuse(found.lists, r.Options)
	r.byBound(rest)
	if some := min(len(rest), depth.Pool*3/2); r.Beside != nil {
		if err := r.read(ctx, q.Tenant, rest[:some], &l); err != nil {
			return l, failed(err)
		}
		rest = l.spread(rest, r.Options)
		r.byBound(rest)
	}
	for len(rest) > 0 {
		n := min(len(rest), depth.Pool*3/2)
		if err := r.read(ctx, q.Tenant, rest[:n], &l); err != nil {
			return l, failed(err)
		}
		l.follow(rest[:n])
		rest = rest[n:]
		l.pool = search.Gather(l.ranked, l.rows, q.Filter, r.Options, depth.Pool)
		if len(rest) > 0 && len(l.pool.Scored) == depth.Pool {
			worst := l.pool.Scored[depth.Pool-1]
			if worst.Fused*worst.Boost >= search.Bound(rest[0], r.Options) {
				l.pool.Capped += len(rest)
				break
			}
		}
	}
	return l, nil
}

// byBound puts candidates in the order of what they can become.
func (r *Recall) byBound(list []search.Scored) {
	least, ordered := math.Inf(1), true
	for i := range list {
		most := search.Bound(list[i], r.Options)
		ordered = ordered && most <= least
		least = most
	}
	if !ordered { // mostly it is: nothing is boosted
		slices.SortStableFunc(list, func(a, b search.Scored) int {
			return cmp.Compare(search.Bound(b, r.Options), search.Bound(a, r.Options))
		})
	}
}

// read finds the rows behind a part of the ranking that are not known yet: those
// that a current index remembers, and the rest in Postgres. One that was archived
// since the index saw it leads on to its successor.
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
	var rows []*kept
	for range maxRedirects {
		if len(wanted) == 0 {
			break
		}
		var list []memory.Memory
		err := l.turn.aside(func() (err error) {
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
				k := keep(m)
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
	return r.surround(ctx, l.turn, tenant, rows)
}

// remember takes what the index has of a part of the ranking, and returns what
// must be read elsewhere. What an index that is not current remembers may be
// history.
func (r *Recall) remember(ctx context.Context, tenant memory.Tenant, part []search.Scored, l *looked) ([]search.Scored, error) {
	if !l.current {
		return part, nil
	}
	fresh := make([]kept, 0, len(part))
	rest := part[:0:0]
	for _, s := range part {
		switch {
		case l.memories[s.ID] != nil:
		case s.Hit == nil || s.Hit.Original == nil:
			rest = append(rest, s)
		default:
			fresh = append(fresh, remembered(s.Hit.Original))
			l.add(&fresh[len(fresh)-1])
		}
	}
	return rest, r.surroundings(ctx, tenant, fresh, l)
}

func (l *looked) add(k *kept) { l.memories[k.ID], l.rows[k.ID] = k, k.row }

// follow replaces what was archived by what it leads to, each memory once.
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

// redirects are the memories that an archived one led to.
func redirects(lists vector.Lists) map[string]bool {
	led := map[string]bool{}
	for _, list := range [][]vector.Hit{lists.Dense, lists.Lexical} {
		for i := range list {
			if list[i].State == vector.Archived {
				led[list[i].LeadsTo()] = true
			}
		}
	}
	return led
}
