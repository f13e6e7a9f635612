package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/bus"
)

// acquireSlot waits for a free slot of the process's concurrency and reports
// whether it acquired one. It returns false when ctx ends.
func acquireSlot(ctx context.Context, slots chan struct{}) bool {
	if ctx.Err() != nil {
		return false
	}
	select {
	case slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// nextBatch returns the events that overtake a flood, or waits for one batch of the
// durable. It returns nil when ctx ends, and now and then without an event.
func (p *Pipeline) nextBatch(ctx context.Context) []bus.Message {
	if p.overtaker == nil {
		return p.fetch(ctx)
	}
	if batch := p.overtaker.batch(ctx); len(batch) > 0 {
		return batch
	}
	if p.limits.postponing() {
		// Postponed events may occupy all that the durable delivers.
		short, cancel := context.WithTimeout(ctx, overtakeEvery)
		defer cancel()
		ctx = short
	}
	batch := p.fetch(ctx)
	return p.overtaker.pulled(ctx, batch, len(batch) >= p.pull())
}

// fetch waits for one batch and returns it, or nil when ctx ends or the source is
// drained. While the store or the bus is unavailable it pulls nothing and tries
// again with backoff: a pull would use up deliveries of events that cannot commit.
func (p *Pipeline) fetch(ctx context.Context) []bus.Message {
	pause := firstWait
	for ctx.Err() == nil {
		err := p.ready(ctx)
		if err == nil {
			var batch []bus.Message
			if batch, err = p.source.Fetch(ctx, p.pull()); err == nil {
				return batch
			}
		}
		if ctx.Err() != nil || errors.Is(err, bus.ErrDrained) {
			break
		}
		if p.readiness.set(err) {
			p.log.Warn("waiting", zap.Error(err))
		}
		select {
		case <-time.After(jitter(pause)):
		case <-ctx.Done():
		}
		pause = min(2*pause, longestWait)
	}
	return nil
}

// ready checks the store and the durable after a failure. Without one it asks
// nothing: the commits themselves show an outage.
func (p *Pipeline) ready(ctx context.Context) error {
	if p.readiness.get() == nil {
		return nil
	}
	if err := storeReady(ctx, p.deps.Store.Ready); err != nil {
		return err
	}
	// Readiness includes binding to the durable, and must not wait for an event.
	if _, _, err := p.source.Pending(ctx); err != nil {
		return err
	}
	if p.readiness.set(nil) {
		p.log.Info("ready")
	}
	return nil
}

// Ready returns nil while the worker pulls events, otherwise the reason why not:
// the bus, the durable or the store is unavailable, or the worker is draining. Safe
// for concurrent use.
func (p *Pipeline) Ready() error { return p.readiness.get() }

// readiness holds the last known state. Safe for concurrent use.
type readiness struct {
	mu  sync.Mutex
	err error
}

func (r *readiness) get() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// set stores the state and reports whether it differs from the one before.
func (r *readiness) set(err error) (changed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed = (err == nil) != (r.err == nil) || err != nil && err.Error() != r.err.Error()
	r.err = err
	return changed
}
