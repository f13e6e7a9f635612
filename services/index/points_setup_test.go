package index_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/zap"
	"google.golang.org/protobuf/proto"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/index"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/recall/indexing"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/vector/embedded"
	"github.com/winnowhq/winnow/services/internal/vector/qdrant"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
	"github.com/winnowhq/winnow/services/ops"
)

// house is a store, a bus and an index server. Index workers and searches run on it
// as in a fleet, each with separate connections.
type house struct {
	testing.TB
	store  store.Store
	bus    *natstest.Server
	sender bus.Publisher
	qdrant string // address
	// compare is the interval at which a worker compares everything; by default never
	// in these tests.
	compare time.Duration
}

func newHouse(t testing.TB, qdrantAddress string) *house {
	t.Helper()
	h := &house{TB: t, store: pgtest.Open(t), bus: natstest.New(t, index.Definition.Durables()...), qdrant: qdrantAddress, compare: time.Hour}
	h.sender = h.bus.Publisher(t)
	return h
}

// remote returns a connection to the index server. Its timeout exceeds stalls of the
// machine; searches have their own deadline.
func (h *house) remote() vector.Backend {
	h.Helper()
	c := qdrant.DefaultConfig()
	c.Address, c.ReadTimeout, c.WriteTimeout = h.qdrant, patience, patience
	b, err := qdrant.New(c)
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { _ = b.Close() })
	return b
}

// truth returns the source of documents for rows, with an embedder.
func (h *house) truth(e embed.Embedder) *indexing.Truth {
	_, local := e.(*static.Embedder)
	return &indexing.Truth{Store: h.store, Embedder: e, Analyzer: search.NewAnalyzer(), Local: local}
}

// local returns an in-memory index that follows the store.
func (h *house) local(e embed.Embedder) vector.Backend {
	h.Helper()
	truth := h.truth(e)
	follower := indexing.NewFollower(truth, h.store)
	b, err := embedded.New(embedded.DefaultConfig(), follower.Source)
	if err != nil {
		h.Fatal(err)
	}
	g := truth.Generation(1)
	if err := errors.Join(b.Create(h.Context(), g), b.Activate(h.Context(), g)); err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { _ = b.Close() })
	return follower.Wrap(b)
}

// work runs an index worker until the test ends or the returned function is called.
func (h *house) work(e embed.Embedder) (stop func()) {
	h.Helper()
	deps := workertest.Deps(h.TB, h.bus, h.store)
	deps.Log = testenv.Logger(h.TB, zap.DebugLevel)
	deps.Index, deps.Truth = h.remote(), h.truth(e)
	return h.start(deps)
}

func (h *house) start(deps worker.Deps) (stop func()) {
	h.Helper()
	runner, err := index.RunAt(deps, 200*time.Millisecond, 200*time.Millisecond, h.compare)
	if err != nil {
		h.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := runner.Run(ctx); err != nil {
			h.Errorf("index worker: %v", err)
		}
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-ended
	})
	h.Cleanup(stop)
	return stop
}

// searcher returns the search of another process.
func (h *house) searcher(e embed.Embedder) *recall.Recall {
	h.Helper()
	a, table := search.NewAnalyzer(), static.New()
	return &recall.Recall{
		Store: h.store, Embedder: e, Analyzer: a, Matcher: search.NewMatcher(a, table.Embed),
		Options: search.DefaultOptions(), Index: h.remote(), Spare: h.local(e),
	}
}

// operator returns the commands of an operator.
func (h *house) operator(e embed.Embedder) *ops.Ops {
	h.Helper()
	return &ops.Ops{Store: h.store, Tenant: tenant, Person: "local", Index: h.remote(), Truth: h.truth(e), Now: time.Now, NewID: ident.New}
}

// remember stores memories and publishes their events, as triage and the relay do.
func (h *house) remember(texts ...string) []memory.Memory {
	h.Helper()
	set, list := promoted(shop, memory.KindFact, "Notes", texts...)
	if _, err := h.store.Commit(h.Context(), tenant, set, store.InboxKey{}); err != nil {
		h.Fatal(err)
	}
	for _, m := range list {
		h.tell(&winnowv1.MemoryRecorded{Id: ident.New(memory.PrefixEvent), MemoryId: m.ID, Scope: string(m.Scope)})
	}
	return list
}

