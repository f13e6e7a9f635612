package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/winnowhq/winnow/services/internal/devstack/postgres"
)

// data lists what a reset moves away, in the order in which it is shown. Fetched programs
// are not data and cost a download; the spool is not stored yet.
var data = []string{postgresName, natsName, filesName, keyName, credentialsName, gatewayName, instanceName}

// asideLayout names the folder of a reset by its time in UTC, to the second.
const asideLayout = "removed-20060102-150405"

// Part is something that a reset would move away.
type Part struct {
	Name  string // as in the layout above
	Bytes int64  // of all files in it
}

// Contents lists what a reset of the folder would move away; nothing for a folder that is
// not there or holds no data.
func Contents(path string) ([]Part, error) {
	var parts []Part
	for _, name := range data {
		root := filepath.Join(path, name)
		if _, err := os.Lstat(root); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		part := Part{Name: name}
		err := filepath.WalkDir(root, func(_ string, e fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // a server of a killed instance may still tidy up
			}
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			if info, err := e.Info(); err == nil {
				part.Bytes += info.Size()
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("look into the state folder: %w", err)
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// Reset moves all data of an installation into a new folder beside it, whose path it
// returns, and stops a PostgreSQL that a killed instance left. Nothing is deleted: a reset
// of the wrong folder is taken back by moving the parts back. It returns ErrRunning while
// an instance runs, and an empty path when there is nothing to move. Files that are not
// part of the layout stay.
func Reset(ctx context.Context, path string, now time.Time) (aside string, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("reset state: %w", err)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	lock, err := lockDir(ctx, path)
	if err != nil {
		return "", fmt.Errorf("reset state: %w", err)
	}
	defer lock.Release()
	parts, err := Contents(path)
	if err != nil || len(parts) == 0 {
		return "", err
	}

	aside = filepath.Join(path, now.UTC().Format(asideLayout))
	if err := os.Mkdir(aside, folderMode()); err != nil {
		return "", fmt.Errorf("reset state: %w", err)
	}
	// The cluster first: it alone can refuse, and then nothing has moved yet.
	if err := postgres.Move(ctx, filepath.Join(path, postgresName), filepath.Join(aside, postgresName)); err != nil {
		return "", errors.Join(fmt.Errorf("reset state: %w", err), os.Remove(aside))
	}
	for _, part := range parts {
		if part.Name == postgresName {
			continue
		}
		if err := os.Rename(filepath.Join(path, part.Name), filepath.Join(aside, part.Name)); err != nil {
			return aside, fmt.Errorf("reset state: %w", err)
		}
	}
	return aside, nil
}
