package testenv_test

import (
	"net"
	"strconv"
	"testing"

	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// A server can start, stop and start again; between, clients find no server.
func TestPortIsFreeForItsTest(t *testing.T) {
	t.Parallel()
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(testenv.Port(t)))
	for range 2 {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			t.Error("somebody listens")
		}
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
	}
}
