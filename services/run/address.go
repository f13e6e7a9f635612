package run

import (
	"errors"

	"github.com/winnowhq/winnow/services/internal/devstack/state"
)

// DevURL returns the HTTP address of the running winnow dev, or ErrNoInstance. It reads
// two small files, so it may be called before every request: a restarted instance may
// listen on another port.
func DevURL(cfg Config) (string, error) {
	path, err := stateDir(cfg.StateDir)
	if err != nil {
		return "", err
	}
	instance, err := state.Find(path)
	if errors.Is(err, state.ErrNotRunning) || err == nil && instance.HTTPURL == "" {
		return "", ErrNoInstance
	}
	return instance.HTTPURL, err
}
