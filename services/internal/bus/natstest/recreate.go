package natstest

import (
	"context"
	"testing"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
)

// MakeStreamAnew deletes a stream with its durables and provisions both: the new
// stream counts from 1 again.
func (s *Server) RecreateStream(t testing.TB, stream string) {
	t.Helper()
	s.recreate(t, func(ctx context.Context, js natsjs.JetStream) error { return js.DeleteStream(ctx, stream) })
}

// MakeDurableAnew deletes a durable and provisions it, so that everything in its
// stream is delivered again.
func (s *Server) RecreateDurable(t testing.TB, d bus.Durable) {
	t.Helper()
	s.recreate(t, func(ctx context.Context, js natsjs.JetStream) error { return js.DeleteConsumer(ctx, d.Stream, d.Name) })
}

// MakeMissing provisions what is missing, such as a stream that a test deleted.
func (s *Server) ProvisionMissing(t testing.TB) {
	t.Helper()
	s.recreate(t, func(context.Context, natsjs.JetStream) error { return nil })
}

func (s *Server) recreate(t testing.TB, remove func(context.Context, natsjs.JetStream) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangTimeout)
	defer cancel()
	js, err := natsjs.New(s.conn)
	if err == nil {
		err = remove(ctx, js)
	}
	if err == nil {
		_, err = jetstream.Provision(ctx, s.conn, jetstream.Topology{Durables: s.durable})
	}
	if err != nil {
		t.Fatalf("natstest: make anew: %v", err)
	}
}

// ShortenWindow gives the stream that stores a subject the shortest window of
// deduplication that the server allows, so that a test can get past it.
func (s *Server) ShortenWindow(t testing.TB, subject string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangTimeout)
	defer cancel()
	js, err := natsjs.New(s.conn)
	if err != nil {
		t.Fatalf("natstest: %v", err)
	}
	name, err := js.StreamNameBySubject(ctx, subject)
	if err != nil {
		t.Fatalf("natstest: stream of %s: %v", subject, err)
	}
	stream, err := js.Stream(ctx, name)
	if err != nil {
		t.Fatalf("natstest: %v", err)
	}
	config := stream.CachedInfo().Config
	if config.Duplicates = shortestWindow; config.Duplicates == stream.CachedInfo().Config.Duplicates {
		return
	}
	if _, err := js.UpdateStream(ctx, config); err != nil {
		t.Fatalf("natstest: %v", err)
	}
}

// shortestWindow is the server's own lower limit.
const shortestWindow = 100 * time.Millisecond
