package embedded

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// index is one open generation.
type index struct {
	backend    *Backend
	generation *generation
}

var (
	_ vector.Index           = (*index)(nil)
	_ vector.NeighbourReader = (*index)(nil)
)

// Generation implements [vector.Index].
func (x *index) Generation() vector.Generation { return x.generation.Generation }

// Search implements [vector.Searcher].
func (x *index) Search(ctx context.Context, within vector.Filter, q vector.Query) (vector.Lists, error) {
	q, err := vector.PrepareQuery(x.generation.Generation, within, q)
	if err != nil {
		return vector.Lists{}, err
	}
	space := q.Space
	if space == nil {
		space = new(vector.Lists)
	}
	return x.answer(ctx, &ask{within: within, dense: q.Dense, least: -2, terms: q.Terms, limit: q.Limit, space: space})
}

// Near implements [vector.Searcher].
func (x *index) Near(ctx context.Context, within vector.Filter, v []float32, least float64, limit int) ([]vector.Hit, error) {
	unit, err := vector.PrepareNear(x.generation.Generation, within, v, least, limit)
	if err != nil {
		return nil, err
	}
	lists, err := x.answer(ctx, &ask{within: within, dense: unit, least: max(least, -2), exact: true, limit: limit, space: new(vector.Lists)})
	return lists.Dense, err
}

// answer runs a search on the filter's tenant, once a scan is free.
func (x *index) answer(ctx context.Context, a *ask) (vector.Lists, error) {
	s, err := x.backend.tenant(ctx, x.generation, a.within.Tenant(), false)
	if err != nil {
		return vector.Lists{}, err
	}
	if err := x.backend.answer(ctx, s, a); err != nil {
		return vector.Lists{}, err
	}
	return a.lists, nil
}

// Put implements [vector.Index].
func (x *index) Put(ctx context.Context, docs []vector.Doc) error {
	ready, err := vector.Prepare(x.generation.Generation, docs)
	if err != nil {
		return err
	}
	byTenant := make(map[memory.Tenant][]vector.Doc, 1)
	for _, d := range ready {
		byTenant[d.Tenant] = append(byTenant[d.Tenant], d)
	}
	for tenant, docs := range byTenant {
		s, err := x.backend.tenant(ctx, x.generation, tenant, true)
		if err != nil {
			return err
		}
		if s == nil {
			continue // not in memory: the next load reads these rows
		}
		s.mu.Lock()
		s.put(docs)
		size := s.size()
		s.mu.Unlock()
		x.backend.grown(x.generation, tenant, size)
	}
	return nil
}

// Neighbours implements [vector.NeighbourReader].
func (x *index) Neighbours(ctx context.Context, tenant memory.Tenant, reach int, of []*vector.Original, space []vector.Neighbour) ([]vector.Neighbour, error) {
	if tenant == "" {
		return nil, vector.ErrNoTenant
	}
	s, err := x.backend.tenant(ctx, x.generation, tenant, true)
	if err != nil || s == nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	found := space[:0]
	for i := range of {
		found = s.neighbours(found, of, i, reach)
	}
	return found, nil
}

// Versions implements [vector.Index].
func (x *index) Versions(ctx context.Context, tenant memory.Tenant, after string, limit int) ([]vector.Stamp, error) {
	from, err := vector.PrepareVersions(tenant, after, limit)
	if err != nil {
		return nil, err
	}
	s, err := x.backend.tenant(ctx, x.generation, tenant, false)
	if err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	points := make([]vector.Point, 0, len(s.slots)+len(s.tombstones))
	for p := range s.slots {
		points = append(points, p)
	}
	for p := range s.tombstones {
		points = append(points, p)
	}
	points = slices.DeleteFunc(points, func(p vector.Point) bool {
		return after != "" && bytes.Compare(p[:], from[:]) <= 0
	})
	slices.SortFunc(points, func(a, b vector.Point) int { return bytes.Compare(a[:], b[:]) })
	stamps := make([]vector.Stamp, 0, min(limit, len(points)))
	for _, p := range points[:min(limit, len(points))] {
		if slot, live := s.slots[p]; live {
			stamps = append(stamps, vector.Stamp{ID: s.rows[slot].id, Version: s.rows[slot].version})
		} else {
			stamps = append(stamps, vector.Stamp{ID: s.tombstones[p].id, Version: s.tombstones[p].version, Deleted: true})
		}
	}
	return stamps, nil
}

// Stats implements [vector.Index].
func (x *index) Stats(ctx context.Context, tenant memory.Tenant) (vector.Stats, error) {
	if tenant == "" {
		return vector.Stats{}, vector.ErrNoTenant
	}
	s, err := x.backend.tenant(ctx, x.generation, tenant, false)
	if err != nil {
		return vector.Stats{}, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return vector.Stats{Live: len(s.slots), Tombstones: len(s.tombstones), Newest: s.newest}, nil
}

// Purge implements [vector.Index].
func (x *index) Purge(ctx context.Context, tenant memory.Tenant, before time.Time) error {
	if tenant == "" {
		return vector.ErrNoTenant
	}
	s, err := x.backend.tenant(ctx, x.generation, tenant, true)
	if err != nil || s == nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for p, g := range s.tombstones {
		if g.updated.Before(before) {
			delete(s.tombstones, p)
		}
	}
	return nil
}
