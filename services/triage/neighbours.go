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

// indexCandidates marks decisions in a narrow lane: the index named what they were
// compared with.
const indexCandidates = "index"

// neighbours asks the index which memories of a scope are worth comparing with a
// text. Rows that the index names are read again under the lock, so a stale index can
// miss a row and never brings back a removed one.
type neighbours struct {
	index vector.Backend
	words *search.Analyzer
	model string // model of the texts' vectors, empty without vectors
	// background runs a function that outlives the batch.
	background func(func(context.Context))

	mu      sync.Mutex
	loading map[memory.Tenant]*indexLoad // loads of an index in this process
	failed  time.Time                    // when the index last failed to answer
}

// indexLoad is the load of a tenant's memories into an index in this process.
type indexLoad struct {
	done     chan struct{} // closed when err is set
	err      error
	timedOut bool // a batch has waited for readyTimeout; the next one does not wait
}

var errNotReady = errors.New("the index is getting ready")

const (
	// neighboursPerList is how many memories each list of the index names for a text:
	// twice what a lane compares in full.
	neighboursPerList = 16
	// searchConcurrency is how many searches of a batch run at once.
	searchConcurrency = 8
	// searchTimeout bounds the searches of a batch. After it the events are snoozed,
	// and other batches go on.
	searchTimeout = 2 * time.Second
	// readyTimeout is how long a batch waits for an index in this process to load.
	readyTimeout = 250 * time.Millisecond
	// cooldown is how long the index is not called after a failure.
	cooldown = 5 * time.Second
)

// candidates are what a narrow lane lacks for a batch: the ids that the index named,
// and the hashes of the batch's texts, by which the store finds equal ones.
type candidates struct {
	ids    map[string]bool
	hashes []memory.TextHash
}

// missing returns the ids that the lane does not have.
func (c *candidates) missing(l *cachedLane) []string {
	var out []string
	for id := range c.ids {
		if !l.Has(id) {
			out = append(out, id)
		}
	}
	return out
}

// find returns the candidates for some texts of one scope. After a failure it fails
// at once until the cooldown has passed, so that an outage delays no other scope.
func (n *neighbours) find(ctx context.Context, tenant memory.Tenant, scope memory.Scope, texts []*wording.Text) (*candidates, error) {
	n.mu.Lock()
	paused := time.Since(n.failed) < cooldown
	n.mu.Unlock()
	if paused {
		return nil, fmt.Errorf("ask the index: %w: it failed just now", vector.ErrUnavailable)
	}
	a, err := n.search(ctx, tenant, scope, texts)
	if errors.Is(err, vector.ErrNoGeneration) { // another one serves since
		a, err = n.search(ctx, tenant, scope, texts)
	}
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

// waitReady waits up to readyTimeout for an index in this process to load. The load
// itself outlives the batch.
func (n *neighbours) waitReady(ctx context.Context, index vector.Index, within vector.Filter) error {
	n.mu.Lock()
	r := n.loading[within.Tenant()]
	if r == nil {
		if n.loading == nil {
			n.loading = make(map[memory.Tenant]*indexLoad)
		}
		r = &indexLoad{done: make(chan struct{})}
		n.loading[within.Tenant()] = r
		n.background(func(ctx context.Context) {
			defer close(r.done)
			if _, r.err = index.Stats(ctx, within.Tenant()); r.err != nil {
				n.forget(within.Tenant())
			}
		})
	}
	timedOut := r.timedOut
	n.mu.Unlock()
	select {
	case <-r.done:
		return r.err
	default:
	}
	if timedOut {
		return errNotReady
	}
	timer := time.NewTimer(readyTimeout)
	defer timer.Stop()
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		n.mu.Lock()
		r.timedOut = true
		n.mu.Unlock()
		return errNotReady
	}
}

// forget removes the entry of a load, so that the next batch starts another.
func (n *neighbours) forget(tenant memory.Tenant) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.loading, tenant)
}

// search asks the index for each text, concurrently.
func (n *neighbours) search(ctx context.Context, tenant memory.Tenant, scope memory.Scope, texts []*wording.Text) (*candidates, error) {
	ctx, cancel := context.WithTimeout(ctx, searchTimeout)
	defer cancel()
	index, err := n.index.Serving(ctx)
	if err != nil {
		return nil, err
	}
	g := index.Generation()
	within := vector.Within(tenant, scope).States(vector.Active)
	if _, here := index.(vector.Readier); here {
		if err := n.waitReady(ctx, index, within); err != nil {
			return nil, err
		}
	}
	found := make([]vector.Lists, len(texts))
	asking, ctx := errgroup.WithContext(ctx)
	asking.SetLimit(searchConcurrency)
	for i, t := range texts {
		q := vector.Query{Terms: n.words.Query(t.Clean), Limit: neighboursPerList}
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
	a, seen := &candidates{ids: make(map[string]bool)}, make(map[memory.TextHash]bool)
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

// snoozeUnanswered asks for another delivery of events for which the index did not
// answer. The backoff grows with the attempts, to 10 minutes, so that an outage of a
// day costs no event.
func snoozeUnanswered(attempt int, err error) error {
	return worker.Snooze(min(5*time.Second<<min(attempt, 10), 10*time.Minute), err)
}
