package relay_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
	"github.com/winnowhq/winnow/services/relay"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// reader receives the relay's events in order.
var reader = bus.Durable{
	Stream: bus.StreamMemory, Name: "reader", Filters: []string{event.SubjectProposalDecided},
	AckWait: time.Minute, MaxPending: 10_000, MaxDeliver: 5,
}

// rig is a store with an outbox, a NATS server, and relays between both.
type rig struct {
	t     *testing.T
	store store.Store
	bus   *natstest.Server
	src   bus.Source
	waker bus.Publisher
}

func setup(t *testing.T) *rig {
	t.Helper()
	s := natstest.New(t, reader, relay.Definition.Durable)
	return &rig{t: t, store: pgtest.Open(t), bus: s, src: s.Source(t, reader), waker: s.Publisher(t)}
}

// start runs a relay. The returned function stops it and waits for its end.
func (r *rig) start(adjust func(*worker.Deps)) (stop func()) {
	r.t.Helper()
	deps := workertest.Deps(r.t, r.bus, r.store)
	if adjust != nil {
		adjust(&deps)
	}
	runner, err := worker.Build(relay.Definition, deps, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := runner.Run(ctx); err != nil {
			r.t.Errorf("relay: %v", err)
		}
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-ended
	})
	r.t.Cleanup(stop)
	return stop
}

// write commits n events, numbered from first, as a worker does.
func (r *rig) write(first, n int) {
	r.t.Helper()
	var set change.Set
	for i := first; i < first+n; i++ {
		id := fmt.Sprintf("evt_%05d", i)
		set.Events = append(set.Events, change.Event{
			ID: id, Subject: event.SubjectProposalDecided, Type: event.TypeFor(event.SubjectProposalDecided),
			Message: &winnowv1.ProposalDecided{Id: id},
		})
	}
	if _, err := r.store.Commit(r.t.Context(), memory.DefaultTenant, set, store.InboxKey{}); err != nil {
		r.t.Fatal(err)
	}
	r.waker.Wake()
}

// read returns the ids of the next n events on the stream.
func (r *rig) read(n int) []string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 2*time.Minute)
	defer cancel()
	var ids []string
	for len(ids) < n {
		got, err := r.src.Fetch(ctx, n-len(ids))
		if err != nil && !errors.Is(err, bus.ErrUnavailable) || ctx.Err() != nil {
			r.t.Fatalf("read %d of %d events: %v", len(ids), n, err)
		}
		for _, m := range got {
			env, err := event.Parse(m.Subject(), m.Header(), m.Data(), "none")
			if err != nil {
				r.t.Fatal(err)
			}
			ids = append(ids, env.ID)
			if err := m.Ack(ctx); err != nil {
				r.t.Fatal(err)
			}
		}
	}
	return ids
}

// assertExactly checks that the stream holds no event beyond n.
func (r *rig) assertExactly(n int) {
	r.t.Helper()
	waiting, _, err := r.src.Pending(r.t.Context())
	if err != nil || waiting != 0 {
		r.t.Errorf("beside the %d events %d more were published, err %v", n, waiting, err)
	}
}

// awaitMarked returns when no row waits.
func (r *rig) awaitMarked() {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 2*time.Minute)
	defer cancel()
	for {
		s, err := r.store.OutboxStatus(ctx)
		if err != nil {
			r.t.Fatal(err)
		}
		if s.Waiting == 0 {
			return
		}
	}
}

func assertInOrder(t *testing.T, ids []string, first int) {
	t.Helper()
	for i, id := range ids {
		if want := fmt.Sprintf("evt_%05d", first+i); id != want {
			t.Fatalf("event %d is %s, want %s", i, id, want)
		}
	}
}

// Rows are published once, ordered by id, over several batches.
func TestPublishesInOrder(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.write(0, 1300)
	r.start(nil)
	assertInOrder(t, r.read(1300), 0)
	r.write(1300, 20)
	assertInOrder(t, r.read(20), 1300)
	r.awaitMarked()
	r.assertExactly(1320)
}

