package learn_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/confidence"
	"github.com/winnowhq/winnow/services/internal/confidence/ledger"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
	"github.com/winnowhq/winnow/services/learn"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const tenant = memory.DefaultTenant

// bench is a store with the worker's ports and a clock that the test sets.
type bench struct {
	testing.TB
	store store.Store // of the test; the worker's has the rights of its role
	deps  worker.Deps
	now   time.Time
}

func setup(t *testing.T) *bench {
	t.Helper()
	b := &bench{TB: t, now: time.Now().UTC().Truncate(time.Microsecond)}
	db := pgtest.New(t)
	b.store = db.Store
	b.deps = workertest.Deps(t, natstest.New(t, learn.Definition.Durables()...), db.As(t, "learn"))
	b.deps.Now = func() time.Time { return b.now }
	return b
}

func (b *bench) commit(set change.Set) {
	b.Helper()
	if _, err := b.store.Commit(b.Context(), tenant, set, store.InboxKey{}); err != nil {
		b.Fatal(err)
	}
}

// remember stores n lessons of confidence c and returns their ids.
func (b *bench) remember(n int, c float64) (ids []string) {
	b.Helper()
	var set change.Set
	for i := range n {
		m := memory.Memory{
			ID: ident.New(memory.PrefixMemory), Tenant: tenant, Scope: "project:shop", State: memory.StateActive, Kind: memory.KindStrategy,
			Text: fmt.Sprintf("Lesson %d of the shop.", i), Importance: 5, Confidence: c, Principal: "agent",
			Origin: memory.OriginAgent, Authority: memory.OriginAgent, CreatedAt: b.now, SeenCount: 1,
		}
		set.Memories = append(set.Memories, m)
		ids = append(ids, m.ID)
	}
	b.commit(set)
	return ids
}

func (b *bench) served(session, principal string, ids ...string) {
	b.Helper()
	var list []store.Served
	for _, id := range ids {
		list = append(list, store.Served{SessionID: session, MemoryID: id, Principal: principal, At: b.now})
	}
	if err := b.store.RecordServed(b.Context(), tenant, list); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) look() {
	b.Helper()
	if err := learn.Look(b.Context(), b.deps); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) memory(id string) memory.Memory {
	b.Helper()
	m, err := b.deps.Store.Memory(b.Context(), tenant, id)
	if err != nil {
		b.Fatal(err)
	}
	return m
}

func (b *bench) wants(id string, want float64) {
	b.Helper()
	if got := b.memory(id).Confidence; math.Abs(got-want) > 1e-4 {
		b.Errorf("confidence of %s is %v, want %v", id, got, want)
	}
}

func (b *bench) signals(ids ...string) []memory.Signal {
	b.Helper()
	list, err := b.deps.Store.Signals(b.Context(), tenant, store.SignalQuery{Memories: ids, Limit: 1000})
	if err != nil {
		b.Fatal(err)
	}
	return list
}

// say records observations of a principal, as the api does.
func (b *bench) say(id string, who memory.Principal, n int, o confidence.Observation) {
	b.Helper()
	for range n {
		ledgers, err := ledger.Open(b.Context(), b.deps.Store, tenant, who.ID, b.memory(id))
		if err != nil {
			b.Fatal(err)
		}
		o.Who, o.At, o.Share = who, b.now, 1
		r := confidence.Recorder{Config: confidence.DefaultConfig(), NewID: ident.New}
		r.Record(ledgers[id], o)
		b.commit(r.Set)
	}
}

// S4.8: a memory that was shown in a session gets one usage signal, however often the
// worker looks and however often it was shown; a reader that is not registered gives
// none.
func TestUsageCountsOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.remember(2, 0.8)
	b.served("s1", "agent", ids...)
	b.served("s1", "agent", ids[0])
	b.served("s2", "stranger", ids[1])
	b.look()
	b.look()
	if got := b.signals(ids...); len(got) != 2 || got[0].Type != memory.SignalUsage || !got[0].Positive {
		t.Errorf("signals %+v", got)
	}
	b.wants(ids[0], (1.6+0.2941)/2.2941)
	if rows, err := b.deps.Store.Uncounted(t.Context(), tenant, 10); err != nil || len(rows) != 0 {
		t.Errorf("not counted: %v, %v", rows, err)
	}
}

// S4.8 as an attacker: a principal that shows itself a memory in a thousand sessions
// does not make it certain.
func TestUsageOfOnePrincipalIsBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.remember(1, 0.6)[0]
	for i := range 1000 {
		b.served(fmt.Sprint("s", i), "agent", id)
	}
	b.look()
	if got := b.memory(id).Confidence; got > (1.2+2*0.2942)/(2+2*0.2942) {
		t.Errorf("confidence %v", got)
	}
	if n := len(b.signals(id)); n > confidence.PerDay {
		t.Errorf("%d signals are stored", n)
	}
}

