package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"go.uber.org/zap"
)

const pidFile = "postmaster.pid"

// heal repairs a data folder after its last owner was killed, so that a server can start.
// This process holds the folder's lock, so a server that still runs in the folder is an
// orphan, stopping or not.
//
// All processes of the orphan must end before the pid file may be removed: by that file
// PostgreSQL prevents two servers from writing to one folder.
func heal(ctx context.Context, dataDir string, logger *zap.Logger) error {
	left, err := readPIDFile(dataDir)
	if err != nil {
		return err
	}
	running, err := serversIn(dataDir, left)
	if err != nil {
		return fmt.Errorf("look for an orphaned server: %w", err)
	}
	if slices.Contains(running, left) {
		logger.Warn("stopping the server that a killed process left", zap.Int("pid", left))
		if err := syscall.Kill(left, syscall.SIGINT); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop orphaned server %d: %w", left, err)
		}
	}
	if err := awaitGone(ctx, dataDir, left, running); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(dataDir, pidFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove stale pid file: %w", err)
	}
	if err := removeSocketFolder(dataDir); err != nil {
		return fmt.Errorf("remove stale socket folder: %w", err)
	}
	return nil
}

// awaitGone waits until no server process runs in the folder. The processes are not
// children of this one, so it polls the process table.
func awaitGone(ctx context.Context, dataDir string, postmaster int, running []int) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for len(running) > 0 {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: processes %v do not end: %w", ErrInUse, running, ctx.Err())
		case <-tick.C:
		}
		var err error
		if running, err = serversIn(dataDir, postmaster); err != nil {
			return fmt.Errorf("wait for an orphaned server: %w", err)
		}
	}
	return nil
}

// readPIDFile returns the process id of the folder's last server, or 0 for none.
func readPIDFile(dataDir string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dataDir, pidFile))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil //nolint:nilerr // no number is no server
	}
	if err != nil {
		return 0, fmt.Errorf("read pid file: %w", err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 1 {
		// The pid file is incomplete: the server was killed while it wrote the file
		// and never started.
		return 0, nil //nolint:nilerr // no number is no server
	}
	return pid, nil
}
