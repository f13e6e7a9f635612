package publish_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/pkg/publish"
	"github.com/winnowhq/winnow/pkg/publish/publishtest"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

func proposals(n int) []*winnowv1.ProposalCreated {
	out := make([]*winnowv1.ProposalCreated, n)
	for i := range out {
		out[i] = proposal(fmt.Sprintf("e%d", i))
	}
	return out
}

// Over the protocol: in order, one receipt for each.
func TestBatchKeepsTheOrder(t *testing.T) {
	t.Parallel()
	const n = 1000
	s, nc := serve(t, stored)
	c, err := publish.New(nc, publish.WithInFlight(64))
	if err != nil {
		t.Fatal(err)
	}
	results, err := c.Batch(t.Context(), proposals(n))
	if err != nil {
		t.Fatal(err)
	}
	msgs := s.received()
	if len(results) != n || len(msgs) != n {
		t.Fatalf("%d results, %d received", len(results), len(msgs))
	}
	for i, r := range results {
		id := fmt.Sprintf("e%d", i)
		if r.Err != nil || r.EventID != id || r.Sequence != uint64(i+1) || msgs[i].header.Get("ce-id") != id {
			t.Fatalf("%d: %+v, received %v", i, r, msgs[i].header)
		}
	}
}

// held is a bus that counts what is unconfirmed and confirms only what is
// waited for.
type held struct {
	publishtest.Recorder
	open, most int
}

func (h *held) PublishMsgAsync(msg *nats.Msg, opts ...jetstream.PublishOpt) (jetstream.PubAckFuture, error) {
	f, err := h.Recorder.PublishMsgAsync(msg, opts...)
	h.open++
	h.most = max(h.most, h.open)
	return &heldFuture{f, h}, err
}

type heldFuture struct {
	jetstream.PubAckFuture
	bus *held
}

func (f *heldFuture) Ok() <-chan *jetstream.PubAck {
	f.bus.open--
	return f.PubAckFuture.Ok()
}

func TestBatchBoundsWhatIsInFlight(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 6, 7, 8, 50} {
		bus := &held{}
		results, err := open(t, bus, publish.WithInFlight(7)).Batch(t.Context(), proposals(n))
		if err != nil || len(results) != n || bus.open != 0 || bus.most != min(n, 7) {
			t.Errorf("%d: %v, %d results, %d still open, at most %d", n, err, len(results), bus.open, bus.most)
		}
	}
}

// One refused proposal does not stop the others.
func TestBatchGoesOnAfterARefusal(t *testing.T) {
	t.Parallel()
	var bus publishtest.Recorder
	items := proposals(3)
	items[1].Text = "\xff"
	items[2].Id = ""
	results, err := open(t, &bus).Batch(t.Context(), items)
	if !errors.Is(err, event.ErrMalformed) || results[0].Err != nil || !errors.Is(results[1].Err, event.ErrMalformed) || results[2].Err != nil || results[2].EventID == "" {
		t.Errorf("%v %+v", err, results)
	}
	if got := err.Error()[:len("1 of 3 not stored")]; got != "1 of 3 not stored" {
		t.Error(err)
	}
}

// Sent again with the ids of the receipts, a batch is completed and nothing
// counts twice.
func TestBatchCanBeCompleted(t *testing.T) {
	t.Parallel()
	var bus publishtest.Recorder
	c := open(t, &bus)
	items := proposals(5)
	if _, err := c.Batch(t.Context(), items[:3]); err != nil {
		t.Fatal(err)
	}
	results, err := c.Batch(t.Context(), items)
	if err != nil || len(bus.Proposals()) != 5 {
		t.Fatalf("%v, %d stored", err, len(bus.Proposals()))
	}
	for i, r := range results {
		if r.Duplicate != (i < 3) {
			t.Errorf("%d: %+v", i, r)
		}
	}
}

// A missing stream and an ended context stop the rest, which is not sent.
func TestBatchStops(t *testing.T) {
	t.Parallel()
	var bus publishtest.Recorder
	bus.Fail(jetstream.ErrNoStreamResponse)
	results, err := open(t, &bus, publish.WithInFlight(1)).Batch(t.Context(), proposals(4))
	if !errors.Is(err, publish.ErrNoStream) || !errors.Is(results[3].Err, publish.ErrNoStream) {
		t.Errorf("%v %+v", err, results)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	bus.Fail(nil)
	results, err = open(t, &bus).Batch(ctx, proposals(2))
	if !errors.Is(err, context.Canceled) || results[0].Err == nil || results[1].EventID != "e1" || len(bus.Events()) != 0 {
		t.Errorf("%v %+v", err, results)
	}
}
