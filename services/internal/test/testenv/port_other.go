//go:build !linux

package testenv

import (
	"net"
	"testing"
)

// Port is a loopback port that is free now. Only Linux can keep it so while no
// server of the test listens there.
func Port(t testing.TB) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("find a free port: %v", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
