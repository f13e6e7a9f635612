package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/filelock"
)

// Remove deletes a cluster's data permanently. It first stops a server that a killed
// process left in the folder. It returns ErrInUse while a running process owns the
// folder, and nil when there is nothing to remove.
func Remove(ctx context.Context, dataDir string) error {
	err := stopped(ctx, dataDir, func(dir string) error {
		return errors.Join(os.RemoveAll(dir), os.RemoveAll(dir+".new"))
	})
	if err != nil {
		return fmt.Errorf("remove cluster: %w", err)
	}
	return nil
}

// Move renames a cluster's folder. It stops a server that a killed process left in it, and
// returns ErrInUse, as [Remove] does; a folder that is not there is nothing to move.
func Move(ctx context.Context, dataDir, to string) error {
	err := stopped(ctx, dataDir, func(dir string) error {
		err := os.Rename(dir, to)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("move cluster: %w", err)
	}
	return nil
}

// stopped calls fn with the absolute folder of a cluster that no server uses, and nothing
// when the folder above is not there. The lock is held until fn returns.
func stopped(ctx context.Context, dataDir string, fn func(dir string) error) error {
	dir, err := filepath.Abs(dataDir)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Dir(dir)); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	lock, err := filelock.TryAcquire(dir + ".lock")
	if errors.Is(err, filelock.ErrHeld) {
		return fmt.Errorf("%w: %w", ErrInUse, err)
	}
	if err != nil {
		return err
	}
	defer lock.Release()
	if err := heal(ctx, dir, zap.NewNop()); err != nil {
		return err
	}
	return fn(dir)
}
