package state

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/winnowhq/winnow/services/internal/devstack"
	"github.com/winnowhq/winnow/services/internal/devstack/postgres"
	"github.com/winnowhq/winnow/services/internal/filelock"
)

// Names in the folder; doc.go says what they hold.
const (
	lockName        = "lock"
	instanceName    = "dev.json"
	credentialsName = "nats.json"
	gatewayName     = "gateway.url"
	keyName         = "jetstream.key"
	natsName        = "nats"
	postgresName    = "postgres"
	filesName       = "files"
)

// rootDir is the default for root: its home is closed to the user that its
// PostgreSQL runs as.
const rootDir = "/var/lib/winnow/dev"

// lockPatience outlasts a command that looks whether an instance runs.
const lockPatience = 250 * time.Millisecond

// DefaultDir is $XDG_STATE_HOME/winnow/dev, with the usual default for that
// variable; for root it is /var/lib/winnow/dev.
func DefaultDir() (string, error) {
	if os.Geteuid() == 0 {
		return rootDir, nil
	}
	if base := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, "winnow", "dev"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find state folder: %w", err)
	}
	return filepath.Join(home, ".local", "state", "winnow", "dev"), nil
}

// Dir is a state folder that this process owns until Close.
type Dir struct {
	path string
	lock *filelock.Lock
}

// Open makes the folder when needed and takes it for this process, or returns a
// *RunningError (ErrRunning) when another instance has it.
func Open(ctx context.Context, path string) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	if err := Make(path); err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	lock, err := take(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	return &Dir{path: path, lock: lock}, nil
}

// Make makes a state folder, for whoever has something to leave there before an
// instance runs. One that is there stays as it is.
func Make(path string) error { return os.MkdirAll(path, folderMode()) }

// folderMode closes the folder to others, except that root's PostgreSQL, which
// is another user, must be able to pass through. Secrets in it are 0600.
func folderMode() os.FileMode {
	if os.Geteuid() == 0 {
		return 0o711
	}
	return 0o700
}

func take(ctx context.Context, path string) (*filelock.Lock, error) {
	waiting, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	lock, err := filelock.Acquire(waiting, filepath.Join(path, lockName))
	var held *filelock.HeldError
	if errors.As(err, &held) && ctx.Err() == nil {
		return nil, &RunningError{Dir: path, PID: held.PID}
	}
	return lock, err
}

// Path is the folder itself.
func (d *Dir) Path() string { return d.path }

// Postgres is the cluster's data folder, for postgres.Options.
func (d *Dir) Postgres() string { return filepath.Join(d.path, postgresName) }

// NATS is the streams' folder, for nats.Options.
func (d *Dir) NATS() string { return filepath.Join(d.path, natsName) }

// CredentialsFile is where the NATS password is kept.
func (d *Dir) CredentialsFile() string { return filepath.Join(d.path, credentialsName) }

// Credentials loads the NATS user of our own processes, made on first use.
func (d *Dir) Credentials() (devstack.Credentials, error) {
	return devstack.LoadOrCreateCredentials(d.CredentialsFile())
}

// GatewayFile is where a chat gateway finds its address at the bus, password
// included.
func (d *Dir) GatewayFile() string { return filepath.Join(d.path, gatewayName) }

// Key loads the key that the streams are encrypted with, made on first use.
func (d *Dir) Key() (string, error) {
	return devstack.LoadOrCreateKey(filepath.Join(d.path, keyName))
}

// File is the path for something that a part of the instance keeps; a reset
// removes it. The folder around it exists afterwards.
func (d *Dir) File(name string) (string, error) {
	path := filepath.Join(d.path, filesName, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("state file: %w", err)
	}
	return path, nil
}

// Close makes the instance unfindable and gives the folder back. Stop the
// instance's parts first.
func (d *Dir) Close() error {
	err := os.Remove(filepath.Join(d.path, instanceName))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, d.lock.Release())
}

// Reset removes everything that an installation keeps, stopping a PostgreSQL
// that a killed instance left. It refuses with ErrRunning while an instance
// runs, and does nothing where there is none. Names that are not of the layout
// stay.
func Reset(ctx context.Context, path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("reset state: %w", err)
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	lock, err := take(ctx, path)
	if err != nil {
		return fmt.Errorf("reset state: %w", err)
	}
	defer lock.Release()

	if err := postgres.Remove(ctx, filepath.Join(path, postgresName)); err != nil {
		return fmt.Errorf("reset state: %w", err)
	}
	// Fetched programs stay: they hold no data and cost a download.
	var errs []error
	for _, name := range []string{instanceName, credentialsName, gatewayName, natsName, keyName, filesName} {
		errs = append(errs, os.RemoveAll(filepath.Join(path, name)))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("reset state: %w", err)
	}
	return nil
}
