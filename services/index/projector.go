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
	// batch is the largest number of events of one rendering.
	batch = 512
	// renderInterval is the least time between two renderings of a scope: a burst of
	// decisions is one commit (SPEC §13).
	renderInterval = time.Second
	// idleWait is how long a projector without events waits before it looks for hand
	// edits.
	idleWait = 5 * time.Second
	// reconcileInterval is the time between two comparisons of everything with the store
	// and the vault's history, for changes that no event announces.
	reconcileInterval = 5 * time.Minute
	// retryAfter is the pause after a failure.
	retryAfter = 5 * time.Second
)

// scopeKey is a scope of a tenant.
type scopeKey struct {
	tenant memory.Tenant
	scope  memory.Scope
}

// projector renders the vaults of all tenants. Several replicas may run on one folder; a
// lease lets one of them write at a time. It is for one goroutine.
type projector struct {
	worker.Deps
	layout     memoryfile.Config
	metrics    metrics
	vaults     map[memory.Tenant]vault.Vault
	reconciled time.Time
	began      time.Time // the last round

	rendered     map[scopeKey]rendered       // the last known state of the vault
	waiting      map[scopeKey]time.Time      // to be rendered, from then on
	pendingEdits map[editKey]pendingEdit     // hand edits without all verdicts
	reported     map[memory.Tenant]string    // the last logged problem
	unwritable   map[memory.Tenant]error     // what readiness says
	retryAt      map[memory.Tenant]time.Time // no attempt before
}

var _ worker.Projection = (*projector)(nil)

// rendered is the state from which a scope was rendered.
type rendered struct {
	version   int64 // of the scope
	committed int64 // of the newest commit, which is older where nothing changed
	// open marks a file with entries that wait for a reviewer; no event announces a
	// rejection.
	open bool
}

func newProjector(deps worker.Deps) *projector {
	return &projector{
		Deps: deps, layout: Layout.Of(deps), metrics: newMetrics(deps.Metrics), vaults: map[memory.Tenant]vault.Vault{},
		rendered: map[scopeKey]rendered{}, waiting: map[scopeKey]time.Time{}, pendingEdits: map[editKey]pendingEdit{},
		reported: map[memory.Tenant]string{}, unwritable: map[memory.Tenant]error{}, retryAt: map[memory.Tenant]time.Time{},
	}
}

// Await implements [worker.Projection]. When the last comparison is too old it compares
// everything, and the round begins at once.
func (p *projector) Await(ctx context.Context) (time.Duration, error) {
	pause(ctx, renderInterval-time.Since(p.began))
	switch {
	case time.Since(p.reconciled) >= reconcileInterval:
		if err := p.stale(ctx); err != nil {
			return 0, fmt.Errorf("compare: %w", err)
		}
		p.reconciled = time.Now()
		return 0, nil
	case len(p.waiting) > 0:
		return renderInterval, nil
	}
	return idleWait, nil
}

// Topic implements [worker.Projection]: an event is about its scope.
func (p *projector) Topic(e worker.Event) (worker.Topic, error) {
	t, err := read(e)
	return worker.Topic{Tenant: t.tenant, Name: string(t.scope)}, err
}

// Project implements [worker.Projection]: it renders the topics' scopes and those that are
// due from earlier rounds. The events of a vault that cannot be written are redelivered,
// to any replica.
func (p *projector) Project(ctx context.Context, topics []worker.TopicEvents) (failed map[int]error, err error) {
	p.began = time.Now()
	wanted := p.due()
	for _, t := range topics {
		wanted[scopeKey{t.Tenant, memory.Scope(t.Name)}] = true
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

// due removes and returns the waiting scopes that may be rendered now.
func (p *projector) due() map[scopeKey]bool {
	due := map[scopeKey]bool{}
	for at, from := range p.waiting {
		if !p.Now().Before(from) {
			due[at] = true
			delete(p.waiting, at)
		}
	}
	return due
}

// pause returns after d or at the end of ctx.
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
