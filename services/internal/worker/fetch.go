package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/bus"
)

// takeSlot waits until the process has a hand free. It reports false, without
// one, when ctx ends.
func takeSlot(ctx context.Context, slots chan struct{}) bool {
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

// fetch pulls one batch, waiting for it, and pulls nothing while the store is
// away: that would burn deliveries. It returns nothing when there is no
// batch this time: ctx ended, or a part is away and a pause is over.
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

// ready asks the store when something was wrong before; while all is well the
// commits themselves tell.
func (p *Pipeline) ready(ctx context.Context) error {
	if p.readiness.get() == nil {
		return nil
	}
	if err := storeReady(ctx, p.deps.Store.Ready); err != nil {
		return err
	}
	// Binding is part of being ready, and an empty stream must not delay it.
	if _, _, err := p.source.Pending(ctx); err != nil {
		return err
	}
	if p.readiness.set(nil) {
		p.log.Info("ready")
	}
	return nil
}

// Ready returns nil while the worker takes events, else what is missing: the
// bus, the durable, the store, or that it drains. Safe for concurrent use.
func (p *Pipeline) Ready() error { return p.readiness.get() }

// readiness is the last known state. Safe for concurrent use.
type readiness struct {
	mu  sync.Mutex
	err error
}

func (r *readiness) get() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// set reports whether that is news.
func (r *readiness) set(err error) (changed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed = (err == nil) != (r.err == nil) || err != nil && err.Error() != r.err.Error()
	r.err = err
	return changed
}
