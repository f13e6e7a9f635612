package testenv

import (
	"syscall"
	"testing"
)

// Port returns a loopback port for servers that start and stop during a test. The
// port stays reserved for the test while none listens: a socket that is bound and
// never listens keeps the kernel from giving the number to a request for any free
// port. A server that asks for the number gets it.
func Port(t testing.TB) int {
	t.Helper()
	port, release, err := reserve()
	if err != nil {
		t.Fatalf("reserve a port: %v", err)
	}
	t.Cleanup(release)
	return port
}

func reserve() (port int, release func(), err error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, nil, err
	}
	release = func() { _ = syscall.Close(fd) }
	// Both sockets need the option; Go's listeners set it too.
	if err := syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		release()
		return 0, nil, err
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		release()
		return 0, nil, err
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		release()
		return 0, nil, err
	}
	return name.(*syscall.SockaddrInet4).Port, release, nil
}
