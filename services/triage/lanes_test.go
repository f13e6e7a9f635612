package triage

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker"
)

const shop = memory.Scope("project:shop")

// SPEC §2: a lane is read before the lock, and what was committed between the
// reading and the lock is applied under the lock: rows that were added and rows that were removed.
func TestNewsUnderTheLock(t *testing.T) {
	t.Parallel()
	for name, rows := range map[string]int{"small": 20, "large": smallScope + 50} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, DefaultLaneConfig(), indexed(t))
			texts := notes(rows + 1)
			old := r.seed(shop, texts[:rows]...)
			if rows > smallScope { // the whole lane is loaded before the batch
				r.judge(shop, "- (2026-02-03)")
				r.loaded()
			}
			p, events := r.prepare(shop, texts[0], texts[1], texts[rows])
			if l := p.lanes.lanes[shop]; l.Stored() != rows || l.key.narrow {
				t.Fatalf("prepared with %d rows, narrow %v; want %d", l.Stored(), l.key.narrow, rows)
			}
			fresh := r.seed(shop, texts[rows])[0]
			r.write(change.Set{MemoryUpdates: []change.MemoryUpdate{
				{ID: old[0].ID, State: memory.StateArchived, ArchivedAt: time.Now(), ArchiveReason: "retracted"},
			}})
			d, err := r.commit(p, events)
			if err != nil {
				t.Fatal(err)
			}
			if d[0].Rule == "dup.exact" {
				t.Errorf("repeats %s, which was archived after the lane was read", d[0].Target)
			}
			if d[1].Rule != "dup.exact" || d[1].Target != old[1].ID {
				t.Errorf("%s of %q, want the repeat of what stayed", d[1].Rule, d[1].Target)
			}
			if d[2].Rule != "dup.exact" || d[2].Target != fresh.ID {
				t.Errorf("%s of %q, want the repeat of what came after the lane was read", d[2].Rule, d[2].Target)
			}
		})
	}
}

// Concurrent batches of one cold scope read its lane once.
func TestALaneIsLoadedOnce(t *testing.T) {
	t.Parallel()
	for name, rows := range map[string]int{"small": 20, "large": smallScope + 50} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, DefaultLaneConfig(), indexed(t))
			r.seed(shop, notes(rows)...)
			var batches sync.WaitGroup
			for i := range 4 {
				events := r.events(shop, fmt.Sprintf("2026-02-03: note %d of `x.go`.", i))
				batches.Go(func() {
					p, err := r.h.Prepare(t.Context(), tenant, events)
					if err != nil {
						t.Error(err)
						return
					}
					p.Done(false)
				})
			}
			batches.Wait()
			r.loaded()
			if got := r.counted("whole"); got != 1 {
				t.Errorf("loaded %d times", got)
			}
			if lanes, _ := r.held(); lanes != 1 {
				t.Errorf("%d lanes held, want the whole one alone", lanes)
			}
		})
	}
}

// lateSource answers a batch's reading of rows when no load runs any more.
type lateSource struct {
	laneSource
	loads *sync.WaitGroup
}

type lateKey struct{}

func (s lateSource) LaneRows(ctx context.Context, tenant memory.Tenant, memories, proposals []string) ([]store.LaneRows, error) {
	if ctx.Value(lateKey{}) != nil {
		s.loads.Wait()
	}
	return s.laneSource.LaneRows(ctx, tenant, memories, proposals)
}

// A batch that reads its narrow lane for longer than the whole one takes to load uses the
// whole one, and leaves no second.
func TestANarrowLaneThatComesLate(t *testing.T) {
	t.Parallel()
	r := newRig(t, DefaultLaneConfig(), indexed(t))
	r.seed(shop, notes(smallScope+50)...)
	r.h.lanes.rows = lateSource{r.h.lanes.rows, &r.h.lanes.loading}
	p, err := r.h.Prepare(context.WithValue(t.Context(), lateKey{}, true), tenant, r.events(shop, "2026-02-03: a note of `x.go`."))
	if err != nil {
		t.Fatal(err)
	}
	p.Done(false)
	if lanes, _ := r.held(); lanes != 1 || r.counted("whole") != 1 {
		t.Errorf("%d lanes held, %d loaded whole; want the whole one alone", lanes, r.counted("whole"))
	}
}

// A cancelled load leaves nothing behind, and the next batch starts another.
func TestACancelledLoadLeavesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, DefaultLaneConfig())
	texts := notes(20)
	r.seed(shop, texts...)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.h.Prepare(ended, tenant, r.events(shop, texts[0])); !errors.Is(err, context.Canceled) {
		t.Fatalf("prepared under an ended context: %v", err)
	}
	if lanes, bytes := r.held(); lanes != 0 || bytes != 0 {
		t.Fatalf("%d lanes of %d bytes are left", lanes, bytes)
	}
	if d := r.judge(shop, texts[0]); d[0].Rule != "dup.exact" {
		t.Errorf("then: %s", d[0].Rule)
	}
}

