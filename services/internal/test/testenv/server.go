package testenv

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"github.com/winnowhq/winnow/services/internal/devstack/postgres"
	"github.com/winnowhq/winnow/services/internal/filelock"
)

// ServerVariable, when set, is the URL of a superuser on a running PostgreSQL
// that tests use instead of starting one: any path in it is replaced.
const ServerVariable = "WINNOW_TEST_POSTGRES_URL"

// pgServer is a server on which tests create databases.
type pgServer struct {
	urlOf func(database string) string
	stop  func() error
}

// processServer is the one server of this test process. It is global because tests
// cannot pass it to one another. Only sharedServer and stopServer use it.
var processServer struct {
	sync.Mutex
	tried  bool
	server *pgServer
	err    error
}

// server starts the process's server on first use, or skips the test.
func server(t testing.TB) *pgServer {
	t.Helper()
	s, err := sharedServer()
	if errors.Is(err, postgres.ErrNoBinaries) {
		Skip(t, CapabilityPostgres, err.Error())
	}
	if err != nil {
		t.Fatalf("test postgres: %v", err)
	}
	return s
}

func sharedServer() (*pgServer, error) {
	p := &processServer
	p.Lock()
	defer p.Unlock()
	if !p.tried {
		p.tried = true
		p.server, p.err = openServer(context.Background())
	}
	return p.server, p.err
}

// stopServer stops the process's server if one was started.
func stopServer() error {
	p := &processServer
	p.Lock()
	defer p.Unlock()
	if p.server == nil {
		return nil
	}
	stop := p.server.stop
	p.server, p.err = nil, errors.New("test postgres was stopped")
	return stop()
}

func openServer(ctx context.Context) (*pgServer, error) {
	if given := os.Getenv(ServerVariable); given != "" {
		return givenServer(given)
	}
	s, err := privateServer(ctx)
	if errors.Is(err, postgres.ErrNoBinaries) {
		if container, containerErr := containerServer(ctx); containerErr == nil {
			return container, nil
		} else {
			err = fmt.Errorf("%w\n(and no container: %w)", err, containerErr)
		}
	}
	return s, err
}

func givenServer(given string) (*pgServer, error) {
	base, err := url.Parse(given)
	if err != nil {
		// The parser's message would repeat the password.
		return nil, errors.New(ServerVariable + " is not a URL")
	}
	return &pgServer{
		urlOf: func(database string) string {
			u := *base
			u.Path = "/" + database
			return u.String()
		},
		stop: func() error { return nil },
	}, nil
}

// privateServer runs a throw-away cluster in a folder of this process.
func privateServer(ctx context.Context) (*pgServer, error) {
	home, err := homeFolder()
	if err != nil {
		return nil, err
	}
	run, owner, err := runFolder(ctx, home)
	if err != nil {
		return nil, err
	}
	cluster, err := postgres.Start(ctx, postgres.Options{
		DataDir:   filepath.Join(run, "data"),
		Ephemeral: true,
		Seed:      filepath.Join(home, "seed"),
		Settings: map[string]string{
			// Parallel tests hold a pool each.
			"max_connections": "300",
			"shared_buffers":  "128MB",
			"autovacuum":      "off",
		},
	})
	if err != nil {
		return nil, errors.Join(err, removeRun(run), owner.Release())
	}
	return &pgServer{
		urlOf: cluster.URL,
		stop: func() error {
			return errors.Join(cluster.Stop(context.Background()), removeRun(run), owner.Release())
		},
	}, nil
}

// homeFolder returns the folder of the seed and of running test processes. Its name
// is known to every user of the machine, so its owner is checked.
func homeFolder() (string, error) {
	home := filepath.Join(serversFolder(), "winnow-testenv-"+strconv.Itoa(os.Getuid()))
	// Open for passing through: as root the server runs as another user.
	if err := os.Mkdir(home, 0o711); err != nil && !errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("make test folder: %w", err)
	}
	info, err := os.Lstat(home)
	if err != nil {
		return "", fmt.Errorf("look at test folder: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(stat.Uid) != os.Getuid() {
		return "", fmt.Errorf("test folder %s belongs to someone else", home)
	}
	return home, nil
}

// runFolder makes this process's folder and removes those of dead processes. A
// folder is alive while the lock file in it is held.
func runFolder(ctx context.Context, home string) (string, *filelock.Lock, error) {
	// A folder that is not locked yet looks dead to other processes.
	gate, err := filelock.Acquire(ctx, filepath.Join(home, "gate.lock"))
	if err != nil {
		return "", nil, fmt.Errorf("test folder: %w", err)
	}
	defer gate.Release()

	old, err := filepath.Glob(filepath.Join(home, "run-*"))
	if err != nil {
		return "", nil, fmt.Errorf("test folder: %w", err)
	}
	for _, dir := range old {
		sweep(ctx, dir)
	}
	// Folders whose process died while it removed them.
	gone, err := filepath.Glob(filepath.Join(home, gonePrefix+"*"))
	if err != nil {
		return "", nil, fmt.Errorf("test folder: %w", err)
	}
	for _, dir := range gone {
		os.RemoveAll(dir)
	}
	run, err := os.MkdirTemp(home, "run-")
	if err != nil {
		return "", nil, fmt.Errorf("test folder: %w", err)
	}
	if err := os.Chmod(run, 0o711); err != nil {
		return "", nil, fmt.Errorf("test folder: %w", err)
	}
	owner, err := filelock.TryAcquire(filepath.Join(run, "owner.lock"))
	return run, owner, err
}

// gonePrefix starts the names of folders that their owners are removing.
const gonePrefix = "gone-"

// removeRun removes this process's folder. It renames the folder first: after the
// lock file is removed, a sweeping process would make a new one, and the folder would
// not be empty at the end.
func removeRun(run string) error {
	gone := filepath.Join(filepath.Dir(run), gonePrefix+filepath.Base(run))
	if err := os.Rename(run, gone); err != nil {
		return err
	}
	return os.RemoveAll(gone)
}

// sweep removes the folder of a dead process. What it cannot remove, a later process
// can.
func sweep(ctx context.Context, dir string) {
	owner, err := filelock.TryAcquire(filepath.Join(dir, "owner.lock"))
	if err != nil {
		return
	}
	defer owner.Release()
	if err := postgres.Remove(ctx, filepath.Join(dir, "data")); err == nil {
		os.RemoveAll(dir)
	}
}
