package trigger

import (
	"context"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Progress is how far a run is.
type Progress struct {
	State memory.RunState
	Done  int // steps that ended
	Steps int // steps of the plan; 0 until it is planned
}

// firstLook and slowestLook bound the pause between two looks at a run. A run of a small
// scope takes a second or two.
const (
	firstLook   = 50 * time.Millisecond
	slowestLook = time.Second
)

// Await returns a run when it has ended, or as it is when ctx ends; look at its state.
// seen is called after each look and may be nil. The error is the store's.
func (a *Asker) Await(ctx context.Context, tenant memory.Tenant, id string, seen func(Progress)) (memory.Run, error) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	var run memory.Run
	for next := firstLook; ; next = min(2*next, slowestLook) {
		select {
		case <-ctx.Done():
			return run, nil
		case <-pause.C:
			pause.Reset(next)
		}
		now, err := a.Runs.Run(ctx, tenant, id)
		if err != nil && ctx.Err() == nil {
			return run, fmt.Errorf("await run %s: %w", id, err)
		}
		if err != nil {
			return run, nil
		}
		run = now
		if seen != nil {
			counts, err := a.Runs.RunProgress(ctx, tenant, id)
			if err != nil && ctx.Err() == nil {
				return run, fmt.Errorf("await run %s: %w", id, err)
			}
			p := Progress{State: run.State}
			for state, n := range counts {
				p.Steps += n
				if state != memory.ItemPlanned {
					p.Done += n
				}
			}
			seen(p)
		}
		if !run.Open() {
			return run, nil
		}
	}
}
