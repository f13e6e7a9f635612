package embedded

import (
	"context"
	"slices"
	"sync"

	"github.com/winnowhq/winnow/services/internal/vector"
)

// sharedPass is how many searches share one pass over a tenant's vectors. More gain
// nothing: a block is read from memory once for all of them, and the arithmetic
// dominates.
const sharedPass = 4

// ask is a queued search, and then its answer.
type ask struct {
	within vector.Filter
	dense  []float32 // of unit length; nil: not asked for
	least  float64   // minimum cosine, exclusive
	exact  bool      // cosines are those of [vector.Cosine]
	terms  []uint32
	limit  int
	space  *vector.Lists // for the hits

	lists vector.Lists
	done  chan struct{} // closed once lists is set
}

// scanQueue is the queue of searches of one tenant, in order of arrival.
type scanQueue struct {
	mu   sync.Mutex
	asks []*ask
}

func (q *scanQueue) add(a *ask) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.asks = append(q.asks, a)
}

// remove takes a search out of the queue, and reports whether it was still there.
func (q *scanQueue) remove(a *ask) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := len(q.asks)
	q.asks = slices.DeleteFunc(q.asks, func(other *ask) bool { return other == a })
	return len(q.asks) < n
}

// next removes and returns the first searches, as many as share a pass.
func (q *scanQueue) next() []*ask {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(sharedPass, len(q.asks))
	first := slices.Clone(q.asks[:n])
	q.asks = slices.Delete(q.asks, 0, n)
	return first
}

// answer waits for a scan slot and then serves the first searches in the queue, until
// this or another goroutine has served a. Queued searches cost nothing: they are
// answered sharedPass, from one pass over the vectors.
func (b *Backend) answer(ctx context.Context, s *shard, a *ask) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a.done = make(chan struct{})
	s.queue.add(a)
	for {
		select {
		case <-a.done:
			return nil
		case <-ctx.Done():
			if !s.queue.remove(a) {
				<-a.done // its space is being written
			}
			return ctx.Err()
		case b.scans <- struct{}{}:
			// The slot is acquired before the lock, so that a writer waits for running
			// scans and never for queued ones.
			b.serve(s, s.queue.next())
			<-b.scans
		}
	}
}

// serve answers several searches in one pass.
func (b *Backend) serve(s *shard, asks []*ask) {
	if len(asks) == 0 {
		return
	}
	scratch := b.sums.Get().(*sums)
	defer b.sums.Put(scratch)
	s.mu.RLock()
	defer s.mu.RUnlock()
	scans := make([]*scan, len(asks))
	for i, a := range asks {
		scans[i] = s.begin(a, &scratch.scans[i])
		a.lists.Lexical = s.hits(s.lexical(scans[i].view, a.terms, a.limit, scratch), a.space.Lexical)
	}
	for n := range s.blocks {
		for _, scan := range scans {
			scan.block(n)
		}
	}
	for i, a := range asks {
		a.lists.Dense = s.hits(scans[i].end(), a.space.Dense)
		*a.space = a.lists
		close(a.done)
	}
}
