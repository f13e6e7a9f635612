package nats_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/services/internal/devstack"
	"github.com/winnowhq/winnow/services/internal/devstack/nats"
)

// patience bounds what a server in this process is waited for, for which the
// client would allow two seconds, or five.
const patience = time.Minute

// patient is a context for questions to a server.
func patient(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

func start(t *testing.T, opts nats.Options) *nats.Server {
	t.Helper()
	s, err := nats.Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Shutdown)
	return s
}

// jetStream is the service user's, in process.
func jetStream(t *testing.T, s *nats.Server) jetstream.JetStream {
	t.Helper()
	nc, err := s.Connect(natsgo.Timeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// durable is a silent server as a standalone installation runs it.
func durable(dir, key string) nats.Options {
	return nats.Options{StoreDir: dir, DontListen: true, Key: key}
}

const canary = "canary-4f1b2c"

// keep publishes the canary to a file stream and shuts the server down.
func keep(t *testing.T, opts nats.Options) {
	t.Helper()
	s := start(t, opts)
	js := jetStream(t, s)
	if _, err := js.CreateStream(patient(t), jetstream.StreamConfig{Name: "MEMORY", Subjects: []string{"memory.>"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(patient(t), "memory.recorded", []byte(canary)); err != nil {
		t.Fatal(err)
	}
	s.Shutdown()
}

// SPEC §4: acknowledged messages outlive the server, and cannot be read from
// its files.
func TestRestartKeepsEncryptedStream(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "nats")
	opts := durable(dir, "key-of-at-least-thirty-two-letters")
	keep(t, opts)

	files := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(canary)) {
			t.Errorf("%s holds a message in the clear", path)
		}
		return err
	})
	if err != nil || files == 0 {
		t.Fatalf("read %d files, err %v", files, err)
	}

	js := jetStream(t, start(t, opts))
	stream, err := js.Stream(patient(t), "MEMORY")
	if err != nil {
		t.Fatal(err)
	}
	msg, err := stream.GetMsg(patient(t), 1)
	if err != nil || string(msg.Data) != canary {
		t.Errorf("after restart: message %v, err %v", msg, err)
	}
}

// A lost key must not look like an empty installation.
func TestWrongKeyIsRefused(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][2]string{
		"another key": {"the first key, which is long enough", "the second key, which is long enough"},
		"key lost":    {"the first key, which is long enough", ""},
		"key added":   {"", "the second key, which is long enough"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			keep(t, durable(dir, keys[0]))
			_, err := nats.Start(t.Context(), durable(dir, keys[1]))
			if !errors.Is(err, nats.ErrWrongKey) {
				t.Errorf("start with another key: err %v, want ErrWrongKey", err)
			}
			// The right key still works afterwards.
			start(t, durable(dir, keys[0]))
		})
	}
}

func TestPortTaken(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, err = nats.Start(t.Context(), nats.Options{
		StoreDir: t.TempDir(), Ephemeral: true, Port: listener.Addr().(*net.TCPAddr).Port,
	})
	if !errors.Is(err, nats.ErrPortTaken) {
		t.Errorf("start on a taken port: err %v, want ErrPortTaken", err)
	}
}

// Only a server that nobody outside can reach, or whose data is worthless, may
// do without a password.
func TestListeningNeedsCredentials(t *testing.T) {
	t.Parallel()
	_, err := nats.Start(t.Context(), nats.Options{StoreDir: t.TempDir()})
	if !errors.Is(err, nats.ErrUnprotected) {
		t.Errorf("err %v, want ErrUnprotected", err)
	}
}

func TestSilentServerHasNoURL(t *testing.T) {
	t.Parallel()
	s := start(t, durable(t.TempDir(), ""))
	if url := s.URL(); url != "" {
		t.Errorf("URL %q of a server that does not listen", url)
	}
	s.Shutdown()
	s.Shutdown() // a second time does nothing
}

func BenchmarkStart(b *testing.B) {
	creds := devstack.Credentials{User: "u", Password: "p"}
	for b.Loop() {
		s, err := nats.Start(b.Context(), nats.Options{StoreDir: b.TempDir(), Credentials: creds, Key: "a key of at least thirty-two letters"})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		s.Shutdown()
		b.StartTimer()
	}
}
