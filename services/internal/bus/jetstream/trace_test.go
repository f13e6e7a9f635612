package jetstream_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"testing"
	"testing/iotest"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/pkg/publish"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
)

func sessions() bus.Durable {
	return bus.Durable{
		Stream: bus.StreamSessions, Name: "ingest", Filters: []string{event.SubjectSessionCompleted, event.SubjectSessionCompleted + ".>"},
		AckWait: 30 * time.Second, MaxPending: 16, MaxDeliver: 6,
	}
}

// laid publishes a trace as a service does and returns its reference.
func laid(t *testing.T, s *natstest.Server, trace []byte) *winnowv1.TraceReference {
	t.Helper()
	c, err := publish.New(s.Conn(), publish.WithPrincipal("ci-bot"))
	if err != nil {
		t.Fatal(err)
	}
	ref, err := c.Trace(t.Context(), bytes.NewReader(trace))
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// Ingest, with its own rights, reads the trace that a publisher stored, among other
// traces; 20 MB are twenty times a message.
func TestTracesAreReadAsTheyWereLaidDown(t *testing.T) {
	t.Parallel()
	s := natstest.New(t, sessions())
	traces := s.Traces(t)
	big := make([]byte, 20<<20)
	for i := range big {
		big[i] = byte(i * i >> 7)
	}
	for _, want := range [][]byte{[]byte("short"), big, []byte("another")} {
		ref := laid(t, s, want)
		r, err := traces.OpenTrace(t.Context(), ref.GetUri())
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(got); !bytes.Equal(sum[:], ref.GetSha256()) || int64(len(got)) != ref.GetSize() {
			t.Errorf("%d bytes read of %d", len(got), len(want))
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if _, err := r.Read(make([]byte, 1)); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("read after close: %v", err)
		}
	}
	r, err := traces.OpenTrace(t.Context(), laid(t, s, []byte("by halves, to the end")).GetUri())
	if err != nil {
		t.Fatal(err)
	}
	if err := iotest.TestReader(r, []byte("by halves, to the end")); err != nil {
		t.Error(err)
	}
}

func TestTracesThatAreNotThere(t *testing.T) {
	t.Parallel()
	s := natstest.New(t, sessions())
	traces := s.Traces(t)
	ref := laid(t, s, []byte("x"))
	for _, uri := range []string{"", "https://host/trace", "trace://ci-bot/other", "trace://other/" + ref.GetUri()[len("trace://ci-bot/"):], "trace://*/*", "trace://ci-bot/>"} {
		if _, err := traces.OpenTrace(t.Context(), uri); !errors.Is(err, bus.ErrNoTrace) {
			t.Errorf("%q: %v, want ErrNoTrace", uri, err)
		}
	}
}

// An unavailable server is not reported as a missing trace: the event is redelivered.
func TestTracesOfAServerThatIsAway(t *testing.T) {
	t.Parallel()
	s := natstest.New(t, sessions())
	traces := s.Traces(t)
	ref := laid(t, s, make([]byte, 1<<20))
	r, err := traces.OpenTrace(t.Context(), ref.GetUri())
	if err != nil {
		t.Fatal(err)
	}
	s.Stop()
	if n, err := io.Copy(io.Discard, r); !errors.Is(err, bus.ErrUnavailable) {
		t.Errorf("%d bytes, %v; want ErrUnavailable", n, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := traces.OpenTrace(gone, ref.GetUri()); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that the caller gave up", err)
	}
	s.Start(t)
	var n int64
	for err = bus.ErrUnavailable; errors.Is(err, bus.ErrUnavailable); { // until the client has found it
		if r, err = traces.OpenTrace(t.Context(), ref.GetUri()); err == nil {
			n, err = io.Copy(io.Discard, r)
		}
	}
	if n != 1<<20 || err != nil {
		t.Errorf("after the restart: %d bytes, %v", n, err)
	}
}
