package qdranttest

import (
	"context"
	"errors"
	"net"
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

// Server is a running server. Its data lives in memory.
type Server struct {
	// Address is host:port of its gRPC interface.
	Address string
	grpc    *grpc.Server
	state   *state
	done    chan struct{}
}

// state is all data of the server.
type state struct {
	mu          sync.Mutex
	collections map[string]*collection
	aliases     map[string]string
}

// Start runs a server of the given version until the test ends or Stop.
func Start(t testing.TB, version string) *Server {
	t.Helper()
	return Resume(t, version, net.JoinHostPort("127.0.0.1", strconv.Itoa(testenv.Port(t))), nil)
}

// Resume runs a server on a known address, with the data of one that was
// stopped: a restart, seen from outside. With nil it starts empty.
func Resume(t testing.TB, version, address string, before *Server) *Server {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatalf("qdranttest: listen: %v", err)
	}
	s := &Server{
		Address: listener.Addr().String(), grpc: newGRPC(), done: make(chan struct{}),
		state: &state{collections: make(map[string]*collection), aliases: make(map[string]string)},
	}
	if before != nil {
		s.state = before.state
	}
	qdrant.RegisterQdrantServer(s.grpc, health{version: version})
	qdrant.RegisterCollectionsServer(s.grpc, collectionsService{state: s.state})
	qdrant.RegisterPointsServer(s.grpc, pointsService{state: s.state})
	go func() {
		defer close(s.done)
		// A server that was stopped before it began counts as stopped.
		if err := s.grpc.Serve(listener); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
			t.Errorf("qdranttest: serve: %v", err)
		}
	}()
	t.Cleanup(s.Stop)
	return s
}

// newGRPC accepts frequent pings, as Qdrant does. Go's own server disconnects a client
// that pings every few seconds, once a test takes long enough.
func newGRPC() *grpc.Server {
	return grpc.NewServer(
		grpc.MaxRecvMsgSize(64<<20),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Nanosecond, PermitWithoutStream: true}),
	)
}

// Stop cuts all connections, as a crash would. It may be called twice.
func (s *Server) Stop() {
	s.grpc.Stop()
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
