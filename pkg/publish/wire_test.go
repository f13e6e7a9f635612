package publish_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// server speaks as much of the NATS protocol as a publisher needs and confirms
// like a stream, so that these tests run the real client library. A real server
// would be a dependency of everybody who imports this module; the fleet's own
// tests use one.
type server struct {
	t *testing.T
	// confirm returns the stream's answer to one message, or "" for a subject
	// that nothing stores.
	confirm func(subject string, seq int) string

	mu   sync.Mutex
	msgs []received
}

type received struct {
	subject string
	header  nats.Header
	data    []byte
}

// stored confirms everything, as the stream MEMORY.
func stored(_ string, seq int) string { return fmt.Sprintf(`{"stream":"MEMORY","seq":%d}`, seq) }

// serve starts a server and returns it with a connection to it. Both end with
// the test.
func serve(t *testing.T, confirm func(string, int) string) (*server, *nats.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, confirm: confirm}
	var wg sync.WaitGroup
	wg.Go(func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		s.talk(conn)
	})
	nc, err := nats.Connect("nats://"+l.Addr().String(), nats.NoReconnect(), nats.Timeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		nc.Close()
		l.Close()
		wg.Wait()
	})
	return s, nc
}

func (s *server) received() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]received(nil), s.msgs...)
}

func (s *server) talk(conn net.Conn) {
	fmt.Fprintf(conn, "INFO {\"server_id\":\"test\",\"version\":\"2.15.0\",\"proto\":1,\"headers\":true,\"max_payload\":1048576}\r\n")
	in := bufio.NewReader(conn)
	sid := ""
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		f := strings.Fields(line)
		switch strings.ToUpper(f[0]) {
		case "PING":
			io.WriteString(conn, "PONG\r\n")
		case "SUB":
			// The one subscription that a publisher makes: its inbox.
			sid = f[len(f)-1]
		case "HPUB":
			if !s.publish(conn, in, sid, f) {
				return
			}
		}
	}
}

// publish reads HPUB subject reply headerLength totalLength and answers.
func (s *server) publish(conn net.Conn, in io.Reader, sid string, f []string) bool {
	if len(f) != 5 {
		s.t.Errorf("HPUB %v", f)
		return false
	}
	head, err1 := strconv.Atoi(f[3])
	total, err2 := strconv.Atoi(f[4])
	body := make([]byte, total+2)
	if _, err := io.ReadFull(in, body); err != nil || err1 != nil || err2 != nil {
		return false
	}
	header, err := nats.DecodeHeadersMsg(body[:head])
	if err != nil {
		s.t.Error(err)
		return false
	}
	s.mu.Lock()
	s.msgs = append(s.msgs, received{f[1], header, body[head:total]})
	seq := len(s.msgs)
	s.mu.Unlock()

	if answer := s.confirm(f[1], seq); answer != "" {
		fmt.Fprintf(conn, "MSG %s %s %d\r\n%s\r\n", f[2], sid, len(answer), answer)
		return true
	}
	const none = "NATS/1.0 503\r\n\r\n"
	fmt.Fprintf(conn, "HMSG %s %s %d %d\r\n%s\r\n", f[2], sid, len(none), len(none), none)
	return true
}
