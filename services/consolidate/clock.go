package consolidate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/consolidation/trigger"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/schedule"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// clock asks for the runs that are due by time. Every replica has one, and none leads:
// the first that stores a slot also stores its runs, and the others find it.
type clock struct {
	worker.Deps
	asker     *trigger.Asker
	config    Config
	scheduler trigger.Scheduler
	weekly    *schedule.Schedule // nil when it is off
}

func newClock(d worker.Deps) (*clock, error) {
	c := &clock{Deps: d, config: Settings.Of(d), scheduler: Scheduler.Of(d)}
	c.asker = newAsker(d, c.config)
	if c.config.WeeklySchedule != "" {
		weekly, err := schedule.New(c.config.WeeklySchedule, "UTC")
		if err != nil {
			return nil, fmt.Errorf("consolidation.weekly_schedule: %w", err)
		}
		c.weekly = &weekly
	}
	return c, nil
}

func newAsker(d worker.Deps, c Config) *trigger.Asker {
	return &trigger.Asker{Runs: d.Store, Config: c.Config, Now: d.Now, NewID: d.NewID}
}

// look asks for what is due for every tenant. An error of one tenant does not stop the
// others.
func (c *clock) look(ctx context.Context) error {
	tenants, err := c.Store.Tenants(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, tenant := range tenants {
		if c.scheduler.Enabled {
			if err := c.slot(ctx, tenant, trigger.ScheduleInterval, c.scheduler.IntervalSlot, c.projects); err != nil {
				failed = append(failed, fmt.Errorf("interval of tenant %s: %w", tenant, err))
			}
		}
		if c.weekly != nil {
			if err := c.slot(ctx, tenant, trigger.ScheduleWeekly, c.weekly.Due, c.users); err != nil {
				failed = append(failed, fmt.Errorf("week of tenant %s: %w", tenant, err))
			}
		}
	}
	return errors.Join(failed...)
}

// maxConflicts is how often a slot is decided again after a concurrent commit.
const maxConflicts = 5

// slot asks for the runs of a schedule's due slot, if one is due. Two processes may
// decide about the same slot at the same time: one of them stores it.
func (c *clock) slot(
	ctx context.Context, tenant memory.Tenant, name string, due func(last, now time.Time) (time.Time, bool),
	wanted func(context.Context, memory.Tenant, time.Time) ([]trigger.Wanted, error),
) error {
	for conflicts := 0; ; conflicts++ {
		now := c.Now().UTC().Truncate(time.Microsecond)
		last, err := c.Store.LastSlot(ctx, tenant, name)
		if err != nil {
			return err
		}
		if last.IsZero() {
			// The schedule of a new tenant begins now: it has missed no earlier slot.
			_, err := c.Store.Commit(ctx, tenant, change.Set{Slot: &change.Slot{Schedule: name, At: now}}, store.InboxKey{})
			return err
		}
		at, ok := due(last, now)
		if !ok {
			return nil
		}
		list, err := wanted(ctx, tenant, at)
		if err != nil {
			return err
		}
		set := change.Set{Slot: &change.Slot{Schedule: name, At: at}}
		for _, w := range list {
			_, asked := c.asker.Ask(w)
			set.Append(asked)
		}
		done, err := c.Store.Commit(ctx, tenant, set, store.InboxKey{})
		if errors.Is(err, store.ErrConflict) && conflicts < maxConflicts {
			continue // a run of one of the scopes began meanwhile
		}
		if err == nil && !done {
			c.Log.Debug("consolidation run started", zap.String(telemetry.KeyTenant, string(tenant)), zap.String("schedule", name),
				zap.Time("slot", at), zap.Int(telemetry.KeyCount, len(list)))
			c.Publisher.Wake()
		}
		return err
	}
}

// projects returns the runs of a slot of the interval: one for each project whose last
// run is a window ago.
func (c *clock) projects(ctx context.Context, tenant memory.Tenant, slot time.Time) ([]trigger.Wanted, error) {
	o := c.config.Options(memory.RunOptions{Threshold: c.scheduler.Threshold})
	return c.wanted(ctx, tenant, slot, memory.RunSimilar, memory.TriggerInterval, o, func(s store.ScopeStatus) bool {
		return s.Scope.Kind() == memory.ScopeProject && s.Active >= c.config.MinCluster &&
			(len(c.scheduler.Projects) == 0 || slices.Contains(c.scheduler.Projects, s.Scope.ID()))
	})
}

// users returns the runs of a weekly slot: one for each user with more memories than
// the setting, strictly (S1.3).
func (c *clock) users(ctx context.Context, tenant memory.Tenant, slot time.Time) ([]trigger.Wanted, error) {
	return c.wanted(ctx, tenant, slot, memory.RunWeekly, memory.TriggerWeekly, memory.RunOptions{}, func(s store.ScopeStatus) bool {
		return s.Scope.Kind() == memory.ScopeUser && s.Active > c.config.WeeklyLeast
	})
}

func (c *clock) wanted(
	ctx context.Context, tenant memory.Tenant, slot time.Time, strategy memory.RunStrategy, by memory.RunTrigger, o memory.RunOptions,
	takes func(store.ScopeStatus) bool,
) ([]trigger.Wanted, error) {
	scopes, err := c.Store.Scopes(ctx, tenant)
	if err != nil {
		return nil, err
	}
	var list []trigger.Wanted
	for _, s := range scopes {
		if !takes(s) {
			continue
		}
		f, err := c.asker.Facts(ctx, tenant, s.Scope, strategy, 0)
		if err != nil {
			return nil, err
		}
		// The slot's own time is compared, not the time at which a late process sees it.
		f.Now = slot
		if due := c.config.Due(f); !due.Needed {
			c.Log.Debug("no run is due", zap.String(telemetry.KeyScope, string(s.Scope)), zap.String(telemetry.KeyReason, due.Reason))
			continue
		}
		list = append(list, trigger.Wanted{
			Tenant: tenant, Scope: s.Scope, Strategy: strategy, Trigger: by, Options: o, Last: f.Last, At: slot,
		})
	}
	return list, nil
}
