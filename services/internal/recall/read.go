package recall

import (
	"cmp"
	"context"
	"slices"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/search"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// maxRedirects bounds the chain of successors that is followed.
const maxRedirects = 8

// looked is a ranking with the rows behind it.
type looked struct {
	pool       search.Pool
	memories   map[string]*kept
	rows       map[string]search.Row
	redirected map[string]bool

	leads  map[string]string // archived rows to their successors
	seen   map[string]bool
	ranked []search.Scored // those with a row
}

// look joins the lists and keeps what is worth a close look. Rows are read best
// first and only as far as one can still enter the pool: of five hundred
// candidates a hundred, which is most of what a search costs.
func (r *Recall) look(ctx context.Context, q Question, depth search.Depth, lists vector.Lists) (looked, error) {
	l := looked{
		memories: make(map[string]*kept, depth.Pool*3/2), rows: make(map[string]search.Row, depth.Pool*3/2),
		seen: make(map[string]bool, depth.Pool*3/2), redirected: redirects(lists), leads: map[string]string{},
	}
	rest := search.Fuse(lists, r.Options)
	byBound := func(a, b search.Scored) int {
		return cmp.Compare(search.Bound(b, r.Options), search.Bound(a, r.Options))
	}
	if !slices.IsSortedFunc(rest, byBound) { // mostly it is: nothing is boosted
		slices.SortStableFunc(rest, byBound)
	}
	for len(rest) > 0 {
		n := min(len(rest), depth.Pool*3/2)
		if err := r.read(ctx, q.Tenant, rest[:n], lists.Current, &l); err != nil {
			return l, failed(err)
		}
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

// read finds the rows behind a part of the ranking: those that are remembered at
// the version that a current index found them at, and the rest in Postgres. One
// that was archived since the index saw it leads on to its successor.
func (r *Recall) read(ctx context.Context, tenant memory.Tenant, part []search.Scored, current bool, l *looked) error {
	names := make([]name, len(part))
	versions := make(map[string]int64, len(part))
	for i, s := range part {
		names[i] = name{tenant, s.ID, s.Hit.Version}
		if current {
			versions[s.ID] = s.Hit.Version // 0 where a redirect led there: of which version nobody knows
		}
	}
	remembered := make([]*kept, len(part))
	if current {
		remembered = r.rows.known(names)
	}
	var wanted []string
	for i, k := range remembered {
		if k != nil {
			l.add(k)
		} else {
			wanted = append(wanted, part[i].ID)
		}
	}
	fresh := map[name]*kept{}
	for range maxRedirects {
		if len(wanted) == 0 {
			break
		}
		list, err := r.Store.Memories(ctx, tenant, store.MemoryQuery{IDs: wanted})
		if err != nil {
			return err
		}
		wanted = nil
		for i := range list {
			m := &list[i]
			if m.State == memory.StateActive {
				k := keep(m)
				l.add(k)
				if version := versions[m.ID]; version > 0 {
					fresh[name{tenant, m.ID, version}] = k
				}
				continue
			}
			l.leads[m.ID] = m.SuccessorID
			if _, known := l.memories[m.SuccessorID]; m.SuccessorID != "" && !known {
				wanted = append(wanted, m.SuccessorID)
			}
		}
	}
	r.rows.remember(fresh)
	l.follow(part)
	return nil
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
		for _, h := range list {
			if h.State == vector.Archived {
				led[h.Successor] = true
			}
		}
	}
	return led
}
