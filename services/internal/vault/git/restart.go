package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing/cache"
	"golang.org/x/sys/unix"

	"github.com/winnowhq/winnow/services/internal/vault"
)

// oldPrefix starts the name of the folder beside the vault in which a new history is made
// and the old one ends. It is one for each vault, so that the next Restart removes what a
// killed one left.
const oldPrefix = ".old-"

// Restart replaces the history by one that has the committed files of each scope as they
// are now, one commit each, with the trailer of its newest rendering. What the files said
// before is in the repository no more; clones and remotes are their owners' affair. The
// repository's own settings stay, other files become untracked. The exchange is one step:
// a killed process leaves the old history or the new one.
//
// The error is vault.ErrDirty for hand edits that were not read, which would be lost.
func (w *Writer) Restart() error {
	v := w.vault
	aside := filepath.Join(filepath.Dir(v.dir), oldPrefix+filepath.Base(v.dir))
	if err := os.RemoveAll(aside); err != nil {
		return fmt.Errorf("restart vault: %w", explain(aside, err))
	}
	if err := w.draft(aside); err != nil {
		return fmt.Errorf("restart vault: %w", errors.Join(err, os.RemoveAll(aside)))
	}
	if err := exchangeFolders(filepath.Join(aside, gitDir), filepath.Join(v.dir, gitDir)); err != nil {
		return fmt.Errorf("restart vault: %w", errors.Join(explain(v.dir, err), os.RemoveAll(aside)))
	}
	v.mu.Lock()
	v.history = nil
	v.mu.Unlock()
	if err := os.RemoveAll(aside); err != nil {
		return fmt.Errorf("restart vault: the old history is in %s: %w", aside, err)
	}
	return nil
}

// draft makes the new repository in a folder beside the vault.
func (w *Writer) draft(folder string) error {
	v := w.vault
	var branch string
	if err := w.with(func(s *session) error {
		now, err := s.head()
		branch = now.branch.Short()
		return err
	}); err != nil {
		return err
	}
	scopes, err := v.Scopes()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(folder), 0o700); err != nil {
		return explain(folder, err)
	}
	fresh := &Vault{dir: folder, cache: cache.NewObjectLRU(objectCache), owned: newOwnedFiles(), step: func(string) error { return nil }}
	if err := fresh.prepare(filepath.Dir(folder), Options{Branch: branch}); err != nil {
		return err
	}
	to, err := fresh.hold(context.Background())
	if err != nil {
		return err
	}
	for _, scope := range scopes {
		if changed, err := v.Changed(scope); err != nil || len(changed) > 0 {
			return errors.Join(err, &vault.DirtyError{Paths: []string{scopeDir(scope)}}, to.Unlock())
		}
		if unread, err := v.Unread(scope); err != nil || len(unread) > 0 {
			return errors.Join(err, &vault.DirtyError{Paths: []string{scopeDir(scope)}}, to.Unlock())
		}
		trailer, at, ok, err := v.Last(scope)
		if err != nil {
			return errors.Join(err, to.Unlock())
		}
		files, err := v.Read(scope)
		if err != nil {
			return errors.Join(err, to.Unlock())
		}
		if !ok || len(files) == 0 {
			continue
		}
		if _, _, err := to.Commit(vault.Change{Scope: scope, Files: files, Trailer: trailer, At: at}); err != nil {
			return errors.Join(err, to.Unlock())
		}
	}
	if err := to.Unlock(); err != nil {
		return err
	}
	config, err := os.ReadFile(filepath.Join(v.dir, gitDir, "config"))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, gitDir, "config"), config, 0o600)
	}
	return explain(folder, err)
}

// exchangeFolders swaps two folders of one file system in one step. Where the system has no
// such step, the old one is moved away first.
func exchangeFolders(a, b string) error {
	from, err := os.Open(filepath.Dir(a))
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.Open(filepath.Dir(b))
	if err != nil {
		return err
	}
	defer to.Close()
	err = swapAt(int(from.Fd()), filepath.Base(a), int(to.Fd()), filepath.Base(b))
	if !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	if err := os.Rename(b, a+"-old"); err != nil {
		return err
	}
	return os.Rename(a, b)
}
