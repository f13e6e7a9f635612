package consolidate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/worker"
)

const (
	// closeInterval is the time between two looks for runs whose last step ended.
	closeInterval = time.Second
	// clockInterval is the time between two looks for due slots: a laptop may sleep, and
	// new tenants may appear.
	clockInterval = 30 * time.Second
	// lostAfter is how long a run may wait to be planned, seen by one process. Its event
	// became a dead letter then, and an open run keeps others of its scope out.
	lostAfter = time.Hour
)

// loop is the part of the worker that no event drives: it asks for the runs that are
// due, and ends those that are done. Every replica runs one.
type loop struct {
	*closer
	clock     *clock
	scheduler bool
}

func newLoop(d worker.Deps) (worker.Runner, error) {
	c, err := newClock(d)
	if err != nil {
		return nil, err
	}
	return &loop{closer: newCloser(d), clock: c, scheduler: c.scheduler.Enabled}, nil
}

// Run implements [worker.Runner]. Between two looks it has nothing in hand, so it stops
// at once; a look that is interrupted is repeated by the next process (S4.72, S4.84).
func (l *loop) Run(ctx context.Context) error {
	if l.scheduler {
		l.Log.Info("starting consolidation scheduler", zap.Duration("interval", l.clock.scheduler.Interval), zap.Float64("threshold", l.clock.scheduler.Threshold))
	}
	var both sync.WaitGroup
	both.Go(func() { l.every(ctx, clockInterval, "the schedules of consolidation are", l.clock.look) })
	both.Go(func() { l.every(ctx, closeInterval, "the runs of consolidation are", l.closer.look) })
	both.Wait()
	return nil
}

// every looks at once and then each interval, until ctx ends.
func (l *loop) every(ctx context.Context, interval time.Duration, what string, look func(context.Context) error) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := look(ctx); err != nil && ctx.Err() == nil {
			l.Log.Warn(what+" looked at again later", zap.Error(err))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// closer ends runs: those without a step left, and those that are out of time.
type closer struct {
	ender
	waiting map[string]time.Time // runs that are not planned yet, since when they were seen
}

func newCloser(d worker.Deps) *closer {
	return &closer{ender: ender{Deps: d, metrics: newMetrics(d.Metrics)}, waiting: map[string]time.Time{}}
}

// look ends the runs of every tenant that can be ended. An error of one run does not
// stop the others (S4.70).
func (c *closer) look(ctx context.Context) error {
	tenants, err := c.Store.Tenants(ctx)
	if err != nil {
		return err
	}
	var failed []error
	seen := map[string]time.Time{}
	for _, tenant := range tenants {
		for run, err := range c.open(ctx, tenant) {
			if err != nil {
				failed = append(failed, fmt.Errorf("tenant %s: %w", tenant, err))
				continue
			}
			if run.State == memory.RunRequested {
				first, known := c.waiting[run.ID]
				if !known {
					first = c.Now()
				}
				seen[run.ID] = first
			}
			if err := c.close(ctx, run, seen[run.ID]); err != nil {
				failed = append(failed, fmt.Errorf("run %s: %w", run.ID, err))
			}
		}
	}
	c.waiting = seen
	return errors.Join(failed...)
}

// open yields the runs of a tenant that have not ended. An error is the last that it yields.
func (c *closer) open(ctx context.Context, tenant memory.Tenant) iter.Seq2[memory.Run, error] {
	return func(yield func(memory.Run, error) bool) {
		for after := ""; ; {
			list, err := c.Store.Runs(ctx, tenant, store.RunQuery{
				States: []memory.RunState{memory.RunRequested, memory.RunRunning}, After: after, Limit: runPage,
			})
			if err != nil {
				yield(memory.Run{}, err)
				return
			}
			for _, run := range list {
				if !yield(run, nil) {
					return
				}
			}
			if len(list) < runPage {
				return
			}
			after = list[len(list)-1].ID
		}
	}
}

// runPage is how many runs are read at once.
const runPage = 200

// close ends a run if it can be ended now. Of several processes that end it at the same
// time, the version of the row lets one win.
func (c *closer) close(ctx context.Context, run memory.Run, since time.Time) error {
	now := c.Now().UTC()
	if run.State == memory.RunRequested {
		if now.Sub(since) < lostAfter {
			return nil
		}
		return c.commit(ctx, run, c.failed(run, errors.New("it was never planned: its event is among the dead letters, or was lost")))
	}
	progress, err := c.Store.RunProgress(ctx, run.Tenant, run.ID)
	late := now.After(run.Deadline)
	if err != nil || progress[memory.ItemPlanned] > 0 && !late {
		return err
	}
	items, err := c.Store.RunItems(ctx, run.Tenant, run.ID)
	if err != nil {
		return err
	}
	var left []memory.RunItem
	for i := range items {
		if items[i].State != memory.ItemPlanned {
			continue
		}
		if !late {
			return nil
		}
		items[i].State, items[i].Reason, items[i].EndedAt = memory.ItemSkipped, outOfTime, stamp(now)
		left = append(left, items[i])
	}
	set := c.ended(run, items)
	set.RunItems = left
	for _, item := range left {
		c.metrics.steps.WithLabelValues(string(item.Action), string(item.State)).Inc()
	}
	return c.commit(ctx, run, set)
}

// outOfTime is the reason of steps that the deadline of their run left.
const outOfTime = "timeout exceeded: the run's time was over"

// commit stores the end of a run and tells about it. A conflict means that a step or
// another process was faster; the next look sees what there is.
func (c *closer) commit(ctx context.Context, run memory.Run, set change.Set) error {
	_, err := c.Store.Commit(ctx, run.Tenant, set, store.InboxKey{})
	if errors.Is(err, store.ErrConflict) {
		c.Log.Debug("a run changed while it was ended", zap.String("run", run.ID), zap.String(telemetry.KeyScope, string(run.Scope)))
		return nil
	}
	if err != nil {
		return err
	}
	c.tell(run, set.RunUpdates[0])
	c.Publisher.Wake()
	return nil
}