// D21: a session that failed lowers what was served in it to its own principal, at half
// weight; what another principal was served in a session of that name stays, and so does
// a memory whose outcome the principal itself told.
func TestSessionsImplyOutcomes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	agent := memory.Principal{ID: "agent", Tenant: tenant, Highest: memory.OriginAgent}
	ids := b.remember(3, 0.8)
	b.served("s1", "agent", ids[0], ids[1])
	b.served("s1", "human", ids[2])
	b.say(ids[1], agent, 1, confidence.Observation{Type: memory.SignalOutcome, Positive: true, Session: "s1"})
	session := memory.Session{
		ID: ident.New(memory.PrefixSession), Tenant: tenant, Scope: "project:shop", Name: "s1", Principal: "agent", Highest: memory.OriginAgent,
		Outcome: "failure", IngestedAt: b.now, Hash: "h1", State: memory.SessionIngested,
	}
	b.commit(change.Set{Sessions: []memory.Session{session}})
	w, err := learn.Definition.Work(b.deps)
	if err != nil {
		t.Fatal(err)
	}
	_, data, err := event.Encode(&winnowv1.SessionIngested{Id: "evt_1", SessionId: session.ID}, event.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := worker.Event{Tenant: tenant, Envelope: event.Envelope{Subject: event.SubjectSessionIngested, ContentType: event.ContentProtobuf, Data: data}}
	for range 2 { // the second delivery says nothing new
		set, err := w.Do(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		b.commit(set)
	}
	b.wants(ids[0], 1.6/(2+0.5*0.2941))
	b.wants(ids[1], (1.6+0.2941)/2.2941)
	b.wants(ids[2], 0.8)
}

// S4.27, D22: the daily upkeep rolls up without changing a confidence, then lets it
// return to its initial value: after 90 days without a signal half of the evidence is
// left.
func TestUpkeep(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.look() // the first slot of the tenant
	id := b.remember(1, 0.6)[0]
	b.say(id, memory.Principal{ID: "agent", Highest: memory.OriginAgent}, 1, confidence.Observation{Type: memory.SignalExplicit, Positive: true})
	told := b.now
	raised := (1.2 + 0.4118) / 2.4118
	b.wants(id, raised)
	b.now = told.Add(30*24*time.Hour - time.Hour)
	b.look()
	b.wants(id, raised)
	if n := len(b.signals(id)); n != 1 {
		t.Fatalf("%d signals within the window", n)
	}
	b.now = told.Add(90 * 24 * time.Hour)
	b.look()
	b.look() // of one slot, once
	if n := len(b.signals(id)); n != 0 {
		t.Errorf("%d signals after the window", n)
	}
	b.wants(id, (1.2+0.4118/2)/(2+0.4118/2))
	b.now = told.Add(20 * 365 * 24 * time.Hour)
	b.look()
	b.wants(id, 0.6)
}

// D22, D10: what two people found useless goes out of service, the least trusted first
// and not more than the erosion budget allows. A person takes it back with one undo, and
// then it stays until there is new evidence.
func TestPrune(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.look()
	const all, bad = 10, 8
	ids := b.remember(all, 0.6)
	for _, id := range ids[:bad] {
		for _, who := range []string{"ann", "bob"} {
			b.say(id, memory.Principal{ID: who, Highest: memory.OriginHuman}, 5, confidence.Observation{Type: memory.SignalExplicit})
		}
	}
	b.now = b.now.Add(24 * time.Hour)
	b.look()
	gone := func() (list []memory.Memory) {
		for _, id := range ids {
			if m := b.memory(id); m.State == memory.StateArchived {
				list = append(list, m)
			}
		}
		return list
	}
	// The floor of D10: five rows of ten.
	pruned := gone()
	if len(pruned) != 5 || !strings.HasPrefix(pruned[0].ArchiveReason, memory.ReasonPruned+": confidence 0.") {
		t.Fatalf("%d archived: %+v", len(pruned), pruned)
	}
	d := &review.Decider{
		Stamp: review.Stamp{Tenant: tenant, Person: "human", Now: b.now, NewID: ident.New}, Store: b.store,
	}
	set, undone, err := d.Undo(t.Context(), false, pruned[0].ID)
	if err != nil || len(undone.Restored) != 1 {
		t.Fatalf("undo: %+v, %v", undone, err)
	}
	b.commit(set)
	b.now = b.now.Add(40 * 24 * time.Hour) // a new month's budget
	b.look()
	if m := b.memory(pruned[0].ID); m.State != memory.StateActive {
		t.Errorf("a person put it back, and it is %s (%s)", m.State, m.ArchiveReason)
	}
	if n := len(gone()); n != bad-1 {
		t.Errorf("%d archived after a month", n)
	}
}
