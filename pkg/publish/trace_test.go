package publish_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/pkg/publish"
	"github.com/winnowhq/winnow/pkg/publish/publishtest"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

func session(trace []byte) *winnowv1.SessionCompleted {
	return &winnowv1.SessionCompleted{
		Id: "s1", Scope: "project:shop", Outcome: "success", Task: "tidy up",
		Trace: &winnowv1.SessionCompleted_Inline{Inline: trace},
	}
}

// A trace goes with its event as long as it fits, and beside it when it does
// not; whoever publishes need not know which.
func TestALargeTraceGoesByReference(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		size      int
		json, big bool
	}{{0, false, false}, {10_000, false, false}, {900_000, false, false}, {900_000, true, true}, {event.MaxPayload, false, true}, {3 << 20, false, true}} {
		opts := []publish.Option{publish.WithPrincipal("ci-bot")}
		if c.json {
			opts = append(opts, publish.WithJSON())
		}
		var bus publishtest.Recorder
		s := session(bytes.Repeat([]byte("turn "), c.size/5))
		r, err := open(t, &bus, opts...).SessionCompleted(t.Context(), s)
		if err != nil || r.EventID != "s1" || len(bus.Events()) != 1 {
			t.Fatalf("%+v: %+v, %v", c, r, err)
		}
		got := bus.Events()[0].Message.(*winnowv1.SessionCompleted)
		if got.GetScope() != s.GetScope() || got.GetOutcome() != "success" || got.GetTask() != "tidy up" || s.GetReference() != nil {
			t.Errorf("%+v: sent %v", c, got)
		}
		if !c.big {
			if !bytes.Equal(got.GetInline(), s.GetInline()) {
				t.Errorf("%+v: the trace did not go with its event", c)
			}
			continue
		}
		ref, sum := got.GetReference(), sha256.Sum256(s.GetInline())
		if ref.GetSize() != int64(len(s.GetInline())) || !bytes.Equal(ref.GetSha256(), sum[:]) || !bytes.Equal(bus.Trace(ref.GetUri()), s.GetInline()) {
			t.Errorf("%+v: reference %v", c, ref)
		}
		if principal, _, err := event.ParseTraceURI(ref.GetUri()); err != nil || principal != "ci-bot" {
			t.Errorf("%+v: %q, %v", c, ref.GetUri(), err)
		}
	}
}

// Over the protocol: the pieces fit the server's limit and arrive in order.
func TestPiecesOverTheWire(t *testing.T) {
	t.Parallel()
	s, nc := serve(t, stored)
	c, err := publish.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	trace := make([]byte, 1_300_000)
	for i := range trace {
		trace[i] = byte(i >> 10)
	}
	ref, err := c.Trace(t.Context(), bytes.NewReader(trace))
	if err != nil {
		t.Fatal(err)
	}
	subject, err := event.TraceSubject(ref.GetUri())
	if err != nil {
		t.Fatal(err)
	}
	var got []byte
	for _, m := range s.received() {
		if m.subject != subject || m.header.Get(jetstream.MsgIDHeader) == "" {
			t.Errorf("a piece on %s with %v", m.subject, m.header)
		}
		got = append(got, m.data...)
	}
	if !bytes.Equal(got, trace) || len(s.received()) != 3 {
		t.Errorf("%d bytes in %d pieces", len(got), len(s.received()))
	}
}

// What cannot be laid down whole is not referred to.
func TestTraceThatBreaksOff(t *testing.T) {
	t.Parallel()
	var bus publishtest.Recorder
	c := open(t, &bus)
	broken := errors.New("disk")
	if _, err := c.Trace(t.Context(), io.MultiReader(bytes.NewReader([]byte("begin")), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Error(err)
	}
	bus.Fail(context.DeadlineExceeded)
	r, err := c.SessionCompleted(t.Context(), session(make([]byte, event.MaxPayload)))
	if !errors.Is(err, publish.ErrUnconfirmed) || r.EventID != "s1" || len(bus.Events()) != 0 {
		t.Errorf("%+v %v", r, err)
	}
}
