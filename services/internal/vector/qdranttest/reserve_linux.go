package qdranttest

import (
	"fmt"
	"syscall"
	"testing"
)

// reserve returns a loopback address that is a server's for as long as the test
// runs, also while none listens there. Its port is that of a socket that never
// listens: the system gives it to nobody else, who would be in the way of a
// server that comes back, and refuses connections.
func reserve(t testing.TB) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatalf("qdranttest: reserve a port: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	// With this on both sockets a server may listen beside it.
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		t.Fatalf("qdranttest: reserve a port: %v", err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatalf("qdranttest: reserve a port: %v", err)
	}
	own, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatalf("qdranttest: reserve a port: %v", err)
	}
	return fmt.Sprintf("127.0.0.1:%d", own.(*syscall.SockaddrInet4).Port)
}
