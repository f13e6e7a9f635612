package storetest

import (
	"reflect"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

func signalAbout(m memory.Memory, kind memory.SignalType, positive bool, session string) memory.Signal {
	return memory.Signal{
		ID: ident.New(memory.PrefixSignal), Tenant: tenant, MemoryID: m.ID, Scope: m.Scope, Type: kind, Positive: positive,
		Share: 1, SessionID: session, Principal: "agent", Highest: memory.OriginAgent, Note: "why", At: now(),
	}
}

// S4.16–S4.18, S4.25, S4.26: signals are read as they were written, and their sums in one snapshot with what was
// rolled up; the same in a session again is a conflict, and so is a signal that was
// rolled up before.
func testSignals(t *testing.T, s store.Store) {
	ctx := t.Context()
	m, quiet := remembered(scopeA, "the pool has twenty connections"), remembered(scopeA, "the port is 8080")
	mustCommit(t, s, change.Set{Memories: []memory.Memory{m, quiet}})
	helped, failed := signalAbout(m, memory.SignalExplicit, true, "s1"), signalAbout(m, memory.SignalOutcome, false, "s1")
	failed.Share, failed.At = 0.5, helped.At.Add(time.Second)
	other := signalAbout(m, memory.SignalExplicit, false, "")
	other.Principal, other.Highest, other.At = "human", memory.OriginHuman, helped.At.Add(2*time.Second)
	learned := memory.Learned{Tenant: tenant, MemoryID: m.ID, Scope: scopeA, Initial: 0.5, Signals: 3, LastSignal: other.At}
	mustCommit(t, s, change.Set{Signals: []memory.Signal{helped, failed, other}, Learned: []memory.Learned{learned}})

	got, err := s.Signals(ctx, tenant, store.SignalQuery{Memories: []string{m.ID, quiet.ID}})
	if want := []memory.Signal{helped, failed, other}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
	if got, err := s.Signals(ctx, tenant, store.SignalQuery{Principal: "agent", Before: failed.At}); err != nil || len(got) != 1 || got[0].ID != helped.ID {
		t.Errorf("of the agent, before the second: %+v, %v", got, err)
	}
	again := signalAbout(m, memory.SignalExplicit, true, "s1")
	_, err = s.Commit(ctx, tenant, change.Set{Signals: []memory.Signal{again}}, store.InboxKey{})
	wantError(t, err, store.ErrConflict)

	sum := memory.SignalAggregate{Tenant: tenant, MemoryID: m.ID, Principal: "agent", Highest: memory.OriginAgent, ExplicitPos: 1, OutcomeNeg: 0.5}
	human := memory.SignalAggregate{Tenant: tenant, MemoryID: m.ID, Principal: "human", Highest: memory.OriginHuman, ExplicitNeg: 1}
	standings, err := s.Standings(ctx, tenant, m.ID, quiet.ID)
	if want := (store.Standing{Learned: learned, Recent: []memory.SignalAggregate{sum, human}}); err != nil || len(standings) != 1 || !reflect.DeepEqual(standings[m.ID], want) {
		t.Errorf("%+v, %v\nwant %+v", standings, err, want)
	}

	sum.LastRollup = now()
	learned.Signals, learned.DecayedAt, learned.Pruned, learned.Initial = 4, now(), 4, 0.9
	roll := change.Set{DroppedSignals: []string{helped.ID, failed.ID}, Aggregates: []memory.SignalAggregate{sum}, Learned: []memory.Learned{learned}}
	mustCommit(t, s, roll)
	learned.Initial = 0.5 // that of the first signal
	standings, err = s.Standings(ctx, tenant, m.ID)
	want := store.Standing{Learned: learned, Old: []memory.SignalAggregate{sum}, Recent: []memory.SignalAggregate{human}}
	if err != nil || !reflect.DeepEqual(standings[m.ID], want) {
		t.Errorf("%+v, %v\nwant %+v", standings[m.ID], err, want)
	}
	_, err = s.Commit(ctx, tenant, roll, store.InboxKey{})
	wantError(t, err, store.ErrConflict)

	if page, err := s.LearnedPage(ctx, tenant, "", 10); err != nil || len(page) != 1 || page[0].ID != m.ID {
		t.Errorf("learned of %+v, %v", page, err)
	}
	if page, err := s.LearnedPage(ctx, tenant, m.ID, 10); err != nil || len(page) != 0 {
		t.Errorf("after it: %+v, %v", page, err)
	}
}

// Increments of weights are added, by whoever they come from.
func testWeights(t *testing.T, s store.Store) {
	one := memory.ProjectWeights{Scope: scopeA, UsageAlpha: 1, OutcomeBeta: 1}
	mustCommit(t, s, change.Set{WeightGains: []memory.ProjectWeights{one, one, {Scope: scopeB, UsageBeta: 1}}})
	mustCommit(t, s, change.Set{WeightGains: []memory.ProjectWeights{one}})
	got, err := s.ProjectWeights(t.Context(), tenant, scopeA, scopeB, "project:none")
	want := map[memory.Scope]memory.ProjectWeights{scopeA: {Scope: scopeA, UsageAlpha: 3, OutcomeBeta: 3}, scopeB: {Scope: scopeB, UsageBeta: 1}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
}

// What was served is counted once.
func testUncounted(t *testing.T, s store.Store) {
	ctx := t.Context()
	list := []store.Served{{SessionID: "s1", MemoryID: "mem_a", Principal: "agent", At: now()}, {SessionID: "s1", MemoryID: "mem_b", Principal: "agent", At: now().Add(time.Second)}}
	if err := s.RecordServed(ctx, tenant, list); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Uncounted(ctx, tenant, 1); err != nil || !reflect.DeepEqual(got, list[:1]) {
		t.Errorf("%+v, %v", got, err)
	}
	counted := change.Set{CountedServed: []change.Served{{SessionID: "s1", MemoryID: "mem_a"}}}
	mustCommit(t, s, counted)
	_, err := s.Commit(ctx, tenant, counted, store.InboxKey{})
	wantError(t, err, store.ErrConflict)
	if got, err := s.Uncounted(ctx, tenant, 10); err != nil || !reflect.DeepEqual(got, list[1:]) {
		t.Errorf("%+v, %v", got, err)
	}
}

// Another tenant sees no signal, no sum, no weight and nothing served, and can write
// none.
func testSignalTenants(t *testing.T, s store.Store) {
	ctx := t.Context()
	m := remembered(scopeA, "the pool has twenty connections")
	one := signalAbout(m, memory.SignalUsage, true, "s1")
	mustCommit(t, s, change.Set{
		Memories: []memory.Memory{m}, Signals: []memory.Signal{one}, WeightGains: []memory.ProjectWeights{{Scope: scopeA, UsageAlpha: 1}},
		Learned: []memory.Learned{{Tenant: tenant, MemoryID: m.ID, Scope: scopeA, Initial: 0.5, Signals: 1, LastSignal: one.At}},
	})
	if err := s.RecordServed(ctx, tenant, []store.Served{{SessionID: "s1", MemoryID: m.ID, Principal: "agent", At: now()}}); err != nil {
		t.Fatal(err)
	}
	signals, err := s.Signals(ctx, other, store.SignalQuery{Memories: []string{m.ID}})
	if err != nil || len(signals) != 0 {
		t.Errorf("signals %+v, %v", signals, err)
	}
	standings, err := s.Standings(ctx, other, m.ID)
	if err != nil || len(standings) != 0 {
		t.Errorf("standings %+v, %v", standings, err)
	}
	weights, err := s.ProjectWeights(ctx, other, scopeA)
	if err != nil || len(weights) != 0 {
		t.Errorf("weights %+v, %v", weights, err)
	}
	served, err := s.Uncounted(ctx, other, 10)
	if err != nil || len(served) != 0 {
		t.Errorf("served %+v, %v", served, err)
	}
	_, err = s.Commit(ctx, other, change.Set{Signals: []memory.Signal{signalAbout(m, memory.SignalUsage, true, "s2")}}, store.InboxKey{})
	wantError(t, err, store.ErrInvalid)
	_, err = s.Commit(ctx, other, change.Set{DroppedSignals: []string{one.ID}}, store.InboxKey{})
	wantError(t, err, store.ErrConflict)
}
