package storetest

import (
	"bytes"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

func session(scope memory.Scope, name string) memory.Session {
	at := now()
	return memory.Session{
		ID: ident.New(memory.PrefixSession), Tenant: tenant, Scope: scope, Name: name,
		EventID: ident.New(memory.PrefixEvent), Principal: "agent", Highest: memory.OriginFirstParty,
		Format: "claude-code", Agent: "claude", Source: "hook", Project: "github.com/acme/api", Task: "make the tests pass",
		Language: "en", Outcome: "success", OutcomeInferred: true, OutcomeBasis: "exit 0 of the last test",
		StartedAt: at.Add(-time.Hour), EndedAt: at.Add(-time.Minute), IngestedAt: at, Hash: ident.New("hash_"),
		Turns: 12, Skipped: 1, Redactions: 2, External: 3, Bytes: 1 << 33, State: memory.SessionIngested,
	}
}

// traceOf returns a trace with chunks that are not valid text.
func traceOf(s memory.Session, chunks int) change.Trace {
	t := change.Trace{SessionID: s.ID}
	for n := range chunks {
		t.Chunks = append(t.Chunks, append([]byte{0, 0xff, byte(n)}, s.ID...))
	}
	return t
}

func testSessions(t *testing.T, s store.Store) {
	ctx := t.Context()
	first, sparse := session(scopeA, "run-1"), session(scopeB, "run-2")
	sparse.StartedAt, sparse.EndedAt, sparse.EventID, sparse.Outcome = time.Time{}, time.Time{}, "", "unknown"
	// Twelve chunks, so that numeric and textual order differ.
	long, short := traceOf(first, 12), traceOf(sparse, 1)
	short.Chunks[0] = bytes.Repeat([]byte{0x1f, 0x8b}, 1<<19)
	mustCommit(t, s, change.Set{Sessions: []memory.Session{first, sparse}, Traces: []change.Trace{long, short}})

	same(t, first)(s.Session(ctx, tenant, first.ID))
	same(t, sparse)(s.Session(ctx, tenant, sparse.ID))
	same(t, long.Chunks)(s.Trace(ctx, tenant, first.ID))
	same(t, short.Chunks)(s.Trace(ctx, tenant, sparse.ID))
	wantError(t, second(s.Session(ctx, tenant, "sess_none")), store.ErrNotFound)
	wantError(t, second(s.Trace(ctx, tenant, "sess_none")), store.ErrNotFound)

	orphan := session(scopeA, "run-3")
	_, err := s.Commit(ctx, tenant, change.Set{Traces: []change.Trace{traceOf(orphan, 1)}}, store.InboxKey{})
	wantError(t, err, store.ErrInvalid)
}

func testSessionQueries(t *testing.T, s store.Store) {
	var all []memory.Session
	for i := range 6 {
		scope, name := scopeA, "run-1"
		if i%2 == 1 {
			scope, name = scopeB, "run-2"
		}
		one := session(scope, name)
		if i > 3 {
			one.Principal, one.State = "human", memory.SessionDistilled
		}
		all = append(all, one)
	}
	mustCommit(t, s, change.Set{Sessions: all})
	for name, c := range map[string]struct {
		q    store.SessionQuery
		want []int
	}{
		"all":       {store.SessionQuery{}, []int{5, 4, 3, 2, 1, 0}},
		"scope":     {store.SessionQuery{Scope: scopeB}, []int{5, 3, 1}},
		"name":      {store.SessionQuery{Name: "run-1", Limit: 2}, []int{4, 2}},
		"principal": {store.SessionQuery{Principal: "human"}, []int{5, 4}},
		"state":     {store.SessionQuery{State: memory.SessionIngested, Scope: scopeA}, []int{2, 0}},
		"hash":      {store.SessionQuery{Scope: scopeA, Hash: all[2].Hash}, []int{2}},
		"page":      {store.SessionQuery{Before: all[4].ID, Limit: 2}, []int{3, 2}},
		"nothing":   {store.SessionQuery{Scope: scopeA, Hash: all[1].Hash}, nil},
	} {
		got, err := s.Sessions(t.Context(), tenant, c.q)
		if err != nil || !slices.EqualFunc(got, c.want, func(one memory.Session, i int) bool { return one.ID == all[i].ID }) {
			t.Errorf("sessions %s: %d rows, %v", name, len(got), err)
		}
	}
}

// A scope holds a session once; the same session in another scope is another row.
func testSessionOnce(t *testing.T, s store.Store) {
	first := session(scopeA, "run-1")
	again, fresh, elsewhere := session(scopeA, "run-2"), session(scopeA, "run-3"), session(scopeB, "run-4")
	again.Hash, elsewhere.Hash = first.Hash, first.Hash
	mustCommit(t, s, change.Set{Sessions: []memory.Session{first}, Traces: []change.Trace{traceOf(first, 1)}})
	key := store.InboxKey{Consumer: "ingest", Key: "evt_1"}
	_, err := s.Commit(t.Context(), tenant, change.Set{
		Sessions: []memory.Session{fresh, again}, Traces: []change.Trace{traceOf(fresh, 1), traceOf(again, 1)},
		Audit: []change.Audit{audited(again.ID)}, Events: []change.Event{recorded("mem_1")},
	}, key)
	wantError(t, err, store.ErrConflict)
	mustCommit(t, s, change.Set{Sessions: []memory.Session{elsewhere}})
	// The refused set wrote nothing, and its inbox key is not claimed.
	if done, err := s.Commit(t.Context(), tenant, change.Set{}, key); err != nil || done {
		t.Errorf("the key of a refused session: done %v, %v", done, err)
	}
	got, err := s.Sessions(t.Context(), tenant, store.SessionQuery{})
	if err != nil || len(got) != 2 || got[0].ID != elsewhere.ID || got[1].ID != first.ID {
		t.Errorf("sessions %+v, %v", got, err)
	}
	wantError(t, second(s.Trace(t.Context(), tenant, fresh.ID)), store.ErrNotFound)
}

// SPEC §5: of concurrent commits of the same session, one succeeds.
func testSessionTwiceAtOnce(t *testing.T, s store.Store) {
	const publishers = 8
	var stored, refused atomic.Int32
	hash := ident.New("hash_")
	var g errgroup.Group
	for range publishers {
		g.Go(func() error {
			one := session(scopeA, "run-1")
			one.Hash = hash
			_, err := s.Commit(t.Context(), tenant, change.Set{
				Sessions: []memory.Session{one}, Traces: []change.Trace{traceOf(one, 3)},
				Events: []change.Event{recorded("mem_1")}, Audit: []change.Audit{audited(one.ID)},
			}, store.InboxKey{Consumer: "ingest", Key: one.EventID})
			switch {
			case err == nil:
				stored.Add(1)
			case errors.Is(err, store.ErrConflict):
				refused.Add(1)
			default:
				return err
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	got, err := s.Sessions(t.Context(), tenant, store.SessionQuery{Scope: scopeA, Hash: hash})
	waiting, errO := s.Unpublished(t.Context(), 10)
	if err := errors.Join(err, errO); err != nil || stored.Load() != 1 || refused.Load() != publishers-1 || len(got) != 1 || len(waiting) != 1 {
		t.Errorf("%d stored, %d refused, %d sessions, %d events, %v; want one of %d", stored.Load(), refused.Load(), len(got), len(waiting), err, publishers)
	}
}

func testSessionUpdates(t *testing.T, s store.Store) {
	one := session(scopeA, "run-1")
	mustCommit(t, s, change.Set{Sessions: []memory.Session{one}, Traces: []change.Trace{traceOf(one, 1)}})
	one.State, one.DistilledAt, one.Distiller, one.Prompt = memory.SessionDistilled, now(), "gpt-4o-mini", "distill-3"
	one.Extracted, one.Ungrounded, one.Note = 2, 1, "one did not hold"
	update := change.SessionUpdate{
		ID: one.ID, State: one.State, DistilledAt: one.DistilledAt, Distiller: one.Distiller, Prompt: one.Prompt,
		Extracted: one.Extracted, Ungrounded: one.Ungrounded, Note: one.Note,
	}
	for range 2 { // twice is the same as once
		mustCommit(t, s, change.Set{SessionUpdates: []change.SessionUpdate{update}})
	}
	same(t, one)(s.Session(t.Context(), tenant, one.ID))
	update.ID = "sess_none"
	_, err := s.Commit(t.Context(), tenant, change.Set{SessionUpdates: []change.SessionUpdate{update}}, store.InboxKey{})
	wantError(t, err, store.ErrConflict)
}

// SPEC §16.8: sessions, and the uniqueness of their hashes, are per tenant.
func testSessionTenants(t *testing.T, s store.Store) {
	ctx := t.Context()
	one := session(scopeA, "run-1")
	mustCommit(t, s, change.Set{Sessions: []memory.Session{one}, Traces: []change.Trace{traceOf(one, 2)}})
	wantError(t, second(s.Session(ctx, other, one.ID)), store.ErrNotFound)
	wantError(t, second(s.Trace(ctx, other, one.ID)), store.ErrNotFound)
	if got, err := s.Sessions(ctx, other, store.SessionQuery{Hash: one.Hash}); err != nil || len(got) != 0 {
		t.Errorf("another tenant sees %+v, %v", got, err)
	}
	for name, set := range map[string]change.Set{
		"session": {Sessions: []memory.Session{one}},
		"trace":   {Traces: []change.Trace{{SessionID: one.ID, Chunks: [][]byte{{1}}}}},
	} {
		_, err := s.Commit(ctx, other, set, store.InboxKey{})
		if !errors.Is(err, store.ErrInvalid) {
			t.Errorf("another tenant wrote a %s: %v", name, err)
		}
	}
	_, err := s.Commit(ctx, other, change.Set{SessionUpdates: []change.SessionUpdate{{ID: one.ID, State: memory.SessionDistilled}}}, store.InboxKey{})
	wantError(t, err, store.ErrConflict)
	own := one
	own.Tenant = other
	if _, err := s.Commit(ctx, other, change.Set{Sessions: []memory.Session{own}}, store.InboxKey{}); err != nil {
		t.Errorf("the same of another tenant: %v", err)
	}
	same(t, one)(s.Session(ctx, tenant, one.ID))
}

// A session creates its missing scope and changes no lane's version, so that
// concurrent decisions stay valid.
func testSessionLanes(t *testing.T, s store.Store) {
	commitBatch(t, s, change.Set{Memories: []memory.Memory{remembered(scopeA, "m")}}, scopeA)
	mustCommit(t, s, change.Set{Sessions: []memory.Session{session(scopeB, "run-2"), session(scopeA, "run-1"), session(scopeA, "run-3")}})
	same(t, map[memory.Scope]int64{scopeA: 1, scopeB: 0})(s.ScopeVersions(t.Context(), tenant))
}

// Retention deletes traces and answers together; the session's row and its
// proposals stay.
func testTraceRetention(t *testing.T, s store.Store) {
	ctx := t.Context()
	one, call := session(scopeA, "run-1"), question("k1", 100)
	call.At = now().AddDate(0, 0, -40)
	mustCommit(t, s, change.Set{Sessions: []memory.Session{one}, Traces: []change.Trace{traceOf(one, 3)}})
	for _, c := range []store.ModelCall{call, question("k2", 10)} {
		if _, err := s.BeginCall(ctx, tenant, c, 0); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range []struct {
		keep                time.Duration
		traces, calls, days int64
	}{{0, 0, 0, 0}, {store.DefaultRetention().Traces, 0, 1, 1}, {time.Microsecond, 3, 1, 0}, {time.Microsecond, 0, 0, 0}} {
		n, err := s.Sweep(ctx, store.Retention{Traces: c.keep})
		if err != nil || n["session_traces"] != c.traces || n["model_calls"] != c.calls || n["model_days"] != c.days {
			t.Errorf("sweep %d: %v, %v; want %d traces, %d calls, %d days", i, n, err, c.traces, c.calls, c.days)
		}
	}
	same(t, one)(s.Session(ctx, tenant, one.ID))
	wantError(t, second(s.Trace(ctx, tenant, one.ID)), store.ErrNotFound)
}
