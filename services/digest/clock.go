package digest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/review/page"
	"github.com/winnowhq/winnow/services/internal/schedule"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker"
)

const (
	// scheduleName names the schedule in the store.
	scheduleName = "digest"
	// longestWait bounds a wait, because a laptop may sleep and new tenants may appear.
	longestWait = 30 * time.Second
	// shortestWait is the least time between two attempts at a failing slot.
	shortestWait = time.Second
)

// clock emits due events. Every replica runs one.
type clock struct {
	worker.Deps
	config Config
	asking page.Config
	due    schedule.Schedule
}

func newClock(deps worker.Deps) (worker.Runner, error) {
	c := &clock{Deps: deps, config: Settings.Of(deps), asking: Asking(deps.Settings)}
	var err error
	c.due, err = schedule.New(c.config.Schedule, c.config.Zone)
	if err != nil {
		return nil, fmt.Errorf("digest: %w", err)
	}
	return c, nil
}

// Run implements [worker.Runner].
func (c *clock) Run(ctx context.Context) error {
	for {
		if err := c.look(ctx); err != nil && ctx.Err() == nil {
			c.Log.Warn("the digest's schedule is looked at again later", zap.Error(err))
		}
		select {
		case <-time.After(c.wait()):
		case <-ctx.Done():
			return nil
		}
	}
}

// wait returns how long until a digest may be due.
func (c *clock) wait() time.Duration {
	now := c.Now()
	next := c.due.Next(now)
	if next.IsZero() {
		return longestWait // the schedule has no date in the next years
	}
	return min(max(next.Sub(now), shortestWait), longestWait)
}

// look announces the due digests of every tenant. An error of one tenant does not stop
// the others.
func (c *clock) look(ctx context.Context) error {
	tenants, err := c.Store.Tenants(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, tenant := range tenants {
		if err := c.tenant(ctx, tenant); err != nil {
			failed = append(failed, fmt.Errorf("tenant %s: %w", tenant, err))
		}
	}
	return errors.Join(failed...)
}

func (c *clock) tenant(ctx context.Context, tenant memory.Tenant) error {
	now := c.Now().UTC().Truncate(time.Microsecond)
	last, err := c.Store.LastSlot(ctx, tenant, scheduleName)
	if err != nil {
		return err
	}
	if last.IsZero() {
		// The schedule of a new tenant begins now: it has missed no earlier slot.
		_, err := c.Store.Commit(ctx, tenant, change.Set{Slot: &change.Slot{Schedule: scheduleName, At: now}}, store.InboxKey{})
		return err
	}
	slot, ok := c.due.Due(last, now)
	if !ok {
		return nil
	}
	reviewers, err := review.Reviewers(ctx, c.Store, tenant, c.asking.Reviewer)
	if err != nil {
		return err
	}
	done, err := c.Store.Commit(ctx, tenant, c.announce(slot, reviewers), store.InboxKey{})
	if err == nil && !done {
		c.Log.Info("digest is due", zap.Time("slot", slot), zap.Int("reviewers", len(reviewers)))
		c.Publisher.Wake()
	}
	return err
}

// announce claims the slot and emits, in the same transaction, a due event for each
// reviewer.
func (c *clock) announce(slot time.Time, reviewers []string) change.Set {
	set := change.Set{Slot: &change.Slot{Schedule: scheduleName, At: slot}}
	name := page.SlotName(c.config.Schedule, slot, c.due.Location())
	for _, who := range reviewers {
		id := c.NewID(memory.PrefixEvent)
		set.Events = append(set.Events, change.Event{
			ID: id, Subject: event.SubjectDigestDue, Type: event.TypeFor(event.SubjectDigestDue),
			Message: &winnowv1.DigestDue{Id: id, Reviewer: who, Slot: name, DueAt: timestamppb.New(slot)},
		})
	}
	return set
}
