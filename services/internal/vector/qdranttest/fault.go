package qdranttest

import (
	"net"
	"testing"
)

// Silent is the address of something that accepts connections and never says a
// word.
func Silent(t testing.TB) string {
	t.Helper()
	// The kernel accepts up to its backlog; nobody reads.
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("qdranttest: listen: %v", err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String()
}

// ForgetFieldIndexes leaves collections as a creation does that was cut off.
func (s *Server) ForgetFieldIndexes() {
	s.state.mu.Lock()
	defer s.state.mu.Unlock()
	for _, c := range s.state.collections {
		clear(c.indexed)
	}
}
