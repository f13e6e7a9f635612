package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/winnowhq/winnow/services/internal/vault"
)

// gitLock is git's lock on a file: NAME.lock is created exclusively and at the
// end renamed to NAME.
//
// The lock begins as a hard link to a file of this package, which distinguishes
// a lock left by a killed Winnow from a lock of a person's git.
type gitLock struct {
	target string // the file that the lock protects and replaces
	own    string // name of the linked file
}

const (
	refLockFile   = ownDir + "/ref.new"
	indexLockFile = ownDir + "/index.new"
)

func refLock(branch string) gitLock {
	return gitLock{target: path.Join(gitDir, branch), own: refLockFile}
}

func indexLock() gitLock {
	return gitLock{target: gitDir + "/index", own: indexLockFile}
}

// acquire locks the file or returns ErrBusy.
func (s *session) acquire(l gitLock) error {
	if err := s.makeDir(path.Dir(l.target)); err != nil {
		return err
	}
	if err := s.write(l.own, nil, 0o644); err != nil {
		return err
	}
	err := s.root.Link(l.own, l.target+".lock")
	if errors.Is(err, os.ErrExist) {
		return s.problem(l.target+".lock", vault.ErrBusy, "try again; if no git command runs there, remove this file")
	}
	return explain(s.dir, err)
}

// settle writes the target's new content and releases the lock. sync is the
// barrier: everything written before is on disk when the target changes.
func (s *session) settle(l gitLock, data []byte, sync func(*os.File) error) error {
	file, err := s.root.OpenFile(l.own, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return explain(s.dir, err)
	}
	_, err = file.Write(data)
	if err := errors.Join(err, sync(file), file.Close()); err != nil {
		return explain(s.dir, err)
	}
	if err := s.root.Rename(l.target+".lock", l.target); err != nil {
		return explain(s.dir, err)
	}
	return s.remove(l.own)
}

// release removes the remaining locks of this process or of a killed one, and
// changes nothing else.
func (s *session) release() error {
	for own, folder := range map[string]string{refLockFile: gitDir + "/refs/heads", indexLockFile: gitDir} {
		info, err := s.root.Lstat(own)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("release %s: %w", own, err)
		}
		if err := s.removeLink(info, folder); err != nil {
			return fmt.Errorf("release %s: %w", own, err)
		}
		if err := s.remove(own); err != nil {
			return err
		}
	}
	return nil
}

// removeLink removes the lock that is the same file as own. It searches the
// folder, because HEAD may name another branch now.
func (s *session) removeLink(own os.FileInfo, folder string) error {
	return fs.WalkDir(s.root.FS(), folder, func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if entry.IsDir() && folder == gitDir && name != gitDir {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".lock") {
			return nil
		}
		if held, err := entry.Info(); err != nil || !os.SameFile(own, held) {
			return nil //nolint:nilerr // missing, or a lock of another program
		}
		return s.remove(name)
	})
}
