package state

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/winnowhq/winnow/services/internal/devstack"
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

// lockTimeout is longer than a command needs to check whether an instance runs.
const lockTimeout = 250 * time.Millisecond

// DefaultDir returns $XDG_STATE_HOME/winnow/dev, with the usual default for that variable;
// for root it is /var/lib/winnow/dev.
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

// Open creates the folder when needed and locks it for this process. It returns a
// *RunningError (ErrRunning) when another instance holds the lock.
func Open(ctx context.Context, path string) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	if err := Make(path); err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	lock, err := lockDir(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("open state: %w", err)
	}
	return &Dir{path: path, lock: lock}, nil
}

// Make creates a state folder, for commands that write to it before an instance runs. An
// existing folder stays unchanged.
func Make(path string) error { return os.MkdirAll(path, folderMode()) }

// folderMode returns the mode of the folder: closed to other users, except for root, whose
// PostgreSQL runs as another user and must traverse it. Secrets in the folder are 0600.
func folderMode() os.FileMode {
	if os.Geteuid() == 0 {
		return 0o711
	}
	return 0o700
}

func lockDir(ctx context.Context, path string) (*filelock.Lock, error) {
	waiting, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	lock, err := filelock.Acquire(waiting, filepath.Join(path, lockName))
	var held *filelock.HeldError
	if errors.As(err, &held) && ctx.Err() == nil {
		return nil, &RunningError{Dir: path, PID: held.PID}
	}
	return lock, err
}

// Postgres returns the cluster's data folder, for postgres.Options.
func (d *Dir) Postgres() string { return filepath.Join(d.path, postgresName) }

// NATS returns the streams' folder, for nats.Options.
func (d *Dir) NATS() string { return filepath.Join(d.path, natsName) }

// CredentialsFile returns the path of the file with the NATS password.
func (d *Dir) CredentialsFile() string { return filepath.Join(d.path, credentialsName) }

// Credentials returns the NATS user of Winnow's processes, created on first use.
func (d *Dir) Credentials() (devstack.Credentials, error) {
	return devstack.LoadOrCreateCredentials(d.CredentialsFile())
}

// GatewayFile returns the path of the file with a chat gateway's address at the bus,
// including the password.
func (d *Dir) GatewayFile() string { return filepath.Join(d.path, gatewayName) }

// Key returns the key that encrypts the streams, created on first use.
func (d *Dir) Key() (string, error) {
	return devstack.LoadOrCreateKey(filepath.Join(d.path, keyName))
}

// File returns the path for a file of a part of the instance, and creates its folder. A
// reset removes the file.
func (d *Dir) File(name string) (string, error) {
	path := filepath.Join(d.path, filesName, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("state file: %w", err)
	}
	return path, nil
}

// Close removes the file by which commands find the instance and releases the lock. Stop
// the instance's parts first.
func (d *Dir) Close() error {
	err := os.Remove(filepath.Join(d.path, instanceName))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, d.lock.Release())
}
