package index

import (
	"context"
	"errors"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/ops"
)

// Reconcile makes the index equal to the store, for the tenant. Without a
// serving generation, Reconcile creates the first one.
func Reconcile(ctx context.Context, o *ops.Ops, progress func(Reconciled)) (Reconciled, error) {
	open, err := openIndex(ctx, o)
	if errors.Is(err, vector.ErrNoGeneration) {
		return Rebuild(ctx, o, progress)
	}
	if err != nil {
		return Reconciled{}, fmt.Errorf("reconcile index: %w", err)
	}
	last, err := o.Truth.Last(ctx, o.Tenant)
	if err != nil {
		return Reconciled{}, fmt.Errorf("reconcile index: %w", err)
	}
	done, err := vector.Reconcile(ctx, open, o.Tenant, o.Truth.Source, last, o.Now(), progress)
	if err != nil {
		return done, fmt.Errorf("reconcile index: %w", err)
	}
	return done, nil
}

// Rebuild fills a new generation from the store, with the configured model,
// while the old generation serves. Rebuild then switches and drops the old
// generation. The index worker writes concurrent changes to both. After an
// interruption, the next Rebuild continues with the same generation, and stored
// vectors are not requested from the model again.
func Rebuild(ctx context.Context, o *ops.Ops, progress func(Reconciled)) (Reconciled, error) {
	f := filler{Ops: o, progress: progress}
	if err := f.rebuild(ctx); err != nil {
		return f.total, fmt.Errorf("rebuild index: %w", err)
	}
	return f.total, nil
}

// Reembedded is a change of the model.
type Reembedded struct {
	Before string `json:"before,omitempty"` // id of the model that served before; empty for none
	Model  string `json:"model"`
	Reconciled
	Points *Points `json:"points"`
}

// Reembed is [Rebuild] with another model. Before the switch every memory gets a
// vector of the model, and the model gets operating points. Reembed first asks
// the model for one vector. A model that does not answer, or has another
// dimension, changes nothing: the serving generation stays, and an interrupted
// change to a third model can continue.
func Reembed(ctx context.Context, o *ops.Ops, progress func(Reconciled)) (Reembedded, error) {
	done := Reembedded{Model: o.Truth.Embedder.ID()}
	active, err := o.Index.Active(ctx)
	if err != nil && !errors.Is(err, vector.ErrNoGeneration) {
		return done, fmt.Errorf("reembed index: %w", err)
	}
	done.Before = active.Model
	const question = "Does this model answer?"
	if _, err := o.Truth.Embedder.Embed(ctx, []string{question}); err != nil {
		return done, fmt.Errorf("reembed index: the model gives no vector, so nothing was changed: %w", err)
	}
	if done.Reconciled, err = Rebuild(ctx, o, progress); err != nil {
		return done, err
	}
	if done.Points, err = points(ctx, o); err != nil {
		return done, fmt.Errorf("reembed index: %w", err)
	}
	return done, nil
}

// filler holds the state of one rebuild.
type filler struct {
	*ops.Ops
	progress func(Reconciled)
	total    Reconciled
}

func (f *filler) rebuild(ctx context.Context) error {
	old, err := f.Index.Active(ctx)
	if err != nil && !errors.Is(err, vector.ErrNoGeneration) {
		return err
	}
	next := f.Truth.Generation(old.N + 1)
	if err := f.clear(ctx, next); err != nil {
		return err
	}
	if err := f.Index.Create(ctx, next); err != nil {
		return err
	}
	open, err := f.Index.Open(ctx, next)
	if err != nil {
		return err
	}
	// The first pass copies most rows, the second the concurrent changes, so
	// that a search after the switch sees no stale row.
	for range 2 {
		if err := f.fill(ctx, open); err != nil {
			return err
		}
	}
	// A model without a calibration would serve with the thresholds of another.
	if err := f.calibrate(ctx); err != nil {
		return err
	}
	if err := f.Index.Activate(ctx, next); err != nil {
		return err
	}
	// From here on the old generation refuses writes. An index worker that still
	// writes to it is refused, and then writes to the new one.
	if err := f.clear(ctx, next); err != nil {
		return fmt.Errorf("drop what served before: %w", err)
	}
	// One more comparison with Postgres finds the rows that were written only to
	// the old generation since the last comparison.
	return f.fill(ctx, open)
}

// calibrate ensures that every tenant has operating points of the model (D2).
func (f *filler) calibrate(ctx context.Context) error {
	tenants, err := f.Store.Tenants(ctx)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		if _, _, err := f.Truth.Calibrated(ctx, tenant, f.Now()); err != nil {
			return fmt.Errorf("calibrate for %s: %w", tenant, err)
		}
	}
	return nil
}

// clear drops every generation except the serving one and the one being filled:
// the remains of interrupted rebuilds.
func (f *filler) clear(ctx context.Context, next vector.Generation) error {
	active, err := f.Index.Active(ctx)
	if err != nil && !errors.Is(err, vector.ErrNoGeneration) {
		return err
	}
	list, err := f.Index.Generations(ctx)
	if err != nil {
		return err
	}
	for _, g := range list {
		if g.N == active.N || g.Same(next) {
			continue
		}
		if err := f.Index.Drop(ctx, g); err != nil {
			return fmt.Errorf("generation %d: %w", g.N, err)
		}
	}
	return nil
}

// fill makes the generation equal to the store, for every tenant.
func (f *filler) fill(ctx context.Context, open vector.Index) error {
	tenants, err := f.Store.Tenants(ctx)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		before := f.total
		sum := func(r Reconciled) Reconciled {
			return Reconciled{Compared: before.Compared + r.Compared, Written: before.Written + r.Written, Removed: before.Removed + r.Removed}
		}
		last, err := f.Truth.Last(ctx, tenant)
		if err != nil {
			return err
		}
		done, err := vector.Reconcile(ctx, open, tenant, f.Truth.Source, last, f.Now(), func(r Reconciled) {
			if f.progress != nil {
				f.progress(sum(r))
			}
		})
		f.total = sum(done)
		if err != nil {
			return fmt.Errorf("generation %d for %s: %w", open.Generation().N, tenant, err)
		}
	}
	return nil
}
