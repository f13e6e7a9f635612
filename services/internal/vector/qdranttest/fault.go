package qdranttest

import (
	"context"
	"maps"
	"net"
	"path"
	"slices"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// faults are what a test makes of a server, and what it saw.
type faults struct {
	mu       sync.Mutex
	requests map[string]int // by method
	cuts     int            // how many requests lose their connection
	conns    []net.Conn
}

// watch returns a listener whose connections can be cut.
func (f *faults) watch(l net.Listener) net.Listener { return watched{l, f} }

type watched struct {
	net.Listener
	faults *faults
}

// Accept implements [net.Listener].
func (w watched) Accept() (net.Conn, error) {
	c, err := w.Listener.Accept()
	if err == nil {
		w.faults.mu.Lock()
		w.faults.conns = append(w.faults.conns, c)
		w.faults.mu.Unlock()
	}
	return c, err
}

// Requests returns how often each method was called, such as QueryBatch.
func (s *Server) Requests() map[string]int {
	s.mustBeOurs("counts no requests")
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	copied := make(map[string]int, len(s.faults.requests))
	maps.Copy(copied, s.faults.requests)
	return copied
}

func (s *Server) counted(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	s.faults.mu.Lock()
	if s.faults.requests == nil {
		s.faults.requests = make(map[string]int)
	}
	s.faults.requests[path.Base(info.FullMethod)]++
	s.faults.mu.Unlock()
	return handle(ctx, request)
}

// CutNext closes the connection under each of the next n requests, after it has arrived,
// as Qdrant does with one on which many were cancelled.
func (s *Server) CutNext(n int) {
	s.mustBeOurs("closes no connection on demand")
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.cuts = n
}

func (s *Server) cut(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	s.faults.mu.Lock()
	cut := s.faults.cuts > 0
	if cut {
		s.faults.cuts--
		for _, c := range s.faults.conns {
			_ = c.Close() // the client's answer is that it is gone
		}
		s.faults.conns = nil
	}
	s.faults.mu.Unlock()
	if cut {
		return nil, status.Error(codes.Unavailable, "cut")
	}
	return handle(ctx, request)
}

// Silent returns the address of a listener that accepts connections and never answers.
func Silent(t testing.TB) string {
	t.Helper()
	// The kernel accepts up to its backlog; no goroutine reads.
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("qdranttest: listen: %v", err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String()
}

// ForgetFieldIndexes leaves collections in the state of an interrupted creation.
func (s *Server) ForgetFieldIndexes() {
	if s.process != nil {
		s.process.forgetFieldIndexes(s)
		return
	}
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	for _, c := range s.state.collections {
		clear(c.indexed)
		c.found.forget()
	}
}

// Key makes the server refuse requests without a key, in Qdrant's words.
func Key(key string) Option { return func(o *options) { o.key = key } }

func (s *Server) keyed(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	given := metadata.ValueFromIncomingContext(ctx, "api-key")
	if s.options.key != "" && !slices.Equal(given, []string{s.options.key}) {
		return nil, status.Error(codes.Unauthenticated, "Must provide an API key or an Authorization bearer token")
	}
	return handle(ctx, request)
}
