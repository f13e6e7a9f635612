package state_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/devstack/state"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func open(t *testing.T, path string) *state.Dir {
	t.Helper()
	dir, err := state.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	return dir
}

// SPEC §15: a second instance is told which process the first one is.
func TestTwoInstancesOnOneFolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "dev")
	open(t, path)
	_, err := state.Open(t.Context(), path)
	var running *state.RunningError
	if !errors.Is(err, state.ErrRunning) || !errors.As(err, &running) || running.PID != os.Getpid() {
		t.Errorf("second instance: err %v, want ErrRunning with our pid", err)
	}
	if _, err := state.Reset(t.Context(), path, time.Now()); !errors.Is(err, state.ErrRunning) {
		t.Errorf("reset: err %v, want ErrRunning", err)
	}
}

func TestFindFollowsTheInstance(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "dev")
	notRunning := func(when string) {
		t.Helper()
		if _, err := state.Find(path); !errors.Is(err, state.ErrNotRunning) {
			t.Errorf("%s: err %v, want ErrNotRunning", when, err)
		}
	}
	notRunning("before the first start")
	dir := open(t, path)
	notRunning("while it starts")

	creds, err := dir.Credentials()
	if err != nil {
		t.Fatal(err)
	}
	published := state.Instance{PostgresURL: "postgres:///w", NATSURL: "nats://127.0.0.1:7422", NATSCredentials: dir.CredentialsFile()}
	if err := dir.Publish(published); err != nil {
		t.Fatal(err)
	}
	found, err := state.Find(path)
	if err != nil || found.PID != os.Getpid() || found.PostgresURL != published.PostgresURL || found.Started.IsZero() {
		t.Errorf("found %+v, err %v", found, err)
	}
	if got, err := found.Credentials(); err != nil || got != creds {
		t.Errorf("credentials of the found instance: %v, err %v", got, err)
	}
	info, err := os.Stat(filepath.Join(path, "dev.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("dev.json: mode %v, err %v, want 0600", info.Mode(), err)
	}

	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	notRunning("after it closed")
}

// What kill -9 leaves is a file without a lock, then a file of someone else's.
func TestFindIgnoresLeftovers(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	left := filepath.Join(path, "dev.json")
	if err := os.WriteFile(left, []byte(`{"pid": 1, "http_url": "http://127.0.0.1:7420"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := state.Find(path); !errors.Is(err, state.ErrNotRunning) {
		t.Errorf("nobody has the lock: err %v, want ErrNotRunning", err)
	}
	open(t, path)
	if _, err := state.Find(path); !errors.Is(err, state.ErrNotRunning) {
		t.Errorf("another process has the lock: err %v, want ErrNotRunning", err)
	}
}

// A reset moves what we made, and nothing that we did not; nothing is deleted.
func TestReset(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	dir := open(t, path)
	if _, err := dir.Credentials(); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Key(); err != nil {
		t.Fatal(err)
	}
	vault, err := dir.File("vault/MEMORY.md")
	if err != nil {
		t.Fatal(err)
	}
	thesis := filepath.Join(path, "thesis.tex")
	for _, file := range []string{vault, thesis, dir.GatewayFile()} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{dir.NATS(), dir.Postgres()} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	aside, err := state.Reset(t.Context(), path, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(aside, "files", "vault", "MEMORY.md")); err != nil {
		t.Errorf("what was kept cannot be had back: %v", err)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		switch entry.Name() {
		case "lock", "postgres.lock", "thesis.tex", filepath.Base(aside):
		default:
			t.Errorf("%s is left after a reset", entry.Name())
		}
	}
	if _, err := os.Stat(thesis); err != nil {
		t.Error(err)
	}
	if again, err := state.Reset(t.Context(), path, time.Now()); again != "" || err != nil {
		t.Errorf("a second reset moved to %q: %v", again, err)
	}
	if none, err := state.Reset(t.Context(), filepath.Join(path, "missing"), time.Now()); none != "" || err != nil {
		t.Errorf("reset of a missing folder: %q, %v", none, err)
	}
}

func TestDefaultDir(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "/xdg/state")
	want := "/xdg/state/winnow/dev"
	if os.Geteuid() == 0 {
		want = "/var/lib/winnow/dev" // a home is closed to root's PostgreSQL
	}
	if got, err := state.DefaultDir(); err != nil || got != want {
		t.Errorf("DefaultDir() = %q, %v, want %q", got, err, want)
	}
}
