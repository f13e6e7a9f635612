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

// hands is how many batches one process has in hand: one that commits and one
// that is being prepared meanwhile. More would only wait for their turn while
// their AckWait runs.
const hands = 2

// DefaultDrainTimeout is how long work in hand may take once a process was told
// to stop.
const DefaultDrainTimeout = 20 * time.Second

// Pipeline runs one worker that is driven by events. Run is called once; Ready
// may be called at any time.
type Pipeline struct {
	def        Definition
	deps       Deps
	handler    Handler // of a fast worker, else nil
	work       Work    // of a slow worker, else nil
	notice     *Notice // of the third form, else nil
	source     bus.Source
	principals *principals
	metrics    *metrics
	log        *zap.Logger
	readiness  readiness

	drainTimeout time.Duration
}

// NewPipeline builds the worker and binds its source. It connects to nothing
// yet, so that processes may start in any order. A drainTimeout of 0 means
// DefaultDrainTimeout.
func NewPipeline(def Definition, deps Deps, drainTimeout time.Duration) (*Pipeline, error) {
	p := newPipeline(def, deps, drainTimeout)
	if err := p.build(); err != nil {
		return nil, fmt.Errorf("worker %s: %w", def.Name, err)
	}
	return p, nil
}

// newPipeline is a pipeline of any form, still without its handler and source.
func newPipeline(def Definition, deps Deps, drainTimeout time.Duration) *Pipeline {
	p := &Pipeline{
		def: def, deps: deps,
		principals:   newPrincipals(deps.Store, deps.Now),
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

// build makes the worker in the one form that its definition has.
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
	return err
}

// Run pulls and handles batches until ctx ends. Then it stops pulling, finishes
// what is in hand within the drain timeout, hands the rest back to the bus and
// returns nil. It heals by itself from everything else: a store or a bus that
// is away only makes it wait. A notice does not finish its round: that is made
// again by whoever is next.
func (p *Pipeline) Run(ctx context.Context) error {
	if p.notice != nil {
		var beside sync.WaitGroup
		beside.Go(func() { p.watchLag(ctx) })
		p.runNotice(ctx)
		beside.Wait()
		return nil
	}
	// Work in hand outlives ctx by the drain timeout.
	work, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()

	var inHand sync.WaitGroup
	inHand.Go(func() { p.watchLag(ctx) })
	slots := make(chan struct{}, p.hands())
	line := newLine()
	for takeSlot(ctx, slots) {
		// The slot comes before the fetch: nothing waits in this process.
		batch := p.fetch(ctx)
		if len(batch) == 0 {
			<-slots
			continue
		}
		if p.work != nil {
			// Slow events do not wait for each other; versions guard them.
			line = newLine()
		}
		turn := line.next()
		inHand.Go(func() {
			defer func() { <-slots }()
			defer turn.end()
			p.handle(work, ctx.Done(), batch, turn)
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

// handle is the whole way of a batch of events: decode, find out who published,
// and per tenant prepare, decide and commit, then settle. What cannot be read
// becomes a dead letter; what fails is tried again, in halves, until the event
// that is to blame stands alone.
func (p *Pipeline) handle(ctx context.Context, draining <-chan struct{}, batch []bus.Message, turn turn) {
	defer p.keepInHand(batch)()

	deliveries := p.decode(ctx, batch)
	patience := newPatience(p.deps.Store, draining)
	for {
		groups, err := p.resolve(ctx, deliveries)
		if err == nil {
			for _, g := range groups {
				p.settleGroup(ctx, g, turn, patience)
			}
			return
		}
		if !patience.wait(ctx, err) {
			p.retry(ctx, deliveries, err)
			return
		}
	}
}

// settleGroup tries a group until each of its events is settled: acknowledged,
// a dead letter, or handed back for another delivery.
func (p *Pipeline) settleGroup(ctx context.Context, g group, turn turn, patience *patience) {
	for conflicts := 0; len(g.deliveries) > 0; {
		done, err := p.applyGroup(ctx, &g, turn)
		if err == nil {
			p.deps.At(PointBeforeAck)
			p.acknowledge(ctx, g, done)
			return
		}
		p.log.Debug("batch failed", zap.Int(telemetry.KeyCount, len(g.deliveries)), zap.Error(err))
		switch {
		case errors.Is(err, store.ErrConflict) && conflicts < maxConflicts:
			// Somebody else was faster; the news is there now.
			conflicts++
		case patience.wait(ctx, err):
			// The store was away and is back.
		case ctx.Err() != nil || transient(err):
			p.retry(ctx, g.deliveries, err)
			return
		case len(g.deliveries) == 1:
			p.giveUpTry(ctx, g.deliveries[0], err)
			return
		default:
			half := len(g.deliveries) / 2
			p.settleGroup(ctx, group{g.tenant, g.deliveries[:half]}, turn, patience)
			g = group{g.tenant, g.deliveries[half:]}
			conflicts = 0
		}
	}
}

// applyGroup takes the group's events to their effect, in the worker's form. It
// returns which of those that are left in the group took effect now.
func (p *Pipeline) applyGroup(ctx context.Context, g *group, turn turn) (fresh []int, err error) {
	p.deps.At(PointBeforeHandle)
	if p.work != nil {
		return p.applyOne(ctx, g.deliveries[0])
	}
	return p.apply(ctx, g, turn)
}

// apply prepares a group without holding anything, and commits it when its turn
// has come. Events that the handler refuses for good leave the group as dead
// letters. On success it returns which of the rest took effect now.
func (p *Pipeline) apply(ctx context.Context, g *group, turn turn) (fresh []int, err error) {
	prepared := p.metrics.stage("prepare")
	plan, err := Guarded(func() (Plan, error) { return p.handler.Prepare(ctx, g.tenant, g.events()) })
	prepared()
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	committed := false
	defer func() { plan.Done(committed) }()

	kept, items := p.sortOut(ctx, g, plan)
	if len(items) == 0 {
		return nil, nil
	}
	if err := turn.wait(ctx); err != nil {
		return nil, err
	}
	defer p.metrics.stage("commit")()
	result, err := Guarded(func() (store.Committed, error) {
		return p.deps.Store.CommitBatch(ctx, g.tenant, store.Batch{
			Consumer:            p.def.Durable.Name,
			Items:               items,
			RefuseUnknownScopes: p.deps.RefuseUnknownScopes,
		}, p.decider(plan, kept))
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
