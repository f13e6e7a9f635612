package index

import (
	"context"
	"errors"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/ops"
)

// Reconcile makes the index hold what the store holds, for the tenant.
// Where nothing serves yet, it makes the first generation.
func Reconcile(ctx context.Context, o *ops.Ops, progress func(Reconciled)) (Reconciled, error) {
	open, err := openIndex(ctx, o)
	if errors.Is(err, vector.ErrNoGeneration) {
		return Rebuild(ctx, o, progress)
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

// Rebuild fills a new generation from the store, with the model that is
// configured now, while the old one serves, and then switches. The index worker
// writes what changes meanwhile to both. Interrupted, it is run again: it goes on
// with the generation that it was filling, and what the model made is kept in
// Postgres and not asked for again. The old generation is dropped.
func Rebuild(ctx context.Context, o *ops.Ops, progress func(Reconciled)) (Reconciled, error) {
	f := filler{Ops: o, progress: progress}
	if err := f.rebuild(ctx); err != nil {
		return f.total, fmt.Errorf("rebuild index: %w", err)
	}
	return f.total, nil
}

// Reembedded is a change of the model.
type Reembedded struct {
	Before string `json:"before,omitempty"` // id of the model that served; empty when none did
	Model  string `json:"model"`
	Reconciled
	Points *Points `json:"points"`
}

// Reembed is Rebuild for another model: every memory gets a vector of
// it, and it operating points, before it serves. The model is asked for one vector
// first. One that does not answer, or has another dimension, changes nothing: what
// serves goes on, and so may a change to a third model that was interrupted.
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

// filler is one rebuild.
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
	// Once for the most of it, once for what came meanwhile, so that the switch
	// shows a search nothing that is old.
	for range 2 {
		if err := f.fill(ctx, open); err != nil {
			return err
		}
	}
	// A model that nobody has calibrated would serve thresholds of another.
	if err := f.calibrate(ctx); err != nil {
		return err
	}
	if err := f.Index.Activate(ctx, next); err != nil {
		return err
	}
	// From here on nobody can write to the old one any more: an index worker
	// that still tries is refused, and writes to the new one.
	if err := f.clear(ctx, next); err != nil {
		return fmt.Errorf("drop what served before: %w", err)
	}
	// What was written to the old one alone, between the last comparison and
	// now, is in Postgres and found by one more.
	return f.fill(ctx, open)
}

// calibrate makes sure that every tenant has operating points of the model (D2).
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

// clear drops every generation but the one that serves and the one that is being
// filled: what an interrupted rebuild left, for another model perhaps.
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

// fill compares the generation with the store, for every tenant.
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
		done, err := vector.Reconcile(ctx, open, tenant, f.Truth.Source, f.Now(), func(r Reconciled) {
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
