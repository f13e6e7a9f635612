package worker_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
)

// gate blocks the worker on the events of some ids until it is opened.
type gate struct {
	held    []string
	entered chan string
	open    chan struct{}
	once    sync.Once
}

func newGate(held ...string) *gate {
	return &gate{held: held, entered: make(chan string, 16), open: make(chan struct{})}
}

func (g *gate) release() { g.once.Do(func() { close(g.open) }) }

func (g *gate) do(ctx context.Context, d worker.Deps, e worker.Event) (change.Set, error) {
	if slices.Contains(g.held, e.ID) {
		g.entered <- e.ID
		select {
		case <-g.open:
		case <-ctx.Done():
			return change.Set{}, ctx.Err()
		}
	}
	return noted(ctx, d, e)
}

// Two events are worked on concurrently: a long one does not delay the others.
func TestSlowWorkIsConcurrent(t *testing.T) {
	t.Parallel()
	g := newGate("long")
	b := workertest.New(t, chores(2, g.do))
	t.Cleanup(g.release)
	long := b.Publish(proposal("long", "takes long"))
	<-g.entered
	for _, fate := range b.DeliverOnce(many(8, "short")...) {
		if !fate.Acked {
			t.Errorf("fate: %+v", fate)
		}
	}
	assertOnce(t, b, 8)
	g.release()
	if fate := b.Await(long...)[0]; !fate.Acked || fate.Deliveries != 1 {
		t.Errorf("fate: %+v", fate)
	}
	assertOnce(t, b, 9)
}

// No more events are pulled than the concurrency allows: an event that waited here
// would wait while another process idles.
func TestSlowPullsNoMoreThanItsConcurrency(t *testing.T) {
	t.Parallel()
	g := newGate("e00000", "e00001")
	def := chores(2, g.do)
	b := workertest.New(t, def)
	t.Cleanup(g.release)
	seqs := b.Publish(many(5, "note")...)
	<-g.entered
	<-g.entered
	waiting, inHand, err := b.Bus().Source(t, def.Durable).Pending(t.Context())
	if err != nil || waiting != 3 || inHand != 2 {
		t.Errorf("%d wait and %d are in hand, %v; want 3 and 2", waiting, inHand, err)
	}
	g.release()
	b.Await(seqs...)
	assertOnce(t, b, 5)
}

// A worker that is asked to stop finishes its events in progress and pulls no more;
// the next worker does the others.
func TestSlowDrain(t *testing.T) {
	t.Parallel()
	g, draining := newGate("e00000"), make(chan struct{})
	var once sync.Once
	b := workertest.New(t, chores(1, g.do), func(d *worker.Deps) {
		d.Reached = func(p worker.Point) {
			if p == worker.PointDuringDrain {
				once.Do(func() { close(draining) })
			}
		}
	})
	t.Cleanup(g.release)
	seqs := b.Publish(many(3, "note")...)
	<-g.entered
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		b.Stop()
	}()
	<-draining
	g.release()
	<-stopped
	if fate := b.Await(seqs[0])[0]; !fate.Acked || fate.Deliveries != 1 {
		t.Errorf("what was in hand: %+v", fate)
	}
	assertOnce(t, b, 1)
	b.Start()
	b.Await(seqs...)
	assertOnce(t, b, 3)
}

// beats is a source that reports every InProgress of its messages.
type beats struct {
	bus.Source
	inProgress chan struct{}
}

func (b beats) Fetch(ctx context.Context, most int) ([]bus.Message, error) {
	got, err := b.Source.Fetch(ctx, most)
	for i, m := range got {
		got[i] = beating{m, b.inProgress}
	}
	return got, err
}

type beating struct {
	bus.Message
	inProgress chan struct{}
}

func (m beating) InProgress() error {
	err := m.Message.InProgress()
	m.inProgress <- struct{}{}
	return err
}

// An event that takes longer than AckWait is not redelivered, although the other slot
// is free all the time.
func TestSlowWorkOutlastsItsAckWait(t *testing.T) {
	t.Parallel()
	g, inProgress := newGate("e00000"), make(chan struct{}, 64)
	def := chores(2, g.do)
	// Long enough for a stalled machine to be late by a third of it.
	def.Durable.AckWait = 9 * time.Second
	b := workertest.New(t, def, func(d *worker.Deps) {
		bind := d.Source
		d.Source = func(durable bus.Durable) (bus.Source, error) {
			src, err := bind(durable)
			return beats{src, inProgress}, err
		}
	})
	t.Cleanup(g.release)
	seqs := b.Publish(many(1, "note")...)
	for range 4 { // each a third of the time that the server waits
		<-inProgress
	}
	g.release()
	if fate := b.Await(seqs...)[0]; !fate.Acked || fate.Deliveries != 1 || len(g.entered) != 1 {
		t.Errorf("fate: %+v, begun %d times", fate, len(g.entered))
	}
}