// Of two relays one is active. When it stops, the other takes over. No event is
// published twice or out of order.
func TestStandbyTakesOver(t *testing.T) {
	t.Parallel()
	r := setup(t)
	rounds := make(chan string, 100)
	as := func(name string) func(*worker.Deps) {
		return func(d *worker.Deps) {
			d.Reached = func(p worker.Point) {
				if p == worker.PointBeforePublish {
					rounds <- name
				}
			}
		}
	}
	stops := map[string]func(){"a": r.start(as("a")), "b": r.start(as("b"))}
	r.write(0, 50)
	assertInOrder(t, r.read(50), 0)
	first := <-rounds
	for i := range 5 {
		r.write(50+10*i, 10)
		assertInOrder(t, r.read(10), 50+10*i)
		if name := <-rounds; name != first {
			t.Fatalf("%s published while %s led", name, first)
		}
	}
	stops[first]()
	for len(rounds) > 0 {
		<-rounds // rows that were published and not marked immediately
	}
	r.write(100, 50)
	assertInOrder(t, r.read(50), 100)
	if name := <-rounds; name == first {
		t.Errorf("%s published after it was stopped", name)
	}
	r.awaitMarked()
	r.assertExactly(150)
}

// A relay that is killed between publishing and marking publishes again, and the
// stream drops the duplicates.
func TestPublishedButNotMarked(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.write(0, 30)
	rows, err := r.store.Unpublished(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	var out []bus.Outgoing
	for _, row := range rows[:12] {
		out = append(out, bus.Outgoing{ID: event.MessageID(row.Subject, row.EventID), Subject: row.Subject, Header: row.Header, Data: row.Data})
	}
	if _, err := r.bus.Publisher(t).Publish(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	r.start(nil)
	assertInOrder(t, r.read(30), 0)
	r.awaitMarked()
	r.assertExactly(30)
}

// After an outage of the bus, events committed meanwhile are published.
func TestBusRestart(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.start(nil)
	r.write(0, 10)
	assertInOrder(t, r.read(10), 0)
	r.bus.Stop()
	r.write(10, 600)
	r.bus.Start(t)
	assertInOrder(t, r.read(600), 10)
	r.awaitMarked()
	r.assertExactly(610)
}

// A message that no worker settled becomes a dead letter as well.
func TestRescuesWhatNobodySettled(t *testing.T) {
	t.Parallel()
	r := setup(t)
	dying := bus.Durable{
		Stream: bus.StreamMemory, Name: "reader", Filters: reader.Filters,
		AckWait: time.Minute, MaxPending: 10, MaxDeliver: 1,
	}
	s := natstest.New(t, dying, relay.Definition.Durable)
	r.bus = s
	r.start(nil)
	if _, err := s.Publisher(t).Publish(t.Context(), []bus.Outgoing{{ID: "x", Subject: event.SubjectProposalDecided, Data: []byte("{}")}}); err != nil {
		t.Fatal(err)
	}
	src := s.Source(t, dying)
	got, err := src.Fetch(t.Context(), 1)
	if err != nil || len(got) != 1 {
		t.Fatalf("fetched %d, err %v", len(got), err)
	}
	// The only delivery is returned. The server notices that it was the last one at
	// the next request for messages.
	if err := got[0].Retry(0); err != nil {
		t.Fatal(err)
	}
	asking, leave := context.WithCancel(t.Context())
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		_, _ = src.Fetch(asking, 1)
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var l []bus.DeadLetter
	for letters := s.DeadLetters(t); len(l) == 0; {
		if l, err = letters.List(ctx, 0, 10); err != nil {
			t.Fatal(err)
		}
	}
	leave()
	<-asked
	if len(l) != 1 {
		t.Fatalf("%d letters", len(l))
	}
	if l[0].Reason.Class != "exhausted" || string(l[0].Data) != "{}" || l[0].Consumer != "reader" {
		t.Errorf("letter %+v", l[0])
	}
}
