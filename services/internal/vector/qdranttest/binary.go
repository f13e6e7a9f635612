package qdranttest

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/qdrant/go-client/qdrant"

	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// BinaryVariable names the file of a real Qdrant 1.19 or newer. With it every test that
// starts a server of this package starts that one, and stops it by a kill:
//
//	WINNOW_TEST_QDRANT_BINARY=/opt/qdrant go test ./services/index ./services/internal/vector/...
//
// A test that needs what a real server cannot do on demand skips and says so.
const BinaryVariable = "WINNOW_TEST_QDRANT_BINARY"

// startWithin is for a server that hangs, not a measure of speed.
const startWithin = time.Minute

// process is a real server with its data.
type process struct {
	t       testing.TB
	folder  string
	command *exec.Cmd
}

// resumeBinary is [Resume] for a real server.
func resumeBinary(t testing.TB, binary, address string, before *Server, with []Option) *Server {
	t.Helper()
	s := newServer(before, with)
	s.Address, s.process = address, &process{t: t}
	if before != nil && before.process != nil {
		s.process.folder = before.process.folder
	} else {
		s.process.folder = t.TempDir()
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatalf("qdranttest: %v", err)
	}
	output, err := os.Create(filepath.Join(s.process.folder, "output.txt"))
	if err != nil {
		t.Fatalf("qdranttest: %v", err)
	}
	defer func() { _ = output.Close() }()
	// Not bound to the test's context: the server outlives the call, and Stop kills it.
	command := exec.Command(binary) //nolint:gosec,noctx // the file that whoever runs the test names
	command.Dir, command.Stdout, command.Stderr = s.process.folder, output, output
	command.Env = append(os.Environ(),
		"QDRANT__SERVICE__HOST=127.0.0.1", "QDRANT__SERVICE__GRPC_PORT="+port,
		"QDRANT__SERVICE__HTTP_PORT="+strconv.Itoa(testenv.Port(t)),
		"QDRANT__STORAGE__STORAGE_PATH="+filepath.Join(s.process.folder, "storage"),
		"QDRANT__STORAGE__SNAPSHOTS_PATH="+filepath.Join(s.process.folder, "snapshots"),
		"QDRANT__TELEMETRY_DISABLED=true", "QDRANT__LOG_LEVEL=WARN",
	)
	if s.options.key != "" {
		command.Env = append(command.Env, "QDRANT__SERVICE__API_KEY="+s.options.key)
	}
	if err := command.Start(); err != nil {
		t.Fatalf("qdranttest: start %s: %v", binary, err)
	}
	s.process.command = command
	go func() {
		defer close(s.done)
		_ = command.Wait() // it is killed
	}()
	t.Cleanup(s.Stop)
	s.awaitReady(t)
	return s
}

// awaitReady waits until the server answers.
func (s *Server) awaitReady(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startWithin)
	defer cancel()
	client := s.client(t)
	defer func() { _ = client.Close() }()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		_, err := client.HealthCheck(ctx)
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-s.done:
			t.Fatalf("qdranttest: the server ended:\n%s", s.process.output())
		case <-ctx.Done():
			t.Fatalf("qdranttest: the server does not answer: %v\n%s", err, s.process.output())
		}
	}
}

func (s *Server) client(t testing.TB) *qdrant.Client {
	t.Helper()
	host, digits, _ := net.SplitHostPort(s.Address)
	port, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatalf("qdranttest: %v", err)
	}
	c, err := qdrant.NewClient(&qdrant.Config{
		Host: host, Port: port, Headers: map[string]string{"api-key": s.options.key}, PoolSize: 1, SkipCompatibilityCheck: true,
	})
	if err != nil {
		t.Fatalf("qdranttest: %v", err)
	}
	return c
}

// kill ends the server as a crash would.
func (p *process) kill() { _ = p.command.Process.Kill() }

func (p *process) output() string {
	text, err := os.ReadFile(filepath.Join(p.folder, "output.txt"))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (p *process) forgetFieldIndexes(s *Server) {
	ctx, client := p.t.Context(), s.client(p.t)
	defer func() { _ = client.Close() }()
	names, err := client.ListCollections(ctx)
	if err != nil {
		p.t.Fatalf("qdranttest: %v", err)
	}
	for _, name := range names {
		info, err := client.GetCollectionInfo(ctx, name)
		if err != nil {
			p.t.Fatalf("qdranttest: %v", err)
		}
		for field := range info.GetPayloadSchema() {
			_, err := client.DeleteFieldIndex(ctx, &qdrant.DeleteFieldIndexCollection{CollectionName: name, FieldName: field, Wait: qdrant.PtrOf(true)})
			if err != nil {
				p.t.Fatalf("qdranttest: %v", err)
			}
		}
	}
}

// mustBeOurs skips a test that needs what only the server of this package does.
func (s *Server) mustBeOurs(why string) {
	if s.process != nil {
		s.process.t.Helper()
		s.process.t.Skipf("a real Qdrant %s", why)
	}
}
