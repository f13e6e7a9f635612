package triage

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// laneOf returns a lane of so many rows, in memory alone.
func laneOf(t *testing.T, a *wording.Analyzer, key laneKey, rows int) *cachedLane {
	t.Helper()
	l := &cachedLane{key: key, registry: -1, Lane: judge.NewLane(judge.LaneConfig{
		Tenant: tenant, Scope: key.scope, Similarity: judge.SimilarityOf(a), Analyzer: a, NewID: ident.New,
	})}
	grow(l, rows)
	return l
}

// grow adds rows to a lane, as verdicts do.
func grow(l *cachedLane, rows int) {
	for i := range rows {
		l.apply(&store.LaneRows{Memories: []memory.Memory{{
			ID: ident.New(memory.PrefixMemory), Scope: l.key.scope, State: memory.StateActive,
			Text: fmt.Sprintf("2026-02-03: note %d of %d of `x.go` in %s.", i, l.Stored(), l.key.scope),
		}}})
	}
}

// checkCache holds the cache's account against the lanes that it has. Without a pinned
// lane the bounds hold, but for the one large lane that waits for its events.
func checkCache(t *testing.T, c *laneCache, idle bool) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	sum, fresh := 0, 0
	for _, l := range c.cached.Values() {
		sum += l.size
		if l.fresh {
			fresh = max(fresh, l.size)
		}
		if idle && (l.pins != 0 || l.size != l.Bytes() || !l.cached) {
			t.Fatalf("%+v: %d pins, %d bytes counted of %d, cached %v", l.key, l.pins, l.size, l.Bytes(), l.cached)
		}
	}
	for l := range c.largeSet {
		if !l.cached {
			t.Fatalf("%+v is large and not cached", l.key)
		}
	}
	if sum != c.bytes {
		t.Fatalf("the lanes have %d bytes, %d are counted", sum, c.bytes)
	}
	if idle && (c.bytes > max(c.maxBytes, fresh) || c.cached.Len() > c.maxLanes) {
		t.Fatalf("%d lanes of %d bytes are held, the bounds are %d and %d", c.cached.Len(), c.bytes, c.maxLanes, c.maxBytes)
	}
}

// Whatever batches do beside each other (pin, grow, break, release without a verdict) and
// whichever loads end meanwhile, the cache's account is that of its lanes, and without a
// batch in progress its bounds hold. Also where lanes were loaded for events that never
// come back here, because another replica handled them.
func TestTheAccountOfLanes(t *testing.T) {
	t.Parallel()
	analyzer, err := wording.NewEmbeddingAnalyzer(static.New())
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(40) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 1))
			c := newLaneCache(LaneConfig{Lanes: 12, Memory: 1, Rows: 1000}, nil, nil, analyzer, ident.New)
			c.metrics = newMetrics(prometheus.NewRegistry())
			if seed%2 == 0 {
				c.index = &neighbours{}
			}
			t.Cleanup(c.close)
			var batches []*pinnedLanes
			end := func(at int) {
				h := batches[at]
				batches = append(batches[:at], batches[at+1:]...)
				committed := false
				switch r.IntN(4) {
				case 0: // refused whole
				default:
					c.judging.Lock()
					h.exclusive = true
					for _, l := range h.lanes {
						if l.broken {
							break
						}
						grow(l, r.IntN(20))
						l.SetPolicy(&judge.Policy{})
						h.judged = append(h.judged, l)
					}
					committed = r.IntN(5) > 0
				}
				h.release(committed)
			}
			for range 300 {
				key := laneKey{tenant: tenant, scope: memory.Scope(fmt.Sprintf("project:p%d", r.IntN(20))), narrow: r.IntN(5) == 0}
				switch op := r.IntN(10); {
				case op < 4 && len(batches) < batchesAtOnce:
					h := &pinnedLanes{cache: c, tenant: tenant, lanes: map[memory.Scope]*cachedLane{}}
					for range 1 + r.IntN(3) {
						key.scope = memory.Scope(fmt.Sprintf("project:p%d", r.IntN(20)))
						if h.lanes[key.scope] != nil {
							continue
						}
						made := laneOf(t, analyzer, key, r.IntN(30))
						c.mu.Lock()
						h.lanes[key.scope] = c.add(made)
						c.mu.Unlock()
					}
					batches = append(batches, h)
				case op < 8 && len(batches) > 0:
					end(r.IntN(len(batches)))
				case op == 8:
					key.narrow = false
					c.loaded(laneOf(t, analyzer, key, 20+r.IntN(60)))
				}
				checkCache(t, c, len(batches) == 0)
			}
			for len(batches) > 0 {
				end(0)
			}
			checkCache(t, c, true)
		})
	}
}

// batchesAtOnce is how many batches a pipeline has in progress.
const batchesAtOnce = 2

// Without an index, large lanes are loaded for events that come back later. Events that
// another replica handled never do; their lanes do not stay above the bound.
func TestLanesThatNoEventComesBackForAreEvicted(t *testing.T) {
	t.Parallel()
	r := newRig(t, LaneConfig{Lanes: 100, Memory: 4, Rows: 10_000})
	texts := notes(smallScope + 100)
	for i := range 5 {
		scope := memory.Scope(fmt.Sprintf("project:p%d", i))
		r.seed(scope, texts...)
		p, _ := r.prepare(scope, texts[3])
		p.Done(false)
		r.loaded()
	}
	if lanes, bytes := r.held(); bytes > 4<<20 {
		t.Errorf("%d lanes of %d bytes are held, and nobody wants them", lanes, bytes)
	}
}

// failingIndex is an index that panics, as a bug in a driver would.
type failingIndex struct{ vector.Backend }

func (failingIndex) Serving(context.Context) (vector.Index, error) { panic("a bug in a driver") }

// A panic after the lanes were pinned leaves no pin behind: a pinned lane is never evicted.
func TestAPanicUnpinsLanes(t *testing.T) {
	t.Parallel()
	// Too large for a whole lane, so the pinned one stays in the cache.
	r := newRig(t, LaneConfig{Lanes: 100, Memory: 100, Rows: smallScope + 50}, func(d *worker.Deps) {
		indexed(t)(d)
		d.Index = failingIndex{d.Index}
	})
	texts := notes(smallScope + 100)
	r.seed(shop, texts...)
	_, err := worker.Guarded(func() (worker.Plan, error) {
		return r.h.Prepare(t.Context(), tenant, r.events(shop, texts[3]))
	})
	if err == nil || !strings.Contains(err.Error(), "a bug in a driver") {
		t.Fatalf("%v, want the panic", err)
	}
	r.loaded()
	checkCache(t, r.h.lanes, true)
}
