package triage

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// tooLarge are bounds within which a scope of more than [smallScope] and a hundred
// texts has no whole lane. Its oldest texts are in no narrow lane.
var tooLarge = LaneConfig{Lanes: 100, Memory: 64, Rows: smallScope + 100}

// SPEC §6: in a scope too large for a lane the index names the candidates. Equal and
// nearly equal texts are found among the oldest memories, and the decision says what
// compared.
func TestATooLargeScopeAsksTheIndex(t *testing.T) {
	t.Parallel()
	r := newRig(t, tooLarge, indexed(t))
	texts := append([]string{
		"2026-01-05: `redis` in `deploy/cache.yaml` listens on port 6379 for the checkout service.",
		"2026-01-06: Nightly backups run at 02:00 and are kept for 30 days in `s3://backups`.",
	}, notes(smallScope+200)...)
	old := r.seed(shop, texts...)
	r.write(change.Set{MemoryUpdates: []change.MemoryUpdate{
		{ID: old[2].ID, State: memory.StateArchived, ArchivedAt: time.Now(), ArchiveReason: "retracted"},
	}})
	d := r.judge(shop,
		"- "+texts[0],
		"2026-01-06: Nightly backups run at 02:00, and they are kept in `s3://backups` for 30 days.",
		"2026-01-07: `redis` moved from port 6379 to 6380 in `deploy/cache.yaml` for the checkout service.",
		texts[2],
		"2026-02-03: `chi` was upgraded to 5.1.0 in `go.mod`.",
	)
	for i, want := range []struct{ rule, target string }{
		{"dup.exact", old[0].ID}, {"dup.near", old[1].ID}, {"update", old[0].ID},
	} {
		if d[i].Rule != want.rule || d[i].Target != want.target {
			t.Errorf("proposal %d: %s about %q, want %s about %s", i, d[i].Rule, d[i].Target, want.rule, want.target)
		}
	}
	if d[3].Rule == "dup.exact" {
		t.Error("an archived memory was repeated")
	}
	if d[4].Verdict != memory.VerdictPromoted {
		t.Errorf("something new: %s by %s", d[4].Verdict, d[4].Rule)
	}
	for i := range d {
		if d[i].Inputs.CandidateSource != "index" {
			t.Errorf("decision %d does not say what chose its neighbours", i)
		}
	}
	r.loaded()
	if got := r.counted("whole"); got != 0 {
		t.Errorf("%d whole lanes of a scope that is too large", got)
	}
	if lanes, _ := r.held(); lanes != 1 {
		t.Fatalf("%d lanes", lanes)
	}
	// The repeat is the old row's evidence, and the next batch knows it.
	m, err := r.store.Memories(t.Context(), tenant, store.MemoryQuery{IDs: []string{old[0].ID, old[1].ID}})
	if err != nil || m[0].State != memory.StateArchived || m[0].SeenCount != 2 || m[1].SeenCount != 2 {
		t.Errorf("stored %+v, %v; want one repeat each, and the first superseded", m, err)
	}
	if again := r.judge(shop, texts[0]); again[0].Rule == "dup.exact" && again[0].Target == old[0].ID {
		t.Error("a superseded memory was repeated")
	}
}

// Equal texts are found by their hash in Postgres under the lock, even with an empty
// index. So are open proposals and those that a person rejected.
func TestTheSameWordsAreFoundWithoutTheIndex(t *testing.T) {
	t.Parallel()
	r := newRig(t, tooLarge, blind(t))
	texts := notes(smallScope + 200)
	old := r.seed(shop, texts...)
	waits := r.judge(shop, "We should prefer `pnpm` over npm in `package.json`.")
	d := r.judge(shop, texts[0], "**"+texts[1]+"**", "We should prefer `pnpm` over npm in `package.json`")
	for i, target := range []string{old[0].ID, old[1].ID, waits[0].ProposalID} {
		if d[i].Rule != "dup.exact" || d[i].Target != target {
			t.Errorf("proposal %d: %s about %q, want dup.exact about %s", i, d[i].Rule, d[i].Target, target)
		}
	}
	// Transient rows are removed with their batch.
	r.h.lanes.mu.Lock()
	defer r.h.lanes.mu.Unlock()
	for _, l := range r.h.lanes.cached.Values() {
		if l.Has(old[0].ID) || l.Stored() > smallScope+10 {
			t.Errorf("%d rows are left in the narrow lane", l.Stored())
		}
	}
}

