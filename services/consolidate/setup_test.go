package consolidate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/consolidate"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/consolidation/trigger"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/model/llm/llmtest"
	"github.com/winnowhq/winnow/services/internal/model/llm/openai"
	"github.com/winnowhq/winnow/services/internal/recall/indexing"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const (
	tenant = memory.DefaultTenant
	shop   = memory.Scope("project:shop")
)

// rig is a consolidation worker on a bus and a store of its own. The test plays the
// relay: it delivers what the worker emits, every event twice.
type rig struct {
	*workertest.Bench
	testing.TB
	deps  worker.Deps // as the worker's, for the parts that no event drives
	model *llmtest.Server
	base  time.Time
	// deliver is Deliver, which publishes each event twice, or DeliverOnce.
	deliver func(...bus.Outgoing) []workertest.Fate
}

// setup starts the worker. A nil script configures no model.
func setup(t testing.TB, def worker.Definition, script llmtest.Script, adjust ...func(*worker.Deps)) *rig {
	t.Helper()
	r := &rig{TB: t, base: time.Now().UTC().Add(-30 * 24 * time.Hour).Truncate(time.Second)}
	parts := func(d *worker.Deps) {
		if d.Store == nil {
			d.Store = pgtest.Open(t)
		}
		d.Truth = &indexing.Truth{Store: d.Store, Embedder: static.New(), Analyzer: search.NewAnalyzer(), Local: true}
		if script != nil {
			r.model = llmtest.NewServer(t, script)
			m, err := openai.New(openai.Config{URL: r.model.URL, Model: "small", Attempts: 1, Timeout: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			d.Model = m
		}
	}
	last := func(d *worker.Deps) {
		r.deps = *d
		calibrated(t, d.Store, true)
	}
	r.Bench = workertest.New(t, def, append(append([]func(*worker.Deps){parts}, adjust...), last)...)
	r.deliver = r.Deliver
	return r
}

// calibrated stores operating points, so that a test need not wait for those of the pairs
// that come with Winnow.
func calibrated(t testing.TB, s store.Store, sure bool) {
	t.Helper()
	err := s.PutCalibration(t.Context(), tenant, store.Calibration{
		ID: fmt.Sprint("test-", sure), Model: static.ID, Duplicate: 0.9, Cluster: 0.75, Loose: 0.5, Source: "a test", At: time.Now().UTC(),
		Report: fmt.Appendf(nil, `{"duplicate":{"threshold":0.9,"sure":%v}}`, sure),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// note is a memory that is to be stored; zero fields get defaults.
type note = memory.Memory

// remember stores memories as an import does and returns their ids, in order.
func (r *rig) remember(notes ...note) []string {
	r.Helper()
	var set change.Set
	var ids []string
	for i, n := range notes {
		if n.ID == "" {
			n.ID = ident.New(memory.PrefixMemory)
		}
		if n.Scope == "" {
			n.Scope = shop
		}
		if n.Kind == "" {
			n.Kind = memory.KindStrategy
			n.Outcome = "success"
		}
		if n.Confidence == 0 {
			n.Confidence = 0.8
		}
		if n.Origin == 0 {
			n.Origin, n.Authority = memory.OriginFirstParty, memory.OriginFirstParty
		}
		if n.CreatedAt.IsZero() {
			n.CreatedAt = r.base.Add(time.Duration(i) * time.Minute)
		}
		n.Tenant, n.State, n.SeenCount, n.Importance = tenant, memory.StateActive, max(n.SeenCount, 1), max(n.Importance, 5)
		n.LastConfirmed, n.Principal = n.CreatedAt, "agent"
		set.Memories = append(set.Memories, n)
		ids = append(ids, n.ID)
	}
	r.commit(set)
	return ids
}

func (r *rig) commit(set change.Set) {
	r.Helper()
	if _, err := r.Store().Commit(r.Context(), tenant, set, store.InboxKey{}); err != nil {
		r.Fatal(err)
	}
}

// texts stores texts of the shop.
func (r *rig) texts(texts ...string) []string {
	r.Helper()
	var notes []note
	for _, t := range texts {
		notes = append(notes, note{Text: t})
	}
	return r.remember(notes...)
}

// ask asks for a run by similarity, as a person does, and returns its id.
func (r *rig) ask(scope memory.Scope, o memory.RunOptions) string {
	r.Helper()
	return r.want(trigger.Wanted{Tenant: tenant, Scope: scope, Strategy: memory.RunSimilar, Trigger: memory.TriggerPerson, Options: o})
}

func (r *rig) want(w trigger.Wanted) string {
	r.Helper()
	asker := trigger.Asker{Runs: r.Store(), Config: trigger.DefaultConfig(), Now: r.deps.Now, NewID: ident.New}
	run, set := asker.Ask(w)
	r.commit(set)
	return run.ID
}

// consolidate asks for a run and works until it has ended.
func (r *rig) consolidate(o memory.RunOptions) (memory.Run, []memory.RunItem) {
	r.Helper()
	return r.ended(r.ask(shop, o))
}

// ended works until a run has ended.
func (r *rig) ended(id string) (memory.Run, []memory.RunItem) {
	r.Helper()
	for range 20 {
		r.pump()
		run, err := r.Store().Run(r.Context(), tenant, id)
		if err != nil {
			r.Fatal(err)
		}
		if !run.Open() {
			items, err := r.Store().RunItems(r.Context(), tenant, id)
			if err != nil {
				r.Fatal(err)
			}
			return run, items
		}
	}
	r.Fatalf("run %s does not end", id)
	return memory.Run{}, nil
}

// pump delivers what waits in the outbox for the worker, and ends what can be ended.
func (r *rig) pump() {
	r.Helper()
	for {
		events, ids := r.waiting()
		if len(ids) == 0 {
			break
		}
		r.deliver(events...)
		if err := r.Store().MarkPublished(r.Context(), ids); err != nil {
			r.Fatal(err)
		}
	}
	if err := consolidate.End(r.Context(), r.deps); err != nil {
		r.Fatal(err)
	}
}

// waiting returns the unpublished events for the worker, and the ids of all.
func (r *rig) waiting() ([]bus.Outgoing, map[int64]uint64) {
	r.Helper()
	rows, err := r.Store().Unpublished(r.Context(), 10_000)
	if err != nil {
		r.Fatal(err)
	}
	var events []bus.Outgoing
	ids := map[int64]uint64{}
	for _, row := range rows {
		ids[row.ID] = 1
		if row.Subject == event.SubjectConsolidationRequested || row.Subject == event.SubjectConsolidationPlanned {
			events = append(events, bus.Outgoing{ID: row.EventID, Subject: row.Subject, Header: row.Header, Data: row.Data})
		}
	}
	return events, ids
}

// active are the active memories of a scope, by id.
func (r *rig) active(scope memory.Scope) []memory.Memory {
	r.Helper()
	list, err := r.Store().Memories(r.Context(), tenant, store.MemoryQuery{Scope: scope, States: []memory.State{memory.StateActive}, Limit: 100_000})
	if err != nil {
		r.Fatal(err)
	}
	return list
}

// memory is one row as it is now.
func (r *rig) memory(id string) memory.Memory {
	r.Helper()
	m, err := r.Store().Memory(r.Context(), tenant, id)
	if err != nil {
		r.Fatal(err)
	}
	return m
}

// archive takes a memory out of service, as a person does.
func (r *rig) archive(m memory.Memory) {
	r.Helper()
	r.commit(change.Set{MemoryUpdates: []change.MemoryUpdate{{
		ID: m.ID, State: memory.StateArchived, Confidence: m.Confidence, SeenCount: m.SeenCount, LastConfirmed: m.LastConfirmed,
		ArchivedAt: time.Now().UTC().Truncate(time.Microsecond), ArchiveReason: "wrong", Expect: m.Version,
	}}})
}

// everything is the state of the tenant's memories, to compare before and after.
func (r *rig) everything() []memory.Memory {
	r.Helper()
	list, err := r.Store().Memories(r.Context(), tenant, store.MemoryQuery{Limit: 100_000})
	if err != nil {
		r.Fatal(err)
	}
	return list
}

// states are the steps of a run in words, sorted.
func (r *rig) states(items []memory.RunItem) string {
	var list []string
	for _, i := range items {
		list = append(list, fmt.Sprintf("%s %s", i.Action, i.State))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}
