package index

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/vault"
	"github.com/winnowhq/winnow/services/internal/worker"
)

const (
	// batch is how many events one rendering answers at most.
	batch = 512
	// every is the least time between two renderings of a scope: a burst of
	// decisions is one commit (SPEC §13).
	every = time.Second
	// idle is how long a quiet projector waits before it looks for hand edits.
	idle = 5 * time.Second
	// reconcileEvery is how often everything is compared with the store, for
	// what no event tells, such as a hand edit that a person rejected.
	reconcileEvery = 5 * time.Minute
	// retryAfter is the pause after a failure.
	retryAfter = 5 * time.Second
)

// place is a scope of a tenant.
type place struct {
	tenant memory.Tenant
	scope  memory.Scope
}

// projector keeps the vaults of all tenants. Several replicas may run on one
// folder; a lease lets one of them write at a time.
type projector struct {
	worker.Deps
	source  bus.Source
	vaults  map[memory.Tenant]vault.Vault
	shown   map[place]int64 // the version of the scope that the vault shows, as far as known here
	waiting map[place]bool  // to be rendered in a later round
	metrics metrics
}

func newProjector(deps worker.Deps) (worker.Runner, error) {
	if deps.Vault == nil {
		return &asleep{deps.Log}, nil
	}
	source, err := deps.Source(durable)
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	return &projector{
		Deps: deps, source: source, vaults: map[memory.Tenant]vault.Vault{}, shown: map[place]int64{}, waiting: map[place]bool{},
		metrics: newMetrics(deps.Metrics),
	}, nil
}

// asleep stands in where no vault is configured.
type asleep struct{ log *zap.Logger }

// Run implements [worker.Runner].
func (a *asleep) Run(ctx context.Context) error {
	a.log.Warn("vault.dir is not set: no MEMORY.md is written")
	<-ctx.Done()
	return nil
}

// Run implements [worker.Runner].
func (p *projector) Run(ctx context.Context) error {
	defer p.source.Drain()
	var reconciled time.Time
	for ctx.Err() == nil {
		began := time.Now()
		var messages []bus.Message
		if time.Since(reconciled) >= reconcileEvery {
			if p.try(ctx, "reconcile", p.stale(ctx)) {
				reconciled = began
			}
		} else {
			messages = p.fetch(ctx)
		}
		began = time.Now()
		err := p.round(ctx, p.wanted(ctx, messages))
		p.settle(ctx, messages, err)
		pause(ctx, every-time.Since(began))
	}
	return nil
}

// try logs an error and reports whether there was none.
func (p *projector) try(ctx context.Context, what string, err error) bool {
	if err != nil && ctx.Err() == nil {
		p.Log.Warn(what+" is tried again", zap.Error(err))
		pause(ctx, retryAfter)
	}
	return err == nil
}

// fetch takes the events that are there, or returns none when it has been quiet
// for a while or something waits to be rendered again.
func (p *projector) fetch(ctx context.Context) []bus.Message {
	wait := idle
	if len(p.waiting) > 0 {
		wait = every
	}
	quiet, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	messages, err := p.source.Fetch(quiet, batch)
	if err != nil && quiet.Err() == nil {
		p.try(ctx, "fetching", err)
	}
	return messages
}

// wanted is what a round has to look at: the scopes of the events and what was
// left before.
func (p *projector) wanted(ctx context.Context, messages []bus.Message) map[place]bool {
	wanted := p.waiting
	p.waiting = map[place]bool{}
	for _, m := range messages {
		at, err := placeOf(m)
		if err != nil {
			// Only the relay publishes here; one that cannot be read is kept
			// for whoever wants to know why.
			p.Log.Warn("an event cannot be read", zap.Error(err), zap.Uint64(telemetry.KeySequence, m.Meta().Sequence))
			_ = p.DeadLetters.Put(ctx, durable.Name, m, bus.Reason{Class: "malformed", Text: err.Error()})
			continue
		}
		wanted[at] = true
	}
	return wanted
}

// placeOf reads which scope an event is about.
func placeOf(m bus.Message) (place, error) {
	meta := m.Meta()
	e, err := event.Parse(m.Subject(), m.Header(), m.Data(), bus.FallbackID(meta.Stream, meta.Sequence))
	if err != nil {
		return place{}, err
	}
	var scope string
	switch e.Subject {
	case event.SubjectMemoryRecorded:
		var r winnowv1.MemoryRecorded
		err = event.Unmarshal(e, &r)
		scope = r.GetScope()
	case event.SubjectMemoryArchived:
		var a winnowv1.MemoryArchived
		err = event.Unmarshal(e, &a)
		scope = a.GetScope()
	}
	if err != nil {
		return place{}, err
	}
	if e.Tenant == "" {
		return place{}, errors.New("the event names no tenant")
	}
	parsed, err := memory.ParseScope(scope)
	return place{memory.Tenant(e.Tenant), parsed}, err
}

// settle acknowledges what was rendered. After a failure the events come back,
// to whichever replica is well.
func (p *projector) settle(ctx context.Context, messages []bus.Message, err error) {
	if !p.try(ctx, "rendering", err) {
		for _, m := range messages {
			_ = m.Retry(retryAfter) // unsettled, it comes back as well
		}
		return
	}
	for _, m := range messages {
		_ = m.Ack(ctx) // lost, it is rendered once more, to the same bytes
	}
}

// stale adds to what waits every scope whose version the vault does not show.
func (p *projector) stale(ctx context.Context) error {
	tenants, err := p.Store.Tenants(ctx)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		scopes, err := p.Store.Scopes(ctx, tenant)
		if err != nil {
			return err
		}
		for _, s := range scopes {
			at := place{tenant, s.Scope}
			if p.shown[at] != s.Version {
				p.waiting[at] = true
			}
		}
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
