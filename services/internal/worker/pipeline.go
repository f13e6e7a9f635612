package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/telemetry"
)

// batchConcurrency is the number of batches that one process works on: one commits
// while the next is prepared. More would only wait in the commit queue while their
// AckWait runs.
const batchConcurrency = 2

// DefaultDrainTimeout limits the work in progress after a process was asked to stop.
const DefaultDrainTimeout = 20 * time.Second

// Pipeline runs one event-driven worker: it fetches, decodes, decides, commits and
// settles. Run is called once; Ready may be called at any time.
type Pipeline struct {
	def        Definition
	deps       Deps
	handler    Handler // of a fast worker, else nil
	work       Work    // of a slow worker, else nil
	notice     *Notice // of the third form, else nil
	source     bus.Source
	principals *principalCache
	overtaker  *overtaker // nil unless the durable permits overtaking
	limits     *limiter   // likewise
	metrics    *metrics
	log        *zap.Logger
	readiness  readiness

	drainTimeout time.Duration
}

// NewPipeline returns the pipeline of a definition with Handle or Work. It opens no
// connection, so that processes may start in any order. A drainTimeout of 0 means
// [DefaultDrainTimeout].
func NewPipeline(def Definition, deps Deps, drainTimeout time.Duration) (*Pipeline, error) {
	p := newPipeline(def, deps, drainTimeout)
	if err := p.build(); err != nil {
		return nil, fmt.Errorf("worker %s: %w", def.Name, err)
	}
	return p, nil
}

// newPipeline returns a pipeline of any form, without its handler and source.
func newPipeline(def Definition, deps Deps, drainTimeout time.Duration) *Pipeline {
	p := &Pipeline{
		def: def, deps: deps,
		principals:   newPrincipalCache(deps.Store, deps.Now),
		metrics:      newMetrics(deps.Metrics, def.Name),
		log:          deps.Log,
		drainTimeout: drainTimeout,
	}
	if drainTimeout <= 0 {
		p.drainTimeout = DefaultDrainTimeout
	}
	p.readiness.set(errors.New("not bound to the bus yet"))
	return p
}

// build sets the handler or the work, and the source, of the definition's form.
func (p *Pipeline) build() (err error) {
	switch {
	case p.def.Handle != nil && p.def.Work == nil && p.def.Batch >= 1:
		p.handler, err = p.def.Handle(p.deps)
	case p.def.Work != nil && p.def.Handle == nil:
		p.work, err = p.def.Work(p.deps)
	default:
		err = errors.New("a pipeline needs either a handler with a batch size of at least 1, or work")
	}
	if err == nil {
		p.source, err = p.deps.Source(p.def.Durable)
	}
	if p.handler != nil && p.def.Durable.Overtake {
		p.limits = newLimiter(Fairness.Of(p.deps), p.deps, p.def.Name)
		p.overtaker = newOvertaker(p)
	}
	return err
}

// Run pulls and handles batches until ctx ends. Then it stops pulling, finishes the
// batches in progress within the drain timeout, returns the others to the bus and
// returns nil. Every other failure is transient: an unavailable store or bus only
// makes Run wait. A notice does not finish its round; the next process repeats it.
func (p *Pipeline) Run(ctx context.Context) error {
	if p.notice != nil {
		var background sync.WaitGroup
		background.Go(func() { p.watchLag(ctx) })
		p.runNotice(ctx)
		background.Wait()
		return nil
	}
	// Work in progress outlives ctx by the drain timeout.
	work, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()

	var inHand sync.WaitGroup
	inHand.Go(func() { p.watchLag(ctx) })
	slots := make(chan struct{}, p.concurrency())
	queue := newCommitQueue()
	for acquireSlot(ctx, slots) {
		// The slot is acquired before the fetch: no event waits in this process.
		batch := p.nextBatch(ctx)
		if len(batch) == 0 {
			<-slots
			continue
		}
		if p.work != nil {
			// Slow events do not wait for each other; row versions guard them.
			queue = newCommitQueue()
		}
		ticket := queue.next()
		inHand.Go(func() {
			defer func() { <-slots }()
			defer ticket.end()
			p.handle(work, ctx.Done(), batch, ticket)
		})
	}
	p.readiness.set(errors.New("draining"))
	if len(slots) > 0 {
		p.deps.At(PointDuringDrain)
	}
	defer time.AfterFunc(p.drainTimeout, abandon).Stop()
	inHand.Wait()
	if s, ok := p.handler.(Stopper); ok {
		s.Stop()
	}
	p.source.Drain()
	return nil
}

