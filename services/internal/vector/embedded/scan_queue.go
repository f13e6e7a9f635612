package embedded

import (
	"context"
	"slices"
	"sync"

	"github.com/winnowhq/winnow/services/internal/vector"
)

// together is how many searches share one pass over a tenant's vectors. Beyond a
// few there is nothing to gain: a block is read from memory once for all of them,
// and computing takes over.
const together = 4

// ask is a search that waits in line, and then its answer.
type ask struct {
	within vector.Filter
	dense  []float32 // of unit length; nil: not asked for
	least  float64   // cosines above it
	exact  bool      // cosines are those of [vector.Cosine]
	terms  []uint32
	limit  int

	lists vector.Lists
	done  chan struct{} // closed when lists is the answer
}

// line is where searches of one tenant wait, in order.
type line struct {
	mu   sync.Mutex
	asks []*ask
}

func (l *line) join(a *ask) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asks = append(l.asks, a)
}

// leave gives up a place, if it has not been served yet.
func (l *line) leave(a *ask) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asks = slices.DeleteFunc(l.asks, func(other *ask) bool { return other == a })
}

// take removes the first few.
func (l *line) take() []*ask {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := min(together, len(l.asks))
	taken := slices.Clone(l.asks[:n])
	l.asks = slices.Delete(l.asks, 0, n)
	return taken
}

// answer waits for a processor and then serves whoever is first in line, until
// somebody, perhaps another, has served a. Waiting costs nothing: those who wait
// are answered together, from one reading of the vectors.
func (b *Backend) answer(ctx context.Context, s *shard, a *ask) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a.done = make(chan struct{})
	s.line.join(a)
	for {
		select {
		case <-a.done:
			return nil
		case <-ctx.Done():
			s.line.leave(a)
			return ctx.Err()
		case b.scans <- struct{}{}:
			// The turn comes before the lock, so that a writer waits for scans
			// that run and never for scans that wait.
			b.serve(s, s.line.take())
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
		scans[i] = s.begin(a)
		a.lists.Lexical = s.lexical(scans[i].view, a.terms, a.limit, scratch)
	}
	for n, block := range s.blocks {
		for _, scan := range scans {
			scan.block(n, block)
		}
	}
	for i, a := range asks {
		a.lists.Dense = scans[i].end()
		close(a.done)
	}
}
