package testenv

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	devnats "github.com/winnowhq/winnow/services/internal/devstack/nats"
)

// connectPatience bounds a connection's first words with its server, for which
// the client would allow two seconds; it is for what hangs.
const connectPatience = time.Minute

// NATS runs a server with JetStream for this test, on a free loopback port, with
// no users, no encryption and no syncing; configure changes that. It is gone
// with the test, after the cleanups that the test registers later.
func NATS(t testing.TB, configure ...func(*devnats.Options)) *devnats.Server {
	t.Helper()
	opts := devnats.Options{StoreDir: t.TempDir(), Ephemeral: true}
	for _, change := range configure {
		change(&opts)
	}
	s, err := devnats.Start(t.Context(), opts)
	if err != nil {
		t.Fatalf("test nats: %v", err)
	}
	t.Cleanup(s.Shutdown)
	return s
}

// Connect opens an in-process connection that is closed with the test.
func Connect(t testing.TB, s *devnats.Server, opts ...nats.Option) *nats.Conn {
	t.Helper()
	conn, err := s.Connect(append([]nats.Option{nats.Timeout(connectPatience)}, opts...)...)
	if err != nil {
		t.Fatalf("test nats: %v", err)
	}
	t.Cleanup(conn.Close)
	return conn
}
