package triage

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// besideIndex is what decisions in a narrow lane say of where the rest came from.
const besideIndex = "index"

// neighbours asks the index which memories of a scope are worth comparing with a
// text. What it names is read anew under the lock, so an index that is behind can
// miss a row and never brings back one that is gone.
type neighbours struct {
	index vector.Backend
	words *search.Analyzer
	model string // whose vectors texts have, empty for none
	// begin runs what outlives a batch.
	begin func(func(context.Context))

	mu      sync.Mutex
	loading map[memory.Tenant]*readying // in this process, until it answered
	failed  time.Time                   // when the index last failed to answer
}

// readying is an index in this process that reads a tenant's memories before it
// can answer.
type readying struct {
	done chan struct{} // closed when err is set
	err  error
	late bool // was waited for in vain
}

var errNotReady = errors.New("the index is getting ready")

const (
	// neighboursWanted is how many memories each list of the index names for a
	// text: twice what a lane compares in full.
	neighboursWanted = 16
	// neighboursAtOnce is how many questions a batch asks at once.
	neighboursAtOnce = 8
	// neighboursWithin is how long a batch waits for the index. Its events come
	// back when that is over, and others do not wait for them.
	neighboursWithin = 2 * time.Second
	// readyWithin is how long it waits for an index in this process that is being
	// loaded.
	readyWithin = 250 * time.Millisecond
	// pauseAfter is how long an index that failed is not asked.
	pauseAfter = 5 * time.Second
)

// asked is what was found out of a scope before its lock: what its narrow lane
// lacks.
type asked struct {
	ids    map[string]bool
	hashes []memory.TextHash
}

// missing are the ids that the lane does not have.
func (a *asked) missing(l *cachedLane) []string {
	var out []string
	for id := range a.ids {
		if !l.Has(id) {
			out = append(out, id)
		}
	}
	return out
}

// near asks for the neighbours of some texts of one scope. After a failure it
// fails at once for a while, so that an outage delays no other scope.
func (n *neighbours) near(ctx context.Context, tenant memory.Tenant, scope memory.Scope, texts []*wording.Text) (*asked, error) {
	n.mu.Lock()
	paused := time.Since(n.failed) < pauseAfter
	n.mu.Unlock()
	if paused {
		return nil, fmt.Errorf("ask the index: %w: it failed just now", vector.ErrUnavailable)
	}
	a, err := n.ask(ctx, tenant, scope, texts)
	if err != nil {
		if ctx.Err() == nil && !errors.Is(err, errNotReady) {
			n.mu.Lock()
			n.failed = time.Now()
			n.mu.Unlock()
		}
		return nil, fmt.Errorf("ask the index: %w", err)
	}
	return a, nil
}

// ready waits a little for an index in this process to be loaded. The load itself
// outlives the batch.
func (n *neighbours) ready(ctx context.Context, index vector.Index, within vector.Filter) error {
	n.mu.Lock()
	r := n.loading[within.Tenant()]
	if r == nil {
		if n.loading == nil {
			n.loading = make(map[memory.Tenant]*readying)
		}
		r = &readying{done: make(chan struct{})}
		n.loading[within.Tenant()] = r
		n.begin(func(ctx context.Context) {
			defer close(r.done)
			if _, r.err = index.Stats(ctx, within.Tenant()); r.err != nil {
				n.forget(within.Tenant())
			}
		})
	}
	late := r.late
	n.mu.Unlock()
	select {
	case <-r.done:
		return r.err
	default:
	}
	if late {
		return errNotReady
	}
	patience := time.NewTimer(readyWithin)
	defer patience.Stop()
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	case <-patience.C:
		n.mu.Lock()
		r.late = true
		n.mu.Unlock()
		return errNotReady
	}
}

// forget lets the next batch wait for the index anew.
func (n *neighbours) forget(tenant memory.Tenant) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.loading, tenant)
}

func (n *neighbours) ask(ctx context.Context, tenant memory.Tenant, scope memory.Scope, texts []*wording.Text) (*asked, error) {
	ctx, cancel := context.WithTimeout(ctx, neighboursWithin)
	defer cancel()
	g, err := n.index.Active(ctx)
	if err != nil {
		return nil, err
	}
	index, err := n.index.Open(ctx, g)
	if err != nil {
		return nil, err
	}
	within := vector.Within(tenant, scope).States(vector.Active)
	if _, here := index.(vector.Readier); here {
		if err := n.ready(ctx, index, within); err != nil {
			return nil, err
		}
	}
	found := make([]vector.Lists, len(texts))
	asking, ctx := errgroup.WithContext(ctx)
	asking.SetLimit(neighboursAtOnce)
	for i, t := range texts {
		q := vector.Query{Terms: n.words.Query(t.Clean), Limit: neighboursWanted}
		if g.Model == n.model && g.Dim == len(t.Vector) {
			q.Dense = t.Vector
		}
		if q.Dense == nil && len(q.Terms) == 0 {
			continue
		}
		asking.Go(func() (err error) {
			found[i], err = index.Search(ctx, within, q)
			return err
		})
	}
	if err := asking.Wait(); err != nil {
		n.forget(tenant)
		return nil, err
	}
	a, seen := &asked{ids: make(map[string]bool)}, make(map[memory.TextHash]bool)
	for i, t := range texts {
		for _, hits := range [][]vector.Hit{found[i].Dense, found[i].Lexical} {
			for _, hit := range hits {
				a.ids[hit.ID] = true
			}
		}
		if h := memory.HashNormal(t.Normal); h != (memory.TextHash{}) && !seen[h] {
			seen[h] = true
			a.hashes = append(a.hashes, h)
		}
	}
	return a, nil
}

// unanswered asks for another delivery of what the index did not answer. The pause
// grows with the attempts, so that an outage of a day costs no event.
func unanswered(attempt int, err error) error {
	return worker.Snooze(min(5*time.Second<<min(attempt, 10), 10*time.Minute), err)
}
