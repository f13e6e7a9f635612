package recall

import (
	"context"
	"slices"
	"sync"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// reach is how far a memory is read beyond itself, in memories of its session.
const reach = 2

// beside is what stands next to a memory in the session that it came from.
type beside struct {
	id       string
	distance int
	passage  string
}

// surround reads what stands beside rows that were read in Postgres, in one query.
//
// Text from outside neither lends nor borrows: it could say its words in a
// session to be found with what stands there.
func (r *Recall) surround(ctx context.Context, t turn, tenant memory.Tenant, rows []*kept) error {
	if r.Beside == nil {
		return nil
	}
	byID := make(map[string]*kept, len(rows))
	var ids []string
	for _, k := range rows {
		if k.ProposalID != "" && search.Trusted(k.row) && byID[k.ID] == nil {
			byID[k.ID] = k
			ids = append(ids, k.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var list []store.Beside
	err := t.aside(func() (err error) {
		list, err = r.Beside.Beside(ctx, tenant, reach, ids...)
		return err
	})
	if err != nil {
		return err
	}
	for i := range list {
		if b := &list[i]; b.Authority > memory.OriginExternal {
			k := byID[b.Of]
			k.beside = append(k.beside, beside{b.ID, b.Distance, embed.Text(b.Memory)})
		}
	}
	return nil
}

// surroundings is surround for rows that the index remembers: what stands beside
// them it knows too.
func (r *Recall) surroundings(ctx context.Context, tenant memory.Tenant, rows []kept, l *looked) error {
	index, ok := l.index.(vector.Surrounder)
	if r.Beside == nil || !ok || len(rows) == 0 {
		return nil
	}
	of := make([]*vector.Original, len(rows))
	for i := range rows {
		of[i] = rows[i].original
	}
	list, err := index.Beside(ctx, tenant, reach, of)
	if err != nil {
		return err
	}
	for _, n := range list {
		k := l.memories[n.Of]
		k.beside = append(k.beside, beside{n.ID, n.Distance, n.Passage})
	}
	return nil
}

// around is what stands beside each memory that was read, both ways round: of two
// that stand beside each other one may not have been read.
func (l *looked) around() map[string][]beside {
	near := make(map[string][]beside, len(l.memories))
	for id, k := range l.memories {
		if len(k.beside) > 0 {
			near[id] = slices.Clip(k.beside)
		}
	}
	for id, k := range l.memories {
		for _, b := range k.beside {
			if !slices.ContainsFunc(near[b.id], func(known beside) bool { return known.id == id }) {
				near[b.id] = append(near[b.id], beside{id, b.distance, k.passage})
			}
		}
	}
	return near
}

// idle are empty sets of earlier searches, which need not grow again.
var idle = sync.Pool{New: func() any { return map[string]bool{} }}

// spread gives candidates a share of what their neighbours score. Those that are
// no candidates themselves do not join: reading them would cost every search a
// question to Postgres, and is worth a fifth of a point of recall.
func (l *looked) spread(ranked []search.Scored, o search.Options) []search.Scored {
	if l.near = l.around(); len(l.near) == 0 {
		return ranked
	}
	candidate := idle.Get().(map[string]bool)
	defer func() {
		clear(candidate)
		idle.Put(candidate)
	}()
	for i := range ranked {
		candidate[ranked[i].ID] = true
	}
	return search.Spread(ranked, func(id string) (next []string) {
		for _, b := range l.near[id] {
			if b.distance == 1 && candidate[b.id] {
				next = append(next, b.id)
			}
		}
		return next
	}, o)
}

// passage is a memory as the matcher reads it.
func (l *looked) passage(id string) search.Passage {
	p := search.Passage{Text: l.memories[id].passage}
	for _, b := range l.near[id] {
		p.Around = append(p.Around, search.Near{Text: b.passage, Distance: b.distance})
	}
	return p
}
