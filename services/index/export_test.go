package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/services/internal/worker"
)

// NewVaultProjector is the part of the worker that keeps the vault.
var NewVaultProjector = newProjector

// What a round may fail of on a machine that stands still for a while.
var (
	ErrLeaseLost = errLeaseLost
	ErrResting   = errResting
)

// RunAt is [Definition].Run with an index worker that looks at generations, tries
// again and compares more often than one that nobody waits for.
func RunAt(deps worker.Deps, look, retry, compare time.Duration) (worker.Runner, error) {
	return newProjectionsAt(deps, pace{look: look, retry: retry, compare: compare})
}

// Step is one round without events, as after a start: everything is compared with
// the store, hand edits are read, what is due is rendered.
func Step(ctx context.Context, r worker.Runner) error {
	p := r.(*projector)
	if err := p.stale(ctx); err != nil {
		return err
	}
	return IdleStep(ctx, r)
}

// IdleStep is one round of a quiet projector.
func IdleStep(ctx context.Context, r worker.Runner) error {
	p := r.(*projector)
	failed, err := p.round(ctx, p.wanted(ctx, nil))
	for tenant, why := range failed {
		err = errors.Join(err, fmt.Errorf("the vault of %s: %w", tenant, why))
	}
	return err
}
