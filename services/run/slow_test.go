package run

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
)

// pipes is a listener whose connections are in memory, where time can be made.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p pipes) Close() error { return nil }

func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// A client that stops in the middle of what it sends, or sends nothing more, is hung up on:
// a thousand of them must not use up what others need.
func TestSlowClientsAreHungUpOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sends string
		after time.Duration
	}{
		"nothing":         {"", 10 * time.Second},
		"half a header":   {"POST / HTTP/1.1\r\nHost: loc", 10 * time.Second},
		"half a body":     {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf", readTimeout},
		"one request":     {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", idleTimeout},
		"an endless body": {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n", readTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if _, err := io.Copy(io.Discard, r.Body); err != nil {
						w.WriteHeader(http.StatusRequestTimeout)
					}
				}), zap.NewNop())
				doors := make(pipes)
				served := make(chan error, 1)
				go func() { served <- s.Serve(doors) }()
				client, server := net.Pipe()
				doors <- server
				began := time.Now()
				go func() { _, _ = io.WriteString(client, c.sends) }()
				if _, err := io.Copy(io.Discard, bufio.NewReader(client)); err != nil {
					t.Errorf("the connection ended with %v", err)
				}
				if took := time.Since(began); took < c.after || took > c.after+time.Second {
					t.Errorf("hung up on after %v, want %v", took, c.after)
				}
				_ = client.Close()
				close(doors)
				<-served
				_ = s.Close()
			})
		})
	}
}
