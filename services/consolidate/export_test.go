package consolidate

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/consolidation/trigger"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// SchedulerConfig are the settings of the runs by interval.
type SchedulerConfig = trigger.Scheduler

// End runs one look of a replica for runs that can be ended.
func End(ctx context.Context, d worker.Deps) error { return newCloser(d).look(ctx) }

// Clock runs one look of a replica for slots that are due.
func Clock(ctx context.Context, d worker.Deps) error {
	c, err := newClock(d)
	if err != nil {
		return err
	}
	return c.look(ctx)
}

// Counted looks whether a scope has too many memories.
func Counted(d worker.Deps) worker.Projection {
	list, _ := notices(d)
	return list[0].Projection
}

// Hurried is the worker with a shorter pause after a failure of the model.
func Hurried(pause time.Duration) worker.Definition {
	d := Definition
	d.Work = func(deps worker.Deps) (worker.Work, error) {
		w := newWork(deps)
		w.firstPause = pause
		return w, nil
	}
	return d
}
