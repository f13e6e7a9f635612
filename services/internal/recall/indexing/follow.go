package indexing

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// lackingInterval is the least time between two checks for vectors that another process
// is making.
const lackingInterval = time.Second

// Follower is an index in this process that answers as Postgres was when the question
// came, or at most [Slack] before in a busy process. Before a search it compares the
// versions of the scopes, by one short query that concurrent searches share, and reads
// the rows that changed. So it needs no change events, and a lost event cannot make it
// stale.
//
// It is safe for concurrent use.
type Follower struct {
	vector.Backend
	truth *Truth
	looks looks
	fresh freshness

	mu   sync.Mutex
	seen map[tenantKey]*tenantState
}

var _ vector.Backend = (*Follower)(nil)

// tenantKey names a tenant in a generation.
type tenantKey struct {
	generation int
	tenant     memory.Tenant
}

// tenantState is what an index holds of a tenant.
type tenantState struct {
	lock chan struct{} // a lock of the fields below
	// versions are at least those of the index; nil before the first check.
	versions map[memory.Scope]int64
	looked   time.Time // last check for lacking vectors

	mu      sync.Mutex
	lacking map[string]bool // documents whose vector may still be made
}

// NewFollower returns a follower of rows. Its Source is the [vector.Source] of the
// index that Wrap gets.
func NewFollower(t *Truth, rows store.Reader) *Follower {
	return &Follower{truth: t, looks: looks{rows: rows}, seen: map[tenantKey]*tenantState{}}
}

// Wrap sets the index that is kept up to date, and returns the follower.
func (f *Follower) Wrap(b vector.Backend) *Follower {
	f.Backend = b
	return f
}

// Within lets answers be as old as slack, 0 for none, and returns the follower. It must
// be called before the first search.
func (f *Follower) Within(slack time.Duration) *Follower {
	f.fresh.slack = slack
	return f
}

// Source implements [vector.Source] for the wrapped index.
func (f *Follower) Source(ctx context.Context, g vector.Generation, tenant memory.Tenant, after string) ([]vector.Doc, error) {
	docs, err := f.truth.Stored(ctx, g, tenant, after)
	f.of(g, tenant).note(docs, g, f.truth.Local)
	return docs, err
}

// Open implements [vector.Backend].
func (f *Follower) Open(ctx context.Context, g vector.Generation) (vector.Index, error) {
	x, err := f.Backend.Open(ctx, g)
	if err != nil {
		return nil, err
	}
	return &followed{x, f}, nil
}

// Serving implements [vector.Backend].
func (f *Follower) Serving(ctx context.Context) (vector.Index, error) {
	x, err := f.Backend.Serving(ctx)
	if err != nil {
		return nil, err
	}
	return &followed{x, f}, nil
}

func (f *Follower) of(g vector.Generation, tenant memory.Tenant) *tenantState {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := tenantKey{g.N, tenant}
	s := f.seen[p]
	if s == nil {
		s = &tenantState{lock: make(chan struct{}, 1), lacking: map[string]bool{}}
		f.seen[p] = s
	}
	return s
}

// note records which documents lack a vector that another process may make.
func (s *tenantState) note(docs []vector.Doc, g vector.Generation, local bool) {
	if g.Dim == 0 || local {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range docs {
		if docs[i].Dense == nil {
			s.lacking[docs[i].ID] = true
		} else {
			delete(s.lacking, docs[i].ID)
		}
	}
}

// waiting returns up to a page of the documents that lack a vector.
func (s *tenantState) waiting() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := make([]string, 0, min(page, len(s.lacking)))
	for id := range s.lacking { // in random order, so that each is checked at some time
		if len(ids) == page {
			break
		}
		ids = append(ids, id)
	}
	return ids
}

// followed is one generation of the index of a Follower.
type followed struct {
	vector.Index
	follower *Follower
}

var (
	_ vector.Readier         = (*followed)(nil)
	_ vector.NeighbourReader = (*followed)(nil)
)

// Search implements [vector.Searcher].
func (x *followed) Search(ctx context.Context, within vector.Filter, q vector.Query) (vector.Lists, error) {
	if err := x.keepUp(ctx, within.Tenant(), within.Scopes()); err != nil {
		return vector.Lists{}, err
	}
	lists, err := x.Index.Search(ctx, within, q)
	lists.Current = err == nil
	return lists, err
}

// Ready implements [vector.Readier].
func (x *followed) Ready(ctx context.Context, within vector.Filter) error {
	return x.keepUp(ctx, within.Tenant(), within.Scopes())
}

// Neighbours implements [vector.NeighbourReader], by what the last search saw. An index without
// originals has no neighbours.
func (x *followed) Neighbours(ctx context.Context, tenant memory.Tenant, reach int, of []*vector.Original, space []vector.Neighbour) ([]vector.Neighbour, error) {
	if inner, ok := x.Index.(vector.NeighbourReader); ok {
		return inner.Neighbours(ctx, tenant, reach, of, space)
	}
	return nil, nil
}

