package testenv

import (
	"syscall"
	"testing"
)

// Port is a loopback port for servers that come and go during a test. It stays
// the test's own while none listens there: a socket that is bound and never
// listens keeps the kernel from giving the number to anybody who asks for a free
// one, and whoever asks for it by number gets it.
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
	// Both sides allow it: Go's listeners have the option set, too.
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
