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

// gitLock is git's way to keep others off a file: NAME.lock, made only where
// there is none, and in the end renamed to NAME.
//
// It begins as a link of a file of ours. That is how a lock left by a killed
// Winnow is told from one that somebody's git holds.
type gitLock struct {
	target string // the file it becomes
	own    string // our name for the same file
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

// take holds the lock or returns ErrBusy.
func (s *session) take(l gitLock) error {
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

// settle gives the target its new content and lets go of it. With sync it is the
// barrier: what came before is on disk when the target changes.
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

// release lets go of whatever locks of ours are left, of this process or of one
// that was killed, and changes nothing else.
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

// removeLink removes the lock that is the same file. It looks for it, since the
// branch may not be the one that HEAD names now.
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
			return nil // gone, or somebody else's
		}
		return s.remove(name)
	})
}
