package ops

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// IndexStatus is where the similarity index stands.
type IndexStatus struct {
	Generation int           `json:"generation"`
	Model      string        `json:"model"`
	Dim        int           `json:"dim"`
	Analyzer   string        `json:"analyzer"`
	Documents  int           `json:"documents"`
	Removed    int           `json:"removed"`            // tombstones
	Behind     time.Duration `json:"behind,omitempty"`   // of the newest row
	Embedder   string        `json:"embedder"`           // what texts are embedded with now
	Problem    string        `json:"problem,omitempty"`  // why it cannot be asked
	Remedy     string        `json:"remedy,omitempty"`   // what to do about it
	Reconciled *Reconciled   `json:"repaired,omitempty"` // what a repair did
}

// Reconciled is what comparing an index with the store did.
type Reconciled = vector.Reconciled

// IndexStatus says what serves and how far it is. An index that is away is no
// error: searches go on without it.
func (o *Ops) IndexStatus(ctx context.Context) (IndexStatus, error) {
	s := IndexStatus{Embedder: o.Truth.Embedder.ID()}
	open, err := o.openIndex(ctx)
	switch {
	case errors.Is(err, vector.ErrUnavailable):
		s.Problem, s.Remedy = "the index cannot be reached; searches read the database", "start Qdrant, or look at qdrant.url"
		return s, nil
	case errors.Is(err, vector.ErrNoGeneration):
		s.Problem, s.Remedy = "nothing is indexed yet", "start the index worker, or run winnow index rebuild"
		return s, nil
	case err != nil:
		return s, fmt.Errorf("index status: %w", err)
	}
	g := open.Generation()
	s.Generation, s.Model, s.Dim, s.Analyzer = g.N, g.Model, g.Dim, g.Analyzer
	stats, err := open.Stats(ctx, o.Tenant)
	if err != nil {
		return s, fmt.Errorf("index status: %w", err)
	}
	s.Documents, s.Removed = stats.Live, stats.Tombstones
	newest, err := o.newest(ctx)
	if err != nil {
		return s, fmt.Errorf("index status: %w", err)
	}
	s.Behind = max(newest.Sub(stats.Newest), 0)
	if g.Model != s.Embedder {
		s.Problem, s.Remedy = "it was made with another model, so words alone are compared", "winnow index reembed"
	}
	return s, nil
}

// newest is when the last memory was recorded.
func (o *Ops) newest(ctx context.Context) (time.Time, error) {
	list, err := o.Store.Memories(ctx, o.Tenant, store.MemoryQuery{Newest: true, Limit: 1})
	if err != nil || len(list) == 0 {
		return time.Time{}, err
	}
	return list[0].CreatedAt, nil
}

func (o *Ops) openIndex(ctx context.Context) (vector.Index, error) {
	g, err := o.Index.Active(ctx)
	if err != nil {
		return nil, err
	}
	return o.Index.Open(ctx, g)
}

// ReconcileIndex makes the index hold what the store holds, for the tenant.
// Where nothing serves yet, it makes the first generation.
func (o *Ops) ReconcileIndex(ctx context.Context, progress func(Reconciled)) (Reconciled, error) {
	open, err := o.openIndex(ctx)
	if errors.Is(err, vector.ErrNoGeneration) {
		return o.newGeneration(ctx, 1, progress)
	}
	if err != nil {
		return Reconciled{}, fmt.Errorf("reconcile index: %w", err)
	}
	done, err := vector.Reconcile(ctx, open, o.Tenant, o.Truth.Source, o.Now(), progress)
	if err != nil {
		return done, fmt.Errorf("reconcile index: %w", err)
	}
	return done, nil
}

// RebuildIndex fills a new generation from the store, with the model that is
// configured now, while the old one serves, and then switches. Interrupted, it
// is run again and goes on where it stopped. The old generation is dropped.
func (o *Ops) RebuildIndex(ctx context.Context, progress func(Reconciled)) (Reconciled, error) {
	old, err := o.Index.Active(ctx)
	if err != nil && !errors.Is(err, vector.ErrNoGeneration) {
		return Reconciled{}, fmt.Errorf("rebuild index: %w", err)
	}
	done, err := o.newGeneration(ctx, old.N+1, progress)
	if err != nil || old.N == 0 {
		return done, err
	}
	if err := o.Index.Drop(ctx, old); err != nil {
		return done, fmt.Errorf("drop generation %d: %w", old.N, err)
	}
	return done, nil
}

func (o *Ops) newGeneration(ctx context.Context, n int, progress func(Reconciled)) (Reconciled, error) {
	fail := func(err error) (Reconciled, error) {
		return Reconciled{}, fmt.Errorf("fill generation %d: %w", n, err)
	}
	g := o.Truth.Generation(n)
	if err := o.Index.Create(ctx, g); err != nil {
		return fail(err)
	}
	open, err := o.Index.Open(ctx, g)
	if err != nil {
		return fail(err)
	}
	tenants, err := o.Store.Tenants(ctx)
	if err != nil {
		return fail(err)
	}
	var total Reconciled
	// Once to fill, once for what came meanwhile: the switch then misses only
	// what the projector brings anyway.
	for range 2 {
		for _, tenant := range tenants {
			done, err := vector.Reconcile(ctx, open, tenant, o.Truth.Source, o.Now(), func(r Reconciled) {
				if progress != nil {
					r.Written += total.Written
					progress(r)
				}
			})
			if err != nil {
				return fail(err)
			}
			total.Compared, total.Written, total.Removed = total.Compared+done.Compared, total.Written+done.Written, total.Removed+done.Removed
		}
	}
	if err := o.Index.Activate(ctx, g); err != nil {
		return fail(err)
	}
	return total, nil
}
