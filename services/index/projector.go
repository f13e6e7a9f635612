package index

import (
	"context"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
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
	// reconcileEvery is how often everything is compared with the store and with
	// the vault's history, for what no event tells.
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
// folder; a lease lets one of them write at a time. One goroutine runs it.
type projector struct {
	worker.Deps
	layout     memoryfile.Config
	source     bus.Source
	metrics    metrics
	vaults     map[memory.Tenant]vault.Vault
	reconciled time.Time

	shown   map[place]shown             // what the vault shows, as far as known here
	waiting map[place]time.Time         // to be rendered, from then on
	asked   map[editKey]asked           // hand edits in hand
	said    map[memory.Tenant]string    // what is wrong, said once
	rested  map[memory.Tenant]time.Time // not tried again before
}

// shown is what a scope was rendered from.
type shown struct {
	version   int64 // of the scope
	committed int64 // of the newest commit, which is older where nothing changed
	// open says that entries were shown which wait for a person; no event tells
	// that one was turned down.
	open bool
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
		Deps: deps, layout: Layout.Of(deps), source: source, metrics: newMetrics(deps.Metrics), vaults: map[memory.Tenant]vault.Vault{},
		shown: map[place]shown{}, waiting: map[place]time.Time{}, asked: map[editKey]asked{},
		said: map[memory.Tenant]string{}, rested: map[memory.Tenant]time.Time{},
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
	for ctx.Err() == nil {
		var messages []bus.Message
		if p.compared(ctx) {
			messages = p.fetch(ctx)
		}
		began := time.Now()
		failed, err := p.round(ctx, p.wanted(ctx, messages))
		p.settle(ctx, messages, failed, err)
		pause(ctx, every-time.Since(began))
	}
	return nil
}

// compared reports that everything was compared lately. Where it was not, it is
// done now and the round begins at once.
func (p *projector) compared(ctx context.Context) bool {
	if time.Since(p.reconciled) < reconcileEvery {
		return true
	}
	if p.try(ctx, "comparing", p.stale(ctx)) {
		p.reconciled = time.Now()
	}
	return false
}

// try logs an error, rests, and reports whether there was none.
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
	wanted := map[place]bool{}
	for at, due := range p.waiting {
		if !p.Now().Before(due) {
			wanted[at] = true
			delete(p.waiting, at)
		}
	}
	for _, m := range messages {
		t, err := read(m)
		if err != nil {
			// Only the relay publishes here; one that cannot be read is kept
			// for whoever wants to know why.
			p.Log.Warn("an event cannot be read", zap.Error(err), zap.Uint64(telemetry.KeySequence, m.Meta().Sequence))
			_ = p.DeadLetters.Put(ctx, durable.Name, m, bus.Reason{Class: "malformed", Text: err.Error()})
			continue
		}
		wanted[t.place] = true
	}
	return wanted
}

// settle acknowledges what was rendered, or waits here to be. The events of a
// vault that cannot be written come back, to whichever replica is well.
func (p *projector) settle(ctx context.Context, messages []bus.Message, failed map[memory.Tenant]error, err error) {
	p.try(ctx, "rendering", err)
	for _, m := range messages {
		t, unread := read(m)
		if err != nil || unread == nil && failed[t.tenant] != nil {
			_ = m.Retry(retryAfter) // unsettled, it comes back as well
			continue
		}
		_ = m.Ack(ctx) // lost, it is rendered once more, to the same bytes
	}
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
