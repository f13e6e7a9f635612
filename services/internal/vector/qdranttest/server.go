package qdranttest

import (
	"context"
	"errors"
	"net"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// Version is the server's version by default.
const Version = "1.19.0"

// Server is a running server. Its data lives in memory, or in a folder of the test where
// [BinaryVariable] names a real one.
type Server struct {
	// Address is host:port of its gRPC interface.
	Address string
	grpc    *grpc.Server
	state   *state
	options options
	faults  faults
	done    chan struct{} // closed when the server has ended
	process *process      // of a real server, else nil
}

// options are what tests change of a server.
type options struct {
	key   string        // that requests must carry, empty for none
	slots chan struct{} // of a paced server: how many requests run at once
}

// Option changes a server.
type Option func(*options)

// state is all data of the server.
type state struct {
	mu          sync.RWMutex
	collections map[string]*collection
	aliases     map[string]string
}

// Start runs a server of the given version until the test ends or Stop.
func Start(t testing.TB, version string, with ...Option) *Server {
	t.Helper()
	return Resume(t, version, net.JoinHostPort("127.0.0.1", strconv.Itoa(testenv.Port(t))), nil, with...)
}

// Resume runs a server on a known address, with the data of one that was
// stopped: a restart, seen from outside. With nil it starts empty.
func Resume(t testing.TB, version, address string, before *Server, with ...Option) *Server {
	t.Helper()
	if binary := os.Getenv(BinaryVariable); binary != "" && version == Version {
		return resumeBinary(t, binary, address, before, with)
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatalf("qdranttest: listen: %v", err)
	}
	s := newServer(before, with)
	s.Address, s.state = listener.Addr().String(), &state{collections: make(map[string]*collection), aliases: make(map[string]string)}
	if before != nil {
		s.state = before.state
	}
	s.serve(t, listener, version)
	t.Cleanup(s.Stop)
	return s
}

// Serve answers on a listener for as long as the process lives, as a binary would.
func Serve(listener net.Listener, version, key string) {
	s := newServer(nil, []Option{Key(key)})
	s.state = &state{collections: make(map[string]*collection), aliases: make(map[string]string)}
	s.serve(silent{}, listener, version)
}

// silent is the test of a server that has none.
type silent struct{}

// Errorf implements part of [testing.TB].
func (silent) Errorf(string, ...any) {}

// newServer returns a server with the options of the one before.
func newServer(before *Server, with []Option) *Server {
	s := &Server{done: make(chan struct{})}
	if before != nil {
		s.options = before.options
	}
	for _, change := range with {
		change(&s.options)
	}
	return s
}

// serve answers on a listener until Stop.
func (s *Server) serve(t interface{ Errorf(string, ...any) }, listener net.Listener, version string) {
	s.grpc = s.newGRPC()
	qdrant.RegisterQdrantServer(s.grpc, health{version: version})
	qdrant.RegisterCollectionsServer(s.grpc, collectionsService{state: s.state})
	qdrant.RegisterPointsServer(s.grpc, pointsService{state: s.state})
	go func() {
		defer close(s.done)
		// A server that was stopped before it began counts as stopped.
		if err := s.grpc.Serve(s.faults.watch(listener)); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
			t.Errorf("qdranttest: serve: %v", err)
		}
	}()
}

// newGRPC accepts frequent pings, as Qdrant does. Go's own server disconnects a client
// that pings every few seconds, once a test takes long enough.
func (s *Server) newGRPC() *grpc.Server {
	return grpc.NewServer(
		grpc.ChainUnaryInterceptor(s.counted, s.keyed, s.cut, s.paced),
		grpc.MaxRecvMsgSize(64<<20),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Nanosecond, PermitWithoutStream: true}),
	)
}

// Stop cuts all connections, as a crash would. It may be called twice.
func (s *Server) Stop() {
	if s.process != nil {
		s.process.kill()
	} else {
		s.grpc.Stop()
	}
	<-s.done
}

// health answers a client's first request.
type health struct {
	qdrant.UnimplementedQdrantServer
	version string
}

// HealthCheck returns the version.
func (h health) HealthCheck(context.Context, *qdrant.HealthCheckRequest) (*qdrant.HealthCheckReply, error) {
	return &qdrant.HealthCheckReply{Title: "qdranttest", Version: h.version}, nil
}
