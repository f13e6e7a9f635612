package qdranttest_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/qdrant/go-client/qdrant"

	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/vector/qdranttest"
)

// actVariable makes the test's own binary act as a Qdrant: the switch can be tested where
// there is no real one.
const actVariable = "WINNOW_TEST_ACTS_AS_QDRANT"

func TestMain(m *testing.M) {
	if os.Getenv(actVariable) != "" {
		if err := actAsQdrant(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	testenv.Main(m)
}

// actAsQdrant serves where a real server's settings say. Its version ends in the number
// of starts on its storage.
func actAsQdrant() error {
	storage := os.Getenv("QDRANT__STORAGE__STORAGE_PATH")
	if err := os.MkdirAll(storage, 0o750); err != nil {
		return err
	}
	starts, err := os.ReadDir(storage)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(storage, strconv.Itoa(len(starts))), nil, 0o600); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(os.Getenv("QDRANT__SERVICE__HOST"), os.Getenv("QDRANT__SERVICE__GRPC_PORT")))
	if err != nil {
		return err
	}
	qdranttest.Serve(listener, fmt.Sprintf("1.19.%d", len(starts)+1), os.Getenv("QDRANT__SERVICE__API_KEY"))
	select {}
}

// version asks a server with the key of the test, and returns "" when it does not answer.
func version(t *testing.T, address string) string {
	t.Helper()
	host, digits, _ := net.SplitHostPort(address)
	port, err := strconv.Atoi(digits)
	if err != nil {
		t.Fatal(err)
	}
	c, err := qdrant.NewClient(&qdrant.Config{
		Host: host, Port: port, Headers: map[string]string{"api-key": "secret"}, PoolSize: 1, SkipCompatibilityCheck: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	reply, err := c.HealthCheck(t.Context())
	if err != nil {
		return ""
	}
	return reply.GetVersion()
}

// The switch: a given binary is started with its own ports, key and folder, killed, started
// again on what it had, and on nothing. An older version stays the server of this package.
func TestGivenBinary(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(qdranttest.BinaryVariable, self)
	t.Setenv(actVariable, "1")
	s := qdranttest.Start(t, qdranttest.Version, qdranttest.Key("secret"))
	if got := version(t, s.Address); got != "1.19.1" {
		t.Errorf("first start: version %q", got)
	}
	s.Stop()
	if got := version(t, s.Address); got != "" {
		t.Errorf("stopped, and version %q answers", got)
	}
	again := qdranttest.Resume(t, qdranttest.Version, s.Address, s)
	if got := version(t, s.Address); got != "1.19.2" {
		t.Errorf("resumed: version %q", got)
	}
	again.Stop()
	qdranttest.Resume(t, qdranttest.Version, s.Address, nil, qdranttest.Key("secret"))
	if got := version(t, s.Address); got != "1.19.1" {
		t.Errorf("on nothing: version %q", got)
	}
	if got := version(t, qdranttest.Start(t, "1.18.0").Address); got != "1.18.0" {
		t.Errorf("an older one: version %q", got)
	}
}
