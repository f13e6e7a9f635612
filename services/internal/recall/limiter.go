package recall

import (
	"context"
	"runtime"
	"sync"

	"github.com/winnowhq/winnow/services/internal/vector"
)

// limiter bounds concurrent searches to GOMAXPROCS, in order of arrival. A search is
// about 1 ms of CPU: eight at once on two processors make all of them as slow as the
// slowest, and the scheduler may preempt one behind dozens of others. Queueing halves
// the tail latency. The zero value is ready.
type limiter struct {
	once sync.Once
	free chan struct{} // slots that are not held
	// back hands a slot to a search that released its own for a wait. That search has
	// queued before; behind all that arrived meanwhile it would be the slowest.
	back chan struct{}
}

// slot is the right of one search to use a processor. The zero value holds none.
type slot struct{ of *limiter }

// acquire waits for a slot; a channel serves its waiters in order. The error is that of
// ctx.
func (l *limiter) acquire(ctx context.Context) (slot, error) {
	l.once.Do(func() {
		slots := min(runtime.GOMAXPROCS(0), runtime.NumCPU())
		l.free, l.back = make(chan struct{}, slots), make(chan struct{})
		for range slots {
			l.free <- struct{}{}
		}
	})
	select {
	case <-l.free:
		return slot{l}, nil
	case <-ctx.Done():
		return slot{}, ctx.Err()
	}
}

// reacquire waits for a slot after a yield, ahead of new searches.
func (l *limiter) reacquire() {
	select {
	case <-l.back:
	case <-l.free:
	}
}

func (l *limiter) release() {
	select {
	case l.back <- struct{}{}: // a search waits in reacquire
	default:
		l.free <- struct{}{}
	}
}

// acquire returns a slot for the search, the zero slot where Recall is not Local. The
// index checks for changes before, because that check waits for Postgres.
func (r *Recall) acquire(ctx context.Context, q Question) (slot, error) {
	if !r.Local {
		return slot{}, nil
	}
	if err := r.ready(ctx, q); err != nil {
		return slot{}, err
	}
	return r.limiter.acquire(ctx)
}

// ready lets an index that implements [vector.Readier] catch up for the question.
// Errors of the generation are left to the search, which meets them too.
func (r *Recall) ready(ctx context.Context, q Question) error {
	x, err := r.Index.Serving(ctx)
	if err != nil {
		return nil //nolint:nilerr // the search meets it too
	}
	if x, ok := x.(vector.Readier); ok {
		return x.Ready(ctx, q.within())
	}
	return nil
}

func (s slot) release() {
	if s.of != nil {
		s.of.release()
	}
}

// yield releases the slot while wait runs, and acquires one again.
func (s slot) yield(wait func() error) error {
	if s.of == nil {
		return wait()
	}
	s.of.release()
	err := wait()
	// The caller must release the slot at its end, so one is acquired even after an
	// error; other searches compute for milliseconds.
	s.of.reacquire()
	return err
}
