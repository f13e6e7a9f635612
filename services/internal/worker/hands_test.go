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

// gate holds the events of some ids in the worker's hands until it is opened.
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

// Two events are worked on side by side, and one that takes long makes none
// wait that another hand can do.
func TestSlowHandsWorkSideBySide(t *testing.T) {
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

// No more events are pulled than there are hands: one that waited here would
// wait while another process idles.
func TestSlowPullsNoMoreThanItHasHands(t *testing.T) {
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

// A worker that is told to stop finishes what it has in hand and pulls no more;
// the next one does the rest.
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

// beats is a source that tells how often the server hears that a message is in
// hand.
type beats struct {
	bus.Source
	heard chan struct{}
}

func (b beats) Fetch(ctx context.Context, most int) ([]bus.Message, error) {
	got, err := b.Source.Fetch(ctx, most)
	for i, m := range got {
		got[i] = beating{m, b.heard}
	}
	return got, err
}

type beating struct {
	bus.Message
	heard chan struct{}
}

func (m beating) InProgress() error {
	err := m.Message.InProgress()
	m.heard <- struct{}{}
	return err
}

// Work that takes longer than the server waits is given to nobody else: the
// other hand is free all the time.
func TestSlowWorkOutlastsItsAckWait(t *testing.T) {
	t.Parallel()
	g, heard := newGate("e00000"), make(chan struct{}, 64)
	def := chores(2, g.do)
	// Long enough for a machine that stands still to be a third of it late.
	def.Durable.AckWait = 9 * time.Second
	b := workertest.New(t, def, func(d *worker.Deps) {
		bind := d.Source
		d.Source = func(durable bus.Durable) (bus.Source, error) {
			src, err := bind(durable)
			return beats{src, heard}, err
		}
	})
	t.Cleanup(g.release)
	seqs := b.Publish(many(1, "note")...)
	for range 4 { // each a third of the time that the server waits
		<-heard
	}
	g.release()
	if fate := b.Await(seqs...)[0]; !fate.Acked || fate.Deliveries != 1 || len(g.entered) != 1 {
		t.Errorf("fate: %+v, begun %d times", fate, len(g.entered))
	}
}
