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
	dir, err := filepath.Abs(dataDir)
	if err != nil {
		return fmt.Errorf("remove cluster: %w", err)
	}
	if _, err := os.Stat(filepath.Dir(dir)); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	lock, err := filelock.TryAcquire(dir + ".lock")
	if errors.Is(err, filelock.ErrHeld) {
		return fmt.Errorf("remove cluster: %w: %w", ErrInUse, err)
	}
	if err != nil {
		return fmt.Errorf("remove cluster: %w", err)
	}
	defer lock.Release()
	if err := heal(ctx, dir, zap.NewNop()); err != nil {
		return fmt.Errorf("remove cluster: %w", err)
	}
	return errors.Join(os.RemoveAll(dir), os.RemoveAll(dir+".new"))
}
