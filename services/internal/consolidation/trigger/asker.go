package trigger

import (
	"context"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Asker reads what is known of a scope and returns the change that asks for a run. It
// commits nothing. It is safe for concurrent use.
type Asker struct {
	Runs   store.Runs
	Config Config
	Now    func() time.Time
	NewID  func(prefix string) string
}

// Facts reads what decides about a run of a scope: three bounded queries, whatever the
// size of the scope (S0.61). Active counts up to most + 1.
func (a *Asker) Facts(ctx context.Context, tenant memory.Tenant, scope memory.Scope, strategy memory.RunStrategy, most int) (Facts, error) {
	f := Facts{Now: a.Now().UTC()}
	var err error
	if f.Active, err = a.Runs.ActiveCount(ctx, tenant, scope, most); err != nil {
		return f, fmt.Errorf("count %s: %w", scope, err)
	}
	if f.Last, err = a.last(ctx, tenant, scope, strategy); err != nil {
		return f, fmt.Errorf("last run of %s: %w", scope, err)
	}
	open, err := a.Open(ctx, tenant, scope, strategy)
	f.Running = open.ID != ""
	return f, err
}

// last returns the end of the window of the scope's last run, or zero. The time at which
// the run ended is no measure: a run that takes two minutes would make the next slot of
// a day come two minutes too early for a window of a day.
func (a *Asker) last(ctx context.Context, tenant memory.Tenant, scope memory.Scope, strategy memory.RunStrategy) (time.Time, error) {
	ended, err := a.Runs.LastRun(ctx, tenant, scope, strategy)
	if err != nil || ended.IsZero() {
		return ended, err
	}
	list, err := a.Runs.Runs(ctx, tenant, store.RunQuery{
		Scope: scope, Strategy: strategy, Newest: true, Limit: mostOpen,
		States: []memory.RunState{memory.RunCompleted, memory.RunPartial, memory.RunUndone},
	})
	for _, r := range list {
		if !r.Options.DryRun {
			return r.WindowEnd, err
		}
	}
	return ended, err
}

// Open returns the run of the scope that has begun and not ended, or the zero value. Dry
// runs are not counted: they keep no other run out.
func (a *Asker) Open(ctx context.Context, tenant memory.Tenant, scope memory.Scope, strategy memory.RunStrategy) (memory.Run, error) {
	list, err := a.Runs.Runs(ctx, tenant, store.RunQuery{
		Scope: scope, Strategy: strategy, States: []memory.RunState{memory.RunRequested, memory.RunRunning}, Limit: mostOpen,
	})
	if err != nil {
		return memory.Run{}, fmt.Errorf("open runs of %s: %w", scope, err)
	}
	for _, r := range list {
		if !r.Options.DryRun {
			return r, nil
		}
	}
	return memory.Run{}, nil
}

// mostOpen bounds the runs of a scope that are read, to find one among dry runs.
const mostOpen = 100

// Ask returns a run and the change that asks for it.
func (a *Asker) Ask(w Wanted) (memory.Run, change.Set) {
	if w.At.IsZero() {
		w.At = a.Now()
	}
	return Request(w, a.NewID)
}
