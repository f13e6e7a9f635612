package jetstream_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
)

func proposals(n int) []bus.Outgoing {
	out := outgoing(n)
	for i := range out {
		out[i].Subject = "memory.proposal.created"
	}
	return out
}

// Fetch returns available messages, never more than requested, and prefetches none.
func TestFetchTakesWhatIsThere(t *testing.T) {
	t.Parallel()
	s := natstest.New(t, triage())
	if _, err := s.Publisher(t).Publish(t.Context(), proposals(30)); err != nil {
		t.Fatal(err)
	}
	src := s.Source(t, triage())
	got, err := src.Fetch(t.Context(), 20)
	if err != nil || len(got) != 20 {
		t.Fatalf("fetched %d, err %v", len(got), err)
	}
	waiting, ackPending, err := src.Pending(t.Context())
	if err != nil || waiting != 10 || ackPending != 20 {
		t.Fatalf("waiting %d, in hand %d, err %v", waiting, ackPending, err)
	}
	rest, err := src.Fetch(t.Context(), 20)
	if err != nil || len(rest) != 10 {
		t.Fatalf("fetched %d, err %v", len(rest), err)
	}
	if m := rest[9].Meta(); m.Sequence != 30 || m.Delivered != 1 || m.Stream != bus.StreamIntake {
		t.Errorf("meta %+v", m)
	}
}

// Fetch waits for the first message without polling on the caller's side.
func TestFetchWaits(t *testing.T) {
	t.Parallel()
	s := natstest.New(t, triage())
	src := s.Source(t, triage())
	got := make(chan int)
	go func() {
		m, _ := src.Fetch(context.WithoutCancel(t.Context()), 5)
		got <- len(m)
	}()
	if _, err := s.Publisher(t).Publish(t.Context(), proposals(1)); err != nil {
		t.Fatal(err)
	}
	if n := <-got; n != 1 {
		t.Fatalf("fetched %d", n)
	}
}

// A message that arrives after its caller left is returned to the stream at once. Nothing
// waits for AckWait, which is longer than this test's limit.
func TestLateMessageIsHandedBack(t *testing.T) {
	t.Parallel()
	s := natstest.New(t, triage())
	src := s.Source(t, triage())
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := src.Fetch(ctx, 5)
		left <- err
	}()
	cancel()
	if err := <-left; err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := s.Publisher(t).Publish(t.Context(), proposals(1)); err != nil {
		t.Fatal(err)
	}
	src.Drain()
	if _, err := src.Fetch(t.Context(), 1); !errors.Is(err, bus.ErrDrained) {
		t.Errorf("after Drain: %v, want ErrDrained", err)
	}
	other := s.Source(t, triage())
	if got, err := other.Fetch(t.Context(), 1); err != nil || len(got) != 1 {
		t.Fatalf("fetched %d, err %v", len(got), err)
	}
}

// The error of a source that starts before provisioning names the missing durable.
func TestFetchWithoutDurable(t *testing.T) {
	t.Parallel()
	s := natstest.New(t)
	if _, err := s.Source(t, triage()).Fetch(t.Context(), 1); !errors.Is(err, bus.ErrNoConsumer) {
		t.Fatalf("error %v, want ErrNoConsumer", err)
	}
}

// A restart of the server loses no published message.
func TestFetchAcrossRestart(t *testing.T) {
	t.Parallel()
	s := natstest.New(t, triage())
	p := s.Publisher(t)
	if _, err := p.Publish(t.Context(), proposals(7)); err != nil {
		t.Fatal(err)
	}
	src := s.Source(t, triage())
	s.Stop()
	if _, err := src.Fetch(t.Context(), 10); !errors.Is(err, bus.ErrUnavailable) {
		t.Fatalf("without a server: %v, want ErrUnavailable", err)
	}
	s.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for seen := 0; seen < 7; {
		got, err := src.Fetch(ctx, 10)
		if ctx.Err() != nil || err != nil && !errors.Is(err, bus.ErrUnavailable) {
			t.Fatalf("fetched %d, err %v", seen, err)
		}
		seen += len(got)
	}
}
