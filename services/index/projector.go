package index

import (
	"context"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
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
	metrics    metrics
	vaults     map[memory.Tenant]vault.Vault
	reconciled time.Time
	began      time.Time // the last round

	shown   map[place]shown             // what the vault shows, as far as known here
	waiting map[place]time.Time         // to be rendered, from then on
	asked   map[editKey]asked           // hand edits in hand
	said    map[memory.Tenant]string    // what is wrong, said once
	rested  map[memory.Tenant]time.Time // not tried again before
}

var _ worker.Projection = (*projector)(nil)

// shown is what a scope was rendered from.
type shown struct {
	version   int64 // of the scope
	committed int64 // of the newest commit, which is older where nothing changed
	// open says that entries were shown which wait for a person; no event tells
	// that one was turned down.
	open bool
}

func newProjector(deps worker.Deps) *projector {
	return &projector{
		Deps: deps, layout: Layout.Of(deps), metrics: newMetrics(deps.Metrics), vaults: map[memory.Tenant]vault.Vault{},
		shown: map[place]shown{}, waiting: map[place]time.Time{}, asked: map[editKey]asked{},
		said: map[memory.Tenant]string{}, rested: map[memory.Tenant]time.Time{},
	}
}

// Await implements [worker.Projection]. It compares everything where that was not
// done lately; the round then begins at once.
func (p *projector) Await(ctx context.Context) (time.Duration, error) {
	pause(ctx, every-time.Since(p.began))
	switch {
	case time.Since(p.reconciled) >= reconcileEvery:
		if err := p.stale(ctx); err != nil {
			return 0, fmt.Errorf("compare: %w", err)
		}
		p.reconciled = time.Now()
		return 0, nil
	case len(p.waiting) > 0:
		return every, nil
	}
	return idle, nil
}

// Topic implements [worker.Projection]: an event is about its scope.
func (p *projector) Topic(e worker.Event) (worker.Topic, error) {
	t, err := read(e)
	return worker.Topic{Tenant: t.tenant, Name: string(t.scope)}, err
}

// Project implements [worker.Projection]: it renders the scopes and what was left
// before. The events of a vault that cannot be written come back, to whichever
// replica is well.
func (p *projector) Project(ctx context.Context, topics []worker.TopicEvents) (failed map[int]error, err error) {
	p.began = time.Now()
	wanted := p.due()
	for _, t := range topics {
		wanted[place{t.Tenant, memory.Scope(t.Name)}] = true
	}
	ill, err := p.round(ctx, wanted)
	if err != nil {
		return nil, worker.Snooze(retryAfter, fmt.Errorf("render: %w", err))
	}
	failed = map[int]error{}
	for i, t := range topics {
		if err := ill[t.Tenant]; err != nil {
			failed[i] = worker.Snooze(retryAfter, err)
		}
	}
	return failed, nil
}

// due is what was left before and may be rendered now.
func (p *projector) due() map[place]bool {
	due := map[place]bool{}
	for at, from := range p.waiting {
		if !p.Now().Before(from) {
			due[at] = true
			delete(p.waiting, at)
		}
	}
	return due
}

// pause waits for d or the end of ctx.
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