// Verdicts that were not committed are evicted with their lane. A batch that was
// prepared with the same lane gets ErrConflict and is prepared again.
func TestABrokenLaneIsNotUsed(t *testing.T) {
	t.Parallel()
	r := newRig(t, DefaultLaneConfig())
	texts := notes(22)
	r.seed(shop, texts[:20]...)
	first, events := r.prepare(shop, texts[20])
	second, others := r.prepare(shop, texts[20])
	lost := errors.New("the connection broke")
	items := []store.Item{{Key: events[0].Key(), Scope: shop}}
	_, err := r.store.CommitBatch(t.Context(), tenant, store.Batch{Consumer: "triage", Items: items},
		func(ctx context.Context, fresh []int, view store.LaneView) (change.Set, error) {
			if _, err := first.Decide(ctx, fresh, view); err != nil {
				return change.Set{}, err
			}
			return change.Set{}, lost
		})
	first.Done(false)
	if !errors.Is(err, lost) {
		t.Fatal(err)
	}
	if _, err := r.commit(second, others); !errors.Is(err, store.ErrConflict) {
		t.Fatalf("judged in a lane with verdicts that never came into force: %v", err)
	}
	if d := r.judge(shop, texts[20]); d[0].Verdict != memory.VerdictPromoted {
		t.Errorf("prepared again: %s by %s, want it promoted, as nothing is stored", d[0].Verdict, d[0].Rule)
	}
}

// The cache stays within its bounds of bytes and of lanes.
func TestLanesAreEvicted(t *testing.T) {
	t.Parallel()
	texts := notes(30)
	for name, c := range map[string]struct {
		cfg   LaneConfig
		least int
	}{
		"by bytes":  {LaneConfig{Lanes: 1000, Memory: 1, Rows: 1000}, 4},
		"by number": {LaneConfig{Lanes: 5, Memory: 100, Rows: 1000}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, c.cfg)
			for i := range 20 {
				scope := memory.Scope(fmt.Sprintf("project:p%d", i))
				r.seed(scope, texts...)
				if d := r.judge(scope, texts[7]); d[0].Rule != "dup.exact" {
					t.Fatalf("%s: %s", scope, d[0].Rule)
				}
				if lanes, bytes := r.held(); lanes > c.cfg.Lanes || bytes > c.cfg.Memory<<20 {
					t.Fatalf("%d lanes of %d bytes are held", lanes, bytes)
				}
			}
			if lanes, _ := r.held(); lanes < c.least || lanes == 20 {
				t.Errorf("%d lanes are held", lanes)
			}
		})
	}
}

// The lane of an empty scope is not cached.
func TestEmptyLanesGo(t *testing.T) {
	t.Parallel()
	r := newRig(t, DefaultLaneConfig())
	for i := range 10 {
		scope := memory.Scope(fmt.Sprintf("project:p%d", i))
		if d := r.judge(scope, "- (2026-02-03)"); d[0].Verdict != memory.VerdictRejected {
			t.Fatal(d[0].Verdict)
		}
	}
	if lanes, bytes := r.held(); lanes != 0 || bytes != 0 {
		t.Errorf("%d lanes of %d bytes are held", lanes, bytes)
	}
}

// Two scopes of which only one fits do not evict each other in turn: one is loaded
// once, and the other uses the index. Both find their duplicates.
func TestScopesTakeNoTurns(t *testing.T) {
	t.Parallel()
	r := newRig(t, LaneConfig{Lanes: 100, Memory: 16, Rows: 10_000}, indexed(t))
	texts := notes(2200)
	scopes := []memory.Scope{"project:a", "project:b"}
	r.seed(scopes[0], texts[:1100]...)
	r.seed(scopes[1], texts[1100:]...)
	for i := range 60 {
		text := texts[i%2*1100+i]
		d := r.judge(scopes[i%2], text)
		if d[0].Rule != "dup.exact" {
			t.Fatalf("batch %d in %s: %s", i, scopes[i%2], d[0].Rule)
		}
		r.loaded()
	}
	if got := r.counted("whole"); got != 1 {
		t.Errorf("%d whole lanes were loaded for 60 batches, want one", got)
	}
	if got := r.counted("narrow"); got > 2 {
		t.Errorf("%d narrow lanes were loaded for 60 batches, want one for each scope", got)
	}
	if _, bytes := r.held(); bytes > 16<<20 {
		t.Errorf("%d bytes are held", bytes)
	}
	// A scope that is used much more often replaces the other in the end.
	for range 130 {
		r.judge(scopes[1], texts[1500])
		r.loaded()
	}
	if d := r.judge(scopes[1], texts[1501]); d[0].Inputs.CandidateSource != "" {
		t.Error("a scope that is wanted alone still finds no room")
	}
	if got := r.counted("whole"); got != 2 {
		t.Errorf("%d whole lanes were loaded", got)
	}
}

// Without an index the events of a large scope are snoozed until its lane is
// loaded, and other scopes go on.
func TestALargeScopeIsWaitedFor(t *testing.T) {
	t.Parallel()
	r := newRig(t, LaneConfig{Lanes: 100, Memory: 1, Rows: 1000})
	texts := notes(smallScope + 100)
	r.seed(shop, texts...)
	p, _ := r.prepare(shop, texts[3])
	var snooze *worker.SnoozeError
	if !errors.As(p.refused[0], &snooze) || p.scopes[0] != "" {
		t.Fatalf("refused with %v, scope %q", p.refused[0], p.scopes[0])
	}
	p.Done(false)
	if d := r.judge("project:other", "2026-02-03: `chi` was upgraded to 5.1.0 in `go.mod`."); d[0].Verdict != memory.VerdictPromoted {
		t.Errorf("meanwhile elsewhere: %s", d[0].Verdict)
	}
	r.loaded()
	p, events := r.prepare(shop, texts[3])
	if p.refused[0] != nil {
		t.Fatal(p.refused[0])
	}
	if d, err := r.commit(p, events); err != nil || d[0].Rule != "dup.exact" {
		t.Errorf("%+v, %v", d, err)
	}
	// The lane is larger than the whole bound: used once, then evicted.
	if _, bytes := r.held(); bytes > 1<<20 {
		t.Errorf("%d bytes are held", bytes)
	}
}
