package testenv

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	devnats "github.com/winnowhq/winnow/services/internal/devstack/nats"
)

// connectTimeout bounds the handshake of a connection; the client's own default is
// two seconds. It only ends a hung one.
const connectTimeout = time.Minute

// NATS runs a server with JetStream for this test, on a free loopback port, without
// users, encryption and syncing; configure changes that. It ends with the test, after
// the cleanups that the test registers later.
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
	conn, err := s.Connect(append([]nats.Option{nats.Timeout(connectTimeout)}, opts...)...)
	if err != nil {
		t.Fatalf("test nats: %v", err)
	}
	t.Cleanup(conn.Close)
	return conn
}
