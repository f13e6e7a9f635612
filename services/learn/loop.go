package learn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/confidence"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker"
)

const (
	// scheduleName names the daily upkeep in the store.
	scheduleName = "confidence"
	// interval is the time between two looks at the served log and at the schedule.
	interval = 2 * time.Second
)

// loop is the part of the worker that no event drives. Every replica runs one.
type loop struct {
	worker.Deps
	config confidence.Config
}

func newLoop(d worker.Deps) (worker.Runner, error) {
	return &loop{Deps: d, config: Settings.Of(d)}, nil
}

// Run implements [worker.Runner].
func (l *loop) Run(ctx context.Context) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		if err := l.look(ctx); err != nil && ctx.Err() == nil {
			l.Log.Warn("what was used is counted again later", zap.Error(err))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// look does what is due for every tenant. An error of one does not stop the others.
func (l *loop) look(ctx context.Context) error {
	tenants, err := l.Store.Tenants(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, tenant := range tenants {
		if err := errors.Join(l.count(ctx, tenant), l.daily(ctx, tenant)); err != nil {
			failed = append(failed, fmt.Errorf("tenant %s: %w", tenant, err))
		}
	}
	return errors.Join(failed...)
}

// daily does the upkeep of a tenant when a slot of the interval has begun since the last
// one. The slot is stored at the end: a process that dies repeats the upkeep, which is
// computed from times and so does nothing twice. Two replicas at once exclude each other
// by the versions of rows.
func (l *loop) daily(ctx context.Context, tenant memory.Tenant) error {
	now := l.Now().UTC().Truncate(time.Microsecond)
	last, err := l.Store.LastSlot(ctx, tenant, scheduleName)
	if err != nil {
		return err
	}
	slot := now.Truncate(l.config.DecayInterval)
	if !last.Before(slot) {
		return nil
	}
	if !last.IsZero() { // a new tenant has nothing to look after
		if err := l.upkeep(ctx, tenant, now); err != nil {
			return fmt.Errorf("upkeep: %w", err)
		}
	}
	_, err = l.Store.Commit(ctx, tenant, change.Set{Slot: &change.Slot{Schedule: scheduleName, At: slot}}, store.InboxKey{})
	return err
}
