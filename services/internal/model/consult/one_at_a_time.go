package consult

import (
	"context"
	"sync"
)

// oneAtATime lets the questions of one key follow each other in this process, so that
// the second finds the answer of the first in the store instead of paying for its own.
// A broker may deliver an event again while its first delivery still waits for the
// model. Other keys do not wait. Its zero value is ready; it is safe for concurrent use.
type oneAtATime struct {
	mu   sync.Mutex
	busy map[string]chan struct{} // closed when the key is free
}

// acquire waits until no other caller holds the key and returns its release. The error
// is that of ctx.
func (o *oneAtATime) acquire(ctx context.Context, key string) (release func(), err error) {
	for {
		o.mu.Lock()
		held, busy := o.busy[key]
		if !busy {
			if o.busy == nil {
				o.busy = map[string]chan struct{}{}
			}
			free := make(chan struct{})
			o.busy[key] = free
			o.mu.Unlock()
			return func() {
				o.mu.Lock()
				delete(o.busy, key)
				o.mu.Unlock()
				close(free)
			}, nil
		}
		o.mu.Unlock()
		select {
		case <-held:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
