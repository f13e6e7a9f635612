package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

// broker is a server whose streams outlive it, at an address that stays.
type broker struct {
	*testing.T
	dir     string
	port    int
	running *server.Server
}

// portOfOwn is a free port below those that systems hand out by themselves, so
// that nobody takes it while the server is away.
func portOfOwn(t *testing.T) int {
	t.Helper()
	for range 100 {
		port := 20_000 + rand.IntN(10_000)
		listener, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port))
		if err != nil {
			continue
		}
		if err := listener.Close(); err != nil {
			t.Fatal(err)
		}
		return port
	}
	t.Fatal("no free port")
	return 0
}

func (b *broker) start() jetstream.JetStream {
	b.Helper()
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: b.port, JetStream: true, StoreDir: b.dir, NoSigs: true, NoLog: true,
		Users: []*server.User{{Username: "gateway", Password: "secret"}}, AuthTimeout: patience.Seconds(),
	})
	if err != nil {
		b.Fatal(err)
	}
	go s.Start()
	b.running = s
	if !s.ReadyForConnections(patience) {
		b.Fatal("the server does not start")
	}
	nc, err := nats.Connect(b.address(), nats.Timeout(patience))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(nc.Close)
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(patience))
	if err != nil {
		b.Fatal(err)
	}
	return js
}

func (b *broker) stop() { b.running.Shutdown(); b.running.WaitForShutdown() }

func (b *broker) address() string { return "nats://gateway:secret@" + b.running.Addr().String() }

// eachLine hands over what the gateway prints.
func eachLine(r io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		for s := bufio.NewScanner(r); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return lines
}

// say publishes a digest as the relay does.
func say(t *testing.T, js jetstream.JetStream, text string) {
	t.Helper()
	header, data, err := event.Encode(&winnowv1.DigestTriage{Id: text, Text: text}, event.Options{ID: text})
	if err == nil {
		_, err = js.PublishMsg(t.Context(), &nats.Msg{Subject: event.SubjectForReviewer(event.SubjectDigestTriage, "default", "local"), Header: header, Data: data})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A gateway outlives its broker: it waits for the server and goes on with what
// was sent, and what it had delivered does not come again.
func TestGatewayOutlivesTheBroker(t *testing.T) {
	t.Parallel()
	b := &broker{T: t, dir: t.TempDir(), port: portOfOwn(t)}
	js := b.start()
	defer func() { b.stop() }()
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "MEMORY", Subjects: []string{"memory.>"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateConsumer(t.Context(), "MEMORY", jetstream.ConsumerConfig{Durable: "gateway-gateway", AckPolicy: jetstream.AckExplicitPolicy}); err != nil {
		t.Fatal(err)
	}
	typed, _ := io.Pipe()
	out, chat := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- serve(t.Context(), b.address(), typed, chat) }()
	lines := eachLine(out)

	say(t, js, "first")
	if got := <-lines; got != "first" {
		t.Fatalf("printed %q", got)
	}
	b.stop()
	say(t, b.start(), "second")
	select {
	case got := <-lines:
		if got != "second" {
			t.Errorf("printed %q after the restart", got)
		}
	case err := <-ended:
		t.Errorf("the gateway ended: %v", err)
	}
}
