package natstest

import (
	"context"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	"github.com/winnowhq/winnow/services/internal/devstack"
	devnats "github.com/winnowhq/winnow/services/internal/devstack/nats"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// patience bounds what a server in this process is waited for; it is for what
// hangs, not a measure of speed.
const hangTimeout = time.Minute

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
	s.running = testenv.NATS(t, func(o *devnats.Options) {
		o.Credentials, o.Users = owner, users(durables)
		// A restart has to come back where its clients look for it, and nobody
		// else may be there meanwhile: they would log in.
		o.Port = testenv.Port(t)
		s.opts = *o
	})
	t.Cleanup(func() { s.running.Shutdown() })
	s.conn = s.Connect(t)
	// Without a deadline of its own each question to the server has five seconds.
	ctx, cancel := context.WithTimeout(t.Context(), hangTimeout)
	defer cancel()
	if _, err := jetstream.Provision(ctx, s.conn, jetstream.Topology{Durables: durables}); err != nil {
		t.Fatalf("natstest: %v", err)
	}
	return s
}

// Connect opens a connection over the socket that outlives restarts of the
// server and may do everything. It is closed with the test.
func (s *Server) Connect(t testing.TB) *nats.Conn {
	t.Helper()
	return s.login(t, owner)
}

func (s *Server) login(t testing.TB, as devstack.Credentials) *nats.Conn {
	t.Helper()
	nc, err := jetstream.Connect(jetstream.Config{
		URL: s.URL(), Name: t.Name(), InboxPrefix: jetstream.InboxPrefix(as.User),
		Extra: []nats.Option{nats.UserInfo(as.User, as.Password), nats.Timeout(hangTimeout)},
	}, zap.NewNop())
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

// Source binds to a durable over a connection of its own, with the rights of
// the worker that reads it.
func (s *Server) Source(t testing.TB, d bus.Durable) *jetstream.Source {
	t.Helper()
	src, err := jetstream.NewSource(s.login(t, s.readerOf(d)), d)
	if err != nil {
		t.Fatalf("natstest: %v", err)
	}
	t.Cleanup(src.Drain)
	return src
}

// Publisher publishes over a connection of its own, with the rights of the
// relay.
func (s *Server) Publisher(t testing.TB) *jetstream.Publisher {
	t.Helper()
	p, err := jetstream.NewPublisher(s.login(t, relay), testenv.Logger(t, zap.WarnLevel))
	if err != nil {
		t.Fatalf("natstest: %v", err)
	}
	return p
}

// Traces opens traces over a connection of its own, with the rights of the worker
// that reads sessions; as the owner where none does.
func (s *Server) Traces(t testing.TB) *jetstream.Traces {
	t.Helper()
	as := owner
	for _, d := range s.durable {
		if d.Stream == bus.StreamSessions {
			as = s.readerOf(d)
		}
	}
	return jetstream.NewTraces(s.login(t, as))
}

// DeadLetters are the letters, over a connection of their own with the rights of
// all who deal with them: workers write, the relay rescues, operators read and
// replay.
func (s *Server) DeadLetters(t testing.TB) *jetstream.DeadLetters {
	t.Helper()
	d, err := jetstream.NewDeadLetters(s.login(t, postmaster))
	if err != nil {
		t.Fatalf("natstest: %v", err)
	}
	return d
}

// Stop takes the server away, with its streams kept on the disk.
func (s *Server) Stop() { s.running.Shutdown() }

// Limit restarts it as one that takes no message of more bytes.
func (s *Server) Limit(t testing.TB, bytes int32) {
	t.Helper()
	s.Stop()
	s.opts.MaxPayload = bytes
	s.Start(t)
}

// Start brings it back on the same port.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	running, err := devnats.Start(t.Context(), s.opts)
	if err != nil {
		t.Fatalf("natstest: restart: %v", err)
	}
	s.running = running
}
