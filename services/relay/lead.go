package relay

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/store"
)

const (
	// pollInterval bounds the delay after a lost wake-up.
	pollInterval = time.Second
	// firstPause and longestPause bound the wait after a failure.
	firstPause   = 100 * time.Millisecond
	longestPause = 2 * time.Second
)

// leadLoop waits for the lease, leads until it is lost, and repeats both until ctx
// ends.
func (r *relay) leadLoop(ctx context.Context) error {
	for pause := firstPause; ctx.Err() == nil; {
		lease, err := r.deps.Store.Lead(ctx)
		if err != nil {
			if ctx.Err() == nil {
				r.log.Warn("cannot ask for the lead", zap.Error(err))
			}
			sleep(ctx, pause)
			pause = min(2*pause, longestPause)
			continue
		}
		pause = firstPause
		r.log.Info("leading")
		r.lead(ctx, lease)
		lease.Release()
		if ctx.Err() == nil {
			r.log.Warn("lost the lead")
		}
	}
	return nil
}

// lead does the leader's work until ctx ends or the lease is lost.
func (r *relay) lead(ctx context.Context, lease store.Lease) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-lease.Lost():
			cancel()
		case <-ctx.Done():
		}
	}()
	var both sync.WaitGroup
	both.Go(func() { r.publish(ctx) })
	both.Go(func() { r.maintain(ctx) })
	both.Wait()
}

// sleep returns after d or at the end of ctx.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