// Near implements [vector.Searcher].
func (x *followed) Near(ctx context.Context, within vector.Filter, v []float32, least float64, limit int) ([]vector.Hit, error) {
	if err := x.catchUp(ctx, within.Tenant(), within.Scopes()); err != nil {
		return nil, err
	}
	return x.Index.Near(ctx, within, v, least, limit)
}

// Versions implements [vector.Index].
func (x *followed) Versions(ctx context.Context, tenant memory.Tenant, after string, limit int) ([]vector.Stamp, error) {
	if err := x.catchUp(ctx, tenant, nil); err != nil {
		return nil, err
	}
	return x.Index.Versions(ctx, tenant, after, limit)
}

// Stats implements [vector.Index].
func (x *followed) Stats(ctx context.Context, tenant memory.Tenant) (vector.Stats, error) {
	if err := x.catchUp(ctx, tenant, nil); err != nil {
		return vector.Stats{}, err
	}
	return x.Index.Stats(ctx, tenant)
}

// keepUp catches up with the scopes, unless the last check is recent enough.
func (x *followed) keepUp(ctx context.Context, tenant memory.Tenant, scopes []memory.Scope) error {
	f := &x.follower.fresh
	key := freshKey{tenantKey{x.Generation().N, tenant}, keyOf(tenant, scopes)}
	look := func(ctx context.Context, scopes []memory.Scope, of map[freshKey][]memory.Scope) error {
		began := time.Now()
		err := x.catchUp(ctx, tenant, scopes)
		if err == nil {
			for key, scopes := range of {
				f.looked(key, scopes, began)
			}
		}
		return err
	}
	ok, due := f.enough(key, time.Now())
	switch {
	case len(due) > 0:
		f.refresh(ctx, key.tenantKey, func(ctx context.Context) error { return look(ctx, united(due), due) })
		return nil
	case ok:
		return nil
	}
	return look(ctx, scopes, map[freshKey][]memory.Scope{key: slices.Clone(scopes)})
}

// catchUp brings the index to the present versions of the scopes (none: all).
func (x *followed) catchUp(ctx context.Context, tenant memory.Tenant, scopes []memory.Scope) error {
	if tenant == "" {
		return vector.ErrNoTenant
	}
	g, f := x.Generation(), x.follower
	s := f.of(g, tenant)
	now, err := f.looks.versions(ctx, tenant, scopes)
	if err != nil {
		return err
	}
	select {
	case s.lock <- struct{}{}:
		defer func() { <-s.lock }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.versions == nil {
		// Nothing is loaded yet, and the index loads what is in Postgres after this
		// check. A check of a few scopes says nothing about the others.
		if len(scopes) > 0 {
			if now, err = f.looks.versions(ctx, tenant, nil); err != nil {
				return err
			}
		}
		s.versions = maps.Clone(now)
		return nil
	}
	if err := x.changes(ctx, tenant, s, now); err != nil {
		return err
	}
	return x.vectors(ctx, tenant, s)
}

// changes reads the rows that changed in the scopes since the index saw them.
func (x *followed) changes(ctx context.Context, tenant memory.Tenant, s *tenantState, now map[memory.Scope]int64) error {
	since := map[memory.Scope]int64{}
	for scope, version := range now {
		if known := s.versions[scope]; known < version {
			since[scope] = known
		}
	}
	scopes := make([]memory.Scope, 0, len(since))
	for scope := range since {
		scopes = append(scopes, scope)
	}
	for some := range slices.Chunk(scopes, 100) {
		part := make(map[memory.Scope]int64, len(some))
		for _, scope := range some {
			part[scope] = since[scope]
		}
		if err := x.read(ctx, tenant, s, store.IndexQuery{Changed: part, Limit: loadPage}); err != nil {
			return err
		}
		for _, scope := range some {
			s.versions[scope] = now[scope]
		}
	}
	return nil
}

// vectors reads the rows again whose vector was lacking.
func (x *followed) vectors(ctx context.Context, tenant memory.Tenant, s *tenantState) error {
	if time.Since(s.looked) < lackingInterval {
		return nil
	}
	s.looked = time.Now()
	ids := s.waiting()
	if len(ids) == 0 {
		return nil
	}
	return x.read(ctx, tenant, s, store.IndexQuery{IDs: ids, Limit: page})
}

// read puts the rows of a query into the index, page by page.
func (x *followed) read(ctx context.Context, tenant memory.Tenant, s *tenantState, q store.IndexQuery) error {
	g, f := x.Generation(), x.follower
	for {
		docs, err := f.truth.stored(ctx, g, tenant, q)
		if err != nil {
			return fmt.Errorf("read changes: %w", err)
		}
		s.note(docs, g, f.truth.Local)
		if err := x.Put(ctx, docs); err != nil {
			return fmt.Errorf("catch up: %w", err)
		}
		if len(docs) < q.Limit {
			return nil
		}
		q.After = docs[len(docs)-1].ID
	}
}
