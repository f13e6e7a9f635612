package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/winnowhq/winnow/services/internal/devstack"
	"github.com/winnowhq/winnow/services/internal/filelock"
)

// Instance holds the addresses of a running winnow dev for other commands.
type Instance struct {
	PID         int       `json:"pid"`
	Started     time.Time `json:"started"`
	PostgresURL string    `json:"postgres_url"`
	NATSURL     string    `json:"nats_url"`
	// NATSCredentials is the file with the NATS password; empty for a NATS of
	// the user's own.
	NATSCredentials string `json:"nats_credentials,omitempty"`
	HTTPURL         string `json:"http_url,omitempty"`
	VaultDir        string `json:"vault_dir,omitempty"`
}

// Credentials returns the NATS user, or the zero Credentials when there is none.
func (i Instance) Credentials() (devstack.Credentials, error) {
	if i.NATSCredentials == "" {
		return devstack.Credentials{}, nil
	}
	return devstack.LoadCredentials(i.NATSCredentials)
}

// Publish writes the file by which other commands find this instance. Call it when all parts
// answer. It sets PID and Started when zero. The file has mode 0600: URLs given by the user
// may hold passwords.
func (d *Dir) Publish(i Instance) error {
	if i.PID == 0 {
		i.PID = os.Getpid()
	}
	if i.Started.IsZero() {
		i.Started = time.Now().UTC()
	}
	text, err := json.MarshalIndent(i, "", "  ")
	if err != nil {
		return fmt.Errorf("publish instance: %w", err)
	}
	if err := devstack.WriteFile(filepath.Join(d.path, instanceName), append(text, '\n')); err != nil {
		return fmt.Errorf("publish instance: %w", err)
	}
	return nil
}

// Find returns the instance that runs in a state folder, or ErrNotRunning. What
// a killed instance left behind is not taken for a running one: the lock
// decides, not the file. An instance that is still starting is not found yet.
func Find(path string) (Instance, error) {
	pid, held, err := filelock.Holder(filepath.Join(path, lockName))
	if err != nil {
		return Instance{}, fmt.Errorf("find instance: %w", err)
	}
	if !held {
		return Instance{}, fmt.Errorf("find instance in %s: %w", path, ErrNotRunning)
	}
	text, err := os.ReadFile(filepath.Join(path, instanceName))
	if errors.Is(err, os.ErrNotExist) {
		return Instance{}, fmt.Errorf("find instance in %s: %w yet: pid %d is starting", path, ErrNotRunning, pid)
	}
	if err != nil {
		return Instance{}, fmt.Errorf("find instance: %w", err)
	}
	var i Instance
	if err := json.Unmarshal(text, &i); err != nil {
		return Instance{}, fmt.Errorf("find instance: %w", err)
	}
	if i.PID != pid {
		// Left by a killed predecessor of one that is starting.
		return Instance{}, fmt.Errorf("find instance in %s: %w yet: pid %d is starting", path, ErrNotRunning, pid)
	}
	return i, nil
}
