package natstest

import (
	"net"
	"net/url"
	"strconv"
	"testing"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	devnats "github.com/winnowhq/winnow/services/internal/devstack/nats"
	"github.com/winnowhq/winnow/services/internal/testenv"
)

// Server is a provisioned server on a loopback port. Its methods are for the
// test's own goroutine.
type Server struct {
	running *devnats.Server
	opts    devnats.Options
	durable []bus.Durable
	conn    *nats.Conn
}

// New starts a server with every stream and the given durables. It is gone with
// the test.
func New(t testing.TB, durables ...bus.Durable) *Server {
	t.Helper()
	s := &Server{durable: durables}
	s.running = testenv.NATS(t, func(o *devnats.Options) { s.opts = *o })
	// A restart has to come back where its clients look for it.
	s.opts.Port = port(t, s.running.URL())
	t.Cleanup(func() { s.running.Shutdown() })
	s.conn = s.Connect(t)
	if _, err := jetstream.Provision(t.Context(), s.conn, jetstream.Topology{Durables: durables}); err != nil {
		t.Fatalf("natstest: %v", err)
	}
	return s
}

// Connect opens a connection over the socket that outlives restarts of the
// server. It is closed with the test.
func (s *Server) Connect(t testing.TB) *nats.Conn {
	t.Helper()
	nc, err := jetstream.Connect(jetstream.Config{URL: s.URL(), Name: t.Name()}, zap.NewNop())
	if err != nil {
		t.Fatalf("natstest: %v", err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// URL is where clients connect.
func (s *Server) URL() string {
	return "nats://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(s.opts.Port))
}

// Conn is a connection for the test itself.
func (s *Server) Conn() *nats.Conn { return s.conn }

// Source binds to a durable over a connection of its own.
func (s *Server) Source(t testing.TB, d bus.Durable) *jetstream.Source {
	t.Helper()
	src, err := jetstream.NewSource(s.Connect(t), d)
	if err != nil {
		t.Fatalf("natstest: %v", err)
	}
	t.Cleanup(src.Drain)
	return src
}

// Publisher publishes over a connection of its own.
func (s *Server) Publisher(t testing.TB) *jetstream.Publisher {
	t.Helper()
	p, err := jetstream.NewPublisher(s.Connect(t), zaptest.NewLogger(t, zaptest.Level(zap.WarnLevel)))
	if err != nil {
		t.Fatalf("natstest: %v", err)
	}
	return p
}

// DeadLetters are the letters, over a connection of their own.
func (s *Server) DeadLetters(t testing.TB) *jetstream.DeadLetters {
	t.Helper()
	d, err := jetstream.NewDeadLetters(s.Connect(t))
	if err != nil {
		t.Fatalf("natstest: %v", err)
	}
	return d
}

// Stop takes the server away, with its streams kept on the disk.
func (s *Server) Stop() { s.running.Shutdown() }

// Start brings it back on the same port.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	running, err := devnats.Start(t.Context(), s.opts)
	if err != nil {
		t.Fatalf("natstest: restart: %v", err)
	}
	s.running = running
}

func port(t testing.TB, address string) int {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatalf("natstest: %v", err)
	}
	p, err := strconv.Atoi(u.Port())
	if err != nil {
		t.Fatalf("natstest: %v", err)
	}
	return p
}
