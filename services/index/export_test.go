package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/services/internal/worker"
)

// VaultProjector is the worker's part that maintains the vault.
type VaultProjector = projector

// NewVaultProjector returns a projector that a test drives round by round.
var NewVaultProjector = newProjector

// Errors with which a round may end on a machine that stalls.
var (
	ErrLeaseLost = errLeaseLost
	ErrResting   = errBackoff
)

// RunAt runs the worker with a similarity index at short intervals for checking
// generations, retrying and comparing.
func RunAt(deps worker.Deps, look, retry, compare time.Duration) (worker.Runner, error) {
	def := Definition
	def.Notices = func(deps worker.Deps) ([]worker.Notice, error) {
		return noticesAt(deps, pace{look: look, retry: retry, compare: compare}), nil
	}
	return worker.Build(def, deps, 0)
}

// Step runs one round without events, as after a start: it compares everything with
// the store, reads hand edits and renders what is due.
func Step(ctx context.Context, p *VaultProjector) error {
	if err := p.stale(ctx); err != nil {
		return err
	}
	return IdleStep(ctx, p)
}

// IdleStep runs one round of an idle projector.
func IdleStep(ctx context.Context, p *VaultProjector) error {
	failed, err := p.round(ctx, p.due())
	for tenant, why := range failed {
		err = errors.Join(err, fmt.Errorf("the vault of %s: %w", tenant, why))
	}
	return err
}
