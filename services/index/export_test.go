package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/services/internal/worker"
)

// VaultProjector is the part of the worker that keeps the vault.
type VaultProjector = projector

// NewVaultProjector returns one that is driven round by round.
var NewVaultProjector = newProjector

// What a round may fail of on a machine that stands still for a while.
var (
	ErrLeaseLost = errLeaseLost
	ErrResting   = errBackoff
)

// RunAt is the worker with a similarity index that looks at generations, tries
// again and compares more often than one that nobody waits for.
func RunAt(deps worker.Deps, look, retry, compare time.Duration) (worker.Runner, error) {
	def := Definition
	def.Notices = func(deps worker.Deps) ([]worker.Notice, error) {
		return noticesAt(deps, pace{look: look, retry: retry, compare: compare}), nil
	}
	return worker.Build(def, deps, 0)
}

// Step is one round without events, as after a start: everything is compared with
// the store, hand edits are read, what is due is rendered.
func Step(ctx context.Context, p *VaultProjector) error {
	if err := p.stale(ctx); err != nil {
		return err
	}
	return IdleStep(ctx, p)
}

// IdleStep is one round of a quiet projector.
func IdleStep(ctx context.Context, p *VaultProjector) error {
	failed, err := p.round(ctx, p.due())
	for tenant, why := range failed {
		err = errors.Join(err, fmt.Errorf("the vault of %s: %w", tenant, why))
	}
	return err
}