// tell publishes an event of the tenant.
func (h *house) tell(m proto.Message) {
	h.Helper()
	subject, err := event.SubjectOf(m)
	if err != nil {
		h.Fatal(err)
	}
	id := ident.New(memory.PrefixEvent)
	header, data, err := event.Encode(m, event.Options{ID: id, Source: "test", Tenant: string(tenant)})
	if err != nil {
		h.Fatal(err)
	}
	h.publish(bus.Outgoing{ID: id, Subject: subject, Header: header, Data: data})
}

// publish retries until the message is stored, as the relay does, because one attempt
// waits only for seconds. A message id is stored once.
func (h *house) publish(m bus.Outgoing) {
	h.Helper()
	h.await("an event is stored", func() bool {
		_, err := h.sender.Publish(h.Context(), []bus.Outgoing{m})
		return err == nil
	})
}

// archive replaces a memory by another without an event.
func (h *house) archive(old, successor string) {
	h.Helper()
	_, err := h.store.Commit(h.Context(), tenant, change.Set{MemoryUpdates: []change.MemoryUpdate{{
		ID: old, State: memory.StateArchived, ArchivedAt: time.Now(), ArchiveReason: "merged", SuccessorID: successor, Confidence: 0.8, SeenCount: 1,
	}}}, store.InboxKey{})
	if err != nil {
		h.Fatal(err)
	}
}

// look queries a process until its answer is as wanted.
func (h *house) look(r *recall.Recall, question, what string, good func(recall.Answer) bool) recall.Answer {
	h.Helper()
	var last recall.Answer
	h.await(what, func() bool {
		var err error
		if last, err = r.Search(h.Context(), recall.Question{Text: question, Tenant: tenant}); err != nil {
			h.Fatalf("%s: %v", what, err)
		}
		return good(last)
	})
	return last
}

func (h *house) await(what string, holds func() bool) {
	h.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !holds(); <-tick.C {
		if time.Now().After(end) {
			h.Fatalf("never: %s", what)
		}
	}
}

// settled waits until no published event is pending.
func (h *house) settled() {
	h.Helper()
	source := h.bus.Source(h.TB, index.Definition.More[0])
	h.await("every event is settled", func() bool {
		waiting, inHand, err := source.Pending(h.Context())
		return err == nil && waiting+inHand == 0
	})
}

// equal reports whether the index contains what the store contains, vectors included.
// It creates no vector, because that is the worker's task.
func (h *house) equal(e embed.Embedder) bool {
	h.Helper()
	b := h.remote()
	g, err := b.Active(h.Context())
	if err != nil {
		return false
	}
	x, err := b.Open(h.Context(), g)
	if err != nil {
		return false
	}
	counted := &counting{Index: x}
	_, err = vector.Reconcile(h.Context(), counted, tenant, h.truth(e).Stored, "", time.Now(), nil)
	return err == nil && counted.puts.Load() == 0
}

// counting is an index that counts documents and writes none.
type counting struct {
	vector.Index
	puts atomic.Int64
}

// Put implements [vector.Index].
func (c *counting) Put(_ context.Context, docs []vector.Doc) error {
	c.puts.Add(int64(len(docs)))
	return nil
}

// first reports whether an answer begins with a memory.
func first(id string) func(recall.Answer) bool {
	return func(a recall.Answer) bool { return len(a.Found) > 0 && a.Found[0].ID == id }
}

// excused reports whether an answer begins with the memory and has the note.
func excused(id, what string) func(recall.Answer) bool {
	return func(a recall.Answer) bool { return first(id)(a) && noted(a, what) }
}

// healthy reports whether an answer begins with the memory and reports no problem.
func healthy(id string) func(recall.Answer) bool {
	return func(a recall.Answer) bool { return first(id)(a) && len(a.Notes) == 0 }
}
