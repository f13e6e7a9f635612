package consolidate

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/consolidation/trigger"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// counted delivers the scopes that got a memory, whose count may have passed the
// threshold.
var counted = bus.Durable{
	Stream:     bus.StreamMemory,
	Name:       "consolidate-count",
	Filters:    []string{event.SubjectMemoryRecorded},
	AckWait:    60 * time.Second,
	MaxPending: 4096,
	MaxDeliver: -1, // looking again is harmless
}

const (
	// countBatch is how many events one round reads.
	countBatch = 512
	// lastLook bounds the looks of a process that stops.
	lastLook = 5 * time.Second
)

// notices is [worker.Definition.Notices].
func notices(d worker.Deps) ([]worker.Notice, error) {
	c := Settings.Of(d)
	return []worker.Notice{{Durable: counted, Batch: countBatch, Projection: &counter{
		Deps: d, config: c, asker: newAsker(d, c), bursts: newResting(c.Rest),
	}}}, nil
}

// counter asks for a run of a scope that has more memories than the threshold, when the
// scope rests. It is a notice: events may come twice, late or not at all. A scope whose
// event was lost, such as one that waited when the process was killed, is looked at with
// its next memory, or by the interval. A process that stops looks at all that wait.
type counter struct {
	worker.Deps
	config Config
	asker  *trigger.Asker

	mu      sync.Mutex
	bursts  *resting
	stopped bool // no round looks at what waits
}

var (
	_ worker.Projection = (*counter)(nil)
	_ worker.Runner     = (*counter)(nil)
)

// Await implements [worker.Projection].
func (c *counter) Await(context.Context) (time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bursts.wait(c.Now()), nil
}

// Run implements [worker.Runner]: it looks at the scopes that wait when the process
// stops, because nobody else knows of them.
func (c *counter) Run(ctx context.Context) error {
	<-ctx.Done()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastLook)
	defer cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	c.lookAt(ctx, c.bursts.all())
	return nil
}

// Topic implements [worker.Projection]: an event is about its scope.
func (c *counter) Topic(e worker.Event) (worker.Topic, error) {
	var r winnowv1.MemoryRecorded
	if err := event.Unmarshal(e.Envelope, &r); err != nil {
		return worker.Topic{}, err
	}
	if _, err := memory.ParseScope(r.GetScope()); err != nil {
		return worker.Topic{}, worker.Permanent("malformed", err)
	}
	return worker.Topic{Tenant: e.Tenant, Name: r.GetScope()}, nil
}

// Project implements [worker.Projection].
func (c *counter) Project(ctx context.Context, topics []worker.TopicEvents) (map[int]error, error) {
	if c.config.Count == 0 {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.Now()
	for _, t := range topics {
		c.bursts.note(t.Topic, now)
	}
	due := c.bursts.due(now)
	if c.stopped {
		due = append(due, c.bursts.all()...)
	}
	c.lookAt(ctx, due)
	return nil, nil
}

// lookAt looks at scopes. One that fails is looked at again after the next rest.
func (c *counter) lookAt(ctx context.Context, due []worker.Topic) {
	for _, t := range due {
		if err := c.look(ctx, t.Tenant, memory.Scope(t.Name)); err != nil {
			c.Log.Warn("the count of a scope is looked at again later", zap.String(telemetry.KeyScope, t.Name), zap.Error(err))
			c.bursts.note(t, c.Now())
		}
	}
}

// look asks for a run of the scope where one is needed.
func (c *counter) look(ctx context.Context, tenant memory.Tenant, scope memory.Scope) error {
	f, err := c.asker.Facts(ctx, tenant, scope, memory.RunSimilar, c.config.Count)
	if err != nil {
		return err
	}
	if !c.config.Should(f, 0).Needed {
		return nil
	}
	newest, err := c.newest(ctx, tenant, scope)
	if err != nil {
		return err
	}
	name, at := c.config.CountSlot(scope, newest)
	if at.After(f.Now) {
		return nil // the newest run failed, less than a window ago
	}
	_, set := c.asker.Ask(trigger.Wanted{
		Tenant: tenant, Scope: scope, Strategy: memory.RunSimilar, Trigger: memory.TriggerThreshold, Last: f.Last,
		Options: c.config.Options(memory.RunOptions{}),
	})
	set.Slot = &change.Slot{Schedule: name, At: at}
	done, err := c.Store.Commit(ctx, tenant, set, store.InboxKey{})
	switch {
	case errors.Is(err, store.ErrConflict):
		return nil // another run of the scope began meanwhile
	case err == nil && !done:
		c.Log.Info("consolidation is asked for by the count", zap.String(telemetry.KeyScope, string(scope)), zap.Int("threshold", c.config.Count))
		c.Publisher.Wake()
	}
	return err
}

// newest returns when the scope's newest run by similarity was asked for, dry runs left
// out, or zero.
func (c *counter) newest(ctx context.Context, tenant memory.Tenant, scope memory.Scope) (time.Time, error) {
	list, err := c.Store.Runs(ctx, tenant, store.RunQuery{Scope: scope, Strategy: memory.RunSimilar, Newest: true, Limit: 100})
	if err != nil {
		return time.Time{}, err
	}
	for _, r := range list {
		if !r.Options.DryRun {
			return r.RequestedAt, nil
		}
	}
	return time.Time{}, nil
}
