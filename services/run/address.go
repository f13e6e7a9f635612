package run

import (
	"errors"

	"github.com/winnowhq/winnow/services/internal/devstack/state"
)

// DevURL is where the running winnow dev answers HTTP, or ErrNoInstance. It reads
// two small files, so it may be asked before every request: an instance that
// starts again may listen elsewhere.
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
