package postgres

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	// socketPrefix begins the names of the socket folders that this package creates.
	// It removes no other folder.
	socketPrefix = "winnow-pg-"
	// socketLink, appended to the data folder's name, is a link to the socket folder.
	// With it the next start finds the socket folder of a killed process. It also is
	// a short path for psql -h.
	socketLink = ".socket"
	// longestSocketFolder reserves space for "/.s.PGSQL.5432.lock" in the 103 bytes
	// of the strictest kernel.
	longestSocketFolder = 84
)

// openSocketFolder returns the folder for the socket, with mode 0700:
// Options.SocketDir, or a new one in the temporary folder.
func openSocketFolder(who account, opts Options) (string, error) {
	dir := opts.SocketDir
	if dir == "" {
		made, err := newSocketFolder(opts.DataDir)
		if err != nil {
			return "", fmt.Errorf("make socket folder: %w", err)
		}
		dir = made
	}
	if len(dir) > longestSocketFolder {
		return "", fmt.Errorf("%w: %s has %d bytes, at most %d", ErrSocketPath, dir, len(dir), longestSocketFolder)
	}
	if err := who.ownFolder(dir); err != nil {
		return "", err
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return "", fmt.Errorf("close socket folder: %w", err)
	}
	return dir, nil
}

func newSocketFolder(dataDir string) (string, error) {
	// On some systems the path of the temporary folder alone reaches the limit.
	parent := os.TempDir()
	if len(parent)+len(socketPrefix)+12 > longestSocketFolder {
		parent = "/tmp"
	}
	dir, err := os.MkdirTemp(parent, socketPrefix)
	if err != nil {
		return "", err
	}
	if err := os.Symlink(dir, dataDir+socketLink); err != nil {
		return "", errors.Join(err, os.Remove(dir))
	}
	return dir, nil
}

// removeSocketFolder removes the link and the folder that it points to.
func removeSocketFolder(dataDir string) error {
	dir, err := os.Readlink(dataDir + socketLink)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if strings.HasPrefix(filepath.Base(dir), socketPrefix) {
		err = os.RemoveAll(dir)
	}
	return errors.Join(err, os.Remove(dataDir+socketLink))
}