// handle processes a batch: it decodes the messages, identifies their publishers,
// and for each tenant prepares, decides, commits and settles. A message that cannot
// be parsed becomes a dead letter. A group that fails is split in halves until the
// event at fault is alone.
func (p *Pipeline) handle(ctx context.Context, draining <-chan struct{}, batch []bus.Message, ticket ticket) {
	defer p.extendAckWait(batch)()

	deliveries := p.decode(ctx, batch)
	policy := newRetryPolicy(p.deps.Store, draining)
	for {
		groups, err := p.resolve(ctx, deliveries)
		if err == nil {
			for _, g := range groups {
				g.deliveries = p.limit(g.deliveries)
				p.settleGroup(ctx, g, ticket, policy)
			}
			return
		}
		if !policy.wait(ctx, err) {
			p.retry(ctx, deliveries, err)
			return
		}
	}
}

// settleGroup applies a group until each of its events is settled: acknowledged, a
// dead letter, or returned for redelivery.
func (p *Pipeline) settleGroup(ctx context.Context, g group, ticket ticket, policy *retryPolicy) {
	for conflicts := 0; len(g.deliveries) > 0; {
		done, err := p.applyGroup(ctx, &g, ticket)
		if err == nil {
			p.deps.At(PointBeforeAck)
			p.acknowledge(ctx, g, done)
			return
		}
		p.log.Debug("batch failed", zap.Int(telemetry.KeyCount, len(g.deliveries)), zap.Error(err))
		switch {
		case errors.Is(err, store.ErrConflict) && conflicts < maxConflicts:
			// A concurrent commit changed the rows; the next attempt reads them.
			conflicts++
		case policy.wait(ctx, err):
			// The store was unavailable and is ready again.
		case ctx.Err() != nil || transient(err):
			p.retry(ctx, g.deliveries, err)
			return
		case len(g.deliveries) == 1:
			p.settleFailed(ctx, g.deliveries[0], err)
			return
		default:
			half := len(g.deliveries) / 2
			p.settleGroup(ctx, group{g.tenant, g.deliveries[:half]}, ticket, policy)
			g = group{g.tenant, g.deliveries[half:]}
			conflicts = 0
		}
	}
}

// applyGroup commits the effect of the group's events, in the worker's form. It
// returns which of the events left in the group took effect in this attempt.
func (p *Pipeline) applyGroup(ctx context.Context, g *group, ticket ticket) (fresh []int, err error) {
	p.deps.At(PointBeforeHandle)
	if p.work != nil {
		return p.applyOne(ctx, g.deliveries[0])
	}
	return p.apply(ctx, g, ticket)
}

// apply prepares a group without a lock and commits it after the batches before it.
// Events that the handler refuses leave the group as dead letters. On success apply
// returns which of the others took effect in this attempt; a duplicate did not.
func (p *Pipeline) apply(ctx context.Context, g *group, ticket ticket) (fresh []int, err error) {
	prepared := p.metrics.stage("prepare")
	plan, err := Guarded(func() (Plan, error) { return p.handler.Prepare(ctx, g.tenant, g.events()) })
	prepared()
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	committed := false
	defer func() { plan.Done(committed) }()

	accepted, items := p.removeRefused(ctx, g, plan)
	if len(items) == 0 {
		return nil, nil
	}
	if err := ticket.wait(ctx); err != nil {
		return nil, err
	}
	defer p.metrics.stage("commit")()
	result, err := Guarded(func() (store.Committed, error) {
		return p.deps.Store.CommitBatch(ctx, g.tenant, store.Batch{
			Consumer:            p.def.Durable.Name,
			Items:               items,
			RefuseUnknownScopes: p.deps.RefuseUnknownScopes,
		}, p.decider(plan, accepted, g.events()))
	})
	if err != nil {
		return nil, fmt.Errorf("commit: %w", err)
	}
	committed = true
	if len(result.Fresh) > 0 {
		p.deps.Publisher.Wake()
	}
	return result.Fresh, nil
}
