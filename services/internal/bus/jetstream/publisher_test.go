package jetstream_test

import (
	"errors"
	"fmt"
	"testing"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
)

func outgoing(n int) []bus.Outgoing {
	out := make([]bus.Outgoing, n)
	for i := range out {
		out[i] = bus.Outgoing{
			ID:      fmt.Sprintf("e%04d", i),
			Subject: "memory.recorded",
			Header:  map[string][]string{"ce-id": {fmt.Sprintf("e%04d", i)}},
			Data:    []byte(fmt.Sprint(i)),
		}
	}
	return out
}

func count(t *testing.T, s *natstest.Server, stream string) uint64 {
	t.Helper()
	js, err := natsjs.New(s.Conn())
	if err != nil {
		t.Fatal(err)
	}
	st, err := js.Stream(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	return st.CachedInfo().State.Msgs
}

// More than one batch's worth arrives in order, numbered without gaps.
func TestPublishInBatches(t *testing.T) {
	t.Parallel()
	s := natstest.New(t)
	out := outgoing(1203)
	seqs, err := s.Publisher(t).Publish(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	for i, seq := range seqs {
		if seq != uint64(i+1) {
			t.Fatalf("message %d has sequence %d", i, seq)
		}
	}
	if n := count(t, s, bus.StreamMemory); n != 1203 {
		t.Fatalf("%d messages are stored", n)
	}
}

// One known id makes the server refuse an atomic batch. The batch is then published one
// by one, and a known message counts as published under its old sequence number.
func TestDuplicateInBatchFallsBack(t *testing.T) {
	t.Parallel()
	s := natstest.New(t)
	p := s.Publisher(t)
	out := outgoing(10)
	first, err := p.Publish(t.Context(), out[4:5])
	if err != nil {
		t.Fatal(err)
	}
	seqs, err := p.Publish(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	if seqs[4] != first[0] {
		t.Errorf("the duplicate has sequence %d, want %d", seqs[4], first[0])
	}
	again, err := p.Publish(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	for i := range again {
		if seqs[i] == 0 || again[i] != seqs[i] {
			t.Errorf("message %d: first %d, again %d", i, seqs[i], again[i])
		}
	}
	if n := count(t, s, bus.StreamMemory); n != 10 {
		t.Errorf("%d messages are stored, want 10", n)
	}
}

// Streams without atomic batches and mixed subjects are published as well.
func TestPublishToSeveralStreams(t *testing.T) {
	t.Parallel()
	s := natstest.New(t)
	out := outgoing(6)
	out[1].Subject, out[2].Subject = "session.completed", "session.completed.bot"
	seqs, err := s.Publisher(t).Publish(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	for i, seq := range seqs {
		if seq == 0 {
			t.Errorf("message %d was not stored", i)
		}
	}
	if n := count(t, s, bus.StreamSessions); n != 2 {
		t.Errorf("%d sessions are stored, want 2", n)
	}
}

// The errors distinguish an unreachable server from a refused message.
func TestPublishWithoutServer(t *testing.T) {
	t.Parallel()
	s := natstest.New(t)
	p := s.Publisher(t)
	s.Stop()
	seqs, err := p.Publish(t.Context(), outgoing(3))
	if !errors.Is(err, bus.ErrUnavailable) {
		t.Fatalf("error %v, want ErrUnavailable", err)
	}
	for i, seq := range seqs {
		if seq != 0 {
			t.Errorf("message %d claims sequence %d", i, seq)
		}
	}
}

// A wake-up reaches the relay; several at once are merged.
func TestWake(t *testing.T) {
	t.Parallel()
	s := natstest.New(t)
	relay := s.Publisher(t)
	woken, err := relay.Woken(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	relay.Wake()
	relay.Wake()
	<-woken
}
