package qdranttest

import (
	"net"
	"testing"
)

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
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	for _, c := range s.state.collections {
		clear(c.indexed)
	}
}