// S3.1: a thousand copies delivered to four processes promote one, also in a scope
// for which none of them has a whole lane.
func TestThousandCopiesInATooLargeScope(t *testing.T) {
	t.Parallel()
	first := newRig(t, tooLarge, blind(t))
	first.seed(shop, notes(smallScope+200)...)
	const copied = "2026-02-03: `chi` was upgraded to 5.1.0 in `go.mod`."
	var processes sync.WaitGroup
	for n := range 4 {
		made, err := newHandler(first.deps)
		if err != nil {
			t.Fatal(err)
		}
		r := &rig{TB: t, store: first.store, h: made.(*handler), metrics: first.metrics, n: n * 10_000}
		t.Cleanup(r.h.Stop)
		processes.Go(func() {
			copies := make([]string, 50)
			for i := range copies {
				copies[i] = copied
			}
			for range 5 {
				r.judge(shop, copies...)
			}
		})
	}
	processes.Wait()
	promoted, err := first.store.Decisions(t.Context(), tenant, store.DecisionQuery{Verdict: memory.VerdictPromoted, Limit: 10})
	if err != nil || len(promoted) != 1 {
		t.Fatalf("%d promoted, %v", len(promoted), err)
	}
	m, err := first.store.Memories(t.Context(), tenant, store.MemoryQuery{IDs: []string{promoted[0].MemoryID}})
	if err != nil || m[0].SeenCount != 1000 {
		t.Errorf("seen %d times, %v", m[0].SeenCount, err)
	}
}

// The memory of a process is bounded by its setting for any number of scopes.
func TestMemoryIsBoundedWithManyScopes(t *testing.T) {
	if testing.Short() {
		t.Skip("short: makes some thousand scopes")
	}
	scopes, cfg := 4_000, LaneConfig{Lanes: 100_000, Memory: 8, Rows: 1000}
	r := newRig(t, cfg)
	texts := notes(scopes)
	events := make([]worker.Event, 0, 200)
	before := heapInUse()
	for i := range scopes {
		events = append(events, r.events(memory.Scope(fmt.Sprintf("project:p%d", i)), texts[i])...)
		if len(events) < cap(events) {
			continue
		}
		p, err := r.h.Prepare(t.Context(), tenant, events)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.commit(p.(*plan), events); err != nil {
			t.Fatal(err)
		}
		events = events[:0]
	}
	lanes, bytes := r.held()
	grew := int(heapInUse() - before)
	t.Logf("%d of %d scopes are remembered: %d MiB by estimate, %d MiB of heap", lanes, scopes, bytes>>20, grew>>20)
	if bytes > cfg.Memory<<20 || lanes == 0 || lanes == scopes {
		t.Errorf("%d lanes of %d bytes are held", lanes, bytes)
	}
	if grew > 3*cfg.Memory<<20 {
		t.Errorf("the heap grew by %d bytes", grew)
	}
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkManyScopes pins the lanes of 100,000 scopes of three memories each, 500
// a batch, within 128 MiB, and reports the cached lanes and the growth of the heap.
func BenchmarkManyScopes(b *testing.B) {
	scopes, setting := testenv.Amount(100_000, 2_000), testenv.Amount(128, 4)
	for b.Loop() {
		db := pgtest.New(b)
		pool := testenv.Pool(b, db.URL)
		for _, s := range []string{
			fmt.Sprintf(`insert into scopes (tenant, id, version) select 'default', 'project:p' || n, 1 from generate_series(0, %d - 1) n`, scopes),
			fmt.Sprintf(`insert into memories (tenant, id, scope, state, kind, section, title, description, body, category, tags, topics,
	importance, confidence, outcome, principal, origin, authority, created_at, last_confirmed, seen_count, proposal_id, decision_id,
	archive_reason, successor_id, version)
select 'default', 'mem_' || lpad(n::text, 26, '0'), 'project:p' || n %% %[1]d, 'active', 'fact', 'Notes', '', '',
	'2026-03-02: the cache of ' || chr(96) || 'services/part-' || n || '.go' || chr(96) || ' keeps its tokens for ' || n %% 9000
	|| ' ms since the deploy failed under load ' || n %% 997,
	'', '{}', '{}', 5, 0.5, '', 'agent', 2, 2, now(), now(), 1, '', '', '', '', 1
from generate_series(1, 3 * %[1]d) n`, scopes),
			"analyze",
		} {
			if _, err := pool.Exec(b.Context(), s); err != nil {
				b.Fatal(err)
			}
		}
		r := newRigOn(b, db.Store, LaneConfig{Lanes: scopes, Memory: setting, Rows: 1000})
		before, most := heapInUse(), 0
		for first := 0; first < scopes; first += 500 {
			names := make([]memory.Scope, 500)
			for i := range names {
				names[i] = memory.Scope(fmt.Sprintf("project:p%d", first+i))
			}
			held, err := r.h.lanes.pin(b.Context(), tenant, names)
			if err != nil {
				b.Fatal(err)
			}
			held.release(false)
			_, bytes := r.held()
			most = max(most, bytes)
		}
		lanes, _ := r.held()
		b.ReportMetric(float64(lanes), "lanes")
		b.ReportMetric(float64(setting), "setting-MiB")
		b.ReportMetric(float64(most>>20), "most-by-estimate-MiB")
		b.ReportMetric(float64(int64(heapInUse()-before)>>20), "heap-MiB")
	}
}
