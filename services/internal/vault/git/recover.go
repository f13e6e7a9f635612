package git

import (
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/winnowhq/winnow/services/internal/vault"
)

// recover completes or reverts an unfinished write, and does nothing without
// one. The caller holds the vault's lock.
func (s *session) recover() error {
	p, ok, err := s.loadPending()
	if err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	if !ok {
		return s.sweep()
	}
	if err := s.resume(p); err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	return nil
}

func (s *session) resume(p pending) error {
	if err := s.release(); err != nil {
		return err
	}
	now, err := s.head()
	if err != nil {
		return err
	}
	done, err := s.contains(now.commit, p.Commit)
	if err != nil {
		return err
	}
	switch {
	case done:
		if err := s.acquire(indexLock()); err != nil {
			return err
		}
		listed, err := s.readIndex()
		if err != nil {
			return errors.Join(err, s.release())
		}
		return s.conclude(p, listed)
	case now.commit == p.Parent && now.branch.String() == p.Branch:
		return s.resumeFiles(p)
	}
	return s.undoOnMovedBranch(p, now)
}

// resumeFiles continues the write, unless a person changed a file before its
// exchange: that edit is based on the old text and must be shown against it. The
// write is also reverted when a `git gc` has removed the commit, which no branch
// referred to yet.
func (s *session) resumeFiles(p pending) error {
	whole, err := s.stored(p)
	if err != nil {
		return err
	}
	if !whole {
		return s.undo(p)
	}
	for _, f := range p.Files {
		if f.Temp == "" {
			continue
		}
		at, err := s.progressOf(f)
		if err != nil {
			return err
		}
		if at == refused || at == displaced {
			return s.undo(p)
		}
	}
	listed, err := s.lockGit(p)
	if err != nil {
		return errors.Join(err, s.release())
	}
	err = s.carryOut(p, listed)
	if errors.Is(err, vault.ErrDirty) {
		return nil // reverted; HandEdits will find the edit
	}
	return err
}

// stored reports whether all objects of a commit still exist. Its trees have the
// same age as the commit, and are removed together.
func (s *session) stored(p pending) (bool, error) {
	root, err := s.rootOf(p.Commit)
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, f := range p.Files {
		tree, err := s.treeIn(root, path.Dir(f.Path))
		if err == nil && !f.New.IsZero() {
			_, err = s.entries(tree)
			err = errors.Join(err, s.store.HasEncodedObject(f.New))
		}
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// undoOnMovedBranch reverts a write after a person moved the branch. Files that the
// person's commit contains do not change.
func (s *session) undoOnMovedBranch(p pending, now tip) error {
	root, err := s.rootOf(now.commit)
	if err != nil {
		return err
	}
	var files []pendingPath
	for _, f := range p.Files {
		dir, err := s.treeIn(root, path.Dir(f.Path))
		if err != nil {
			return err
		}
		entries, err := s.entries(dir)
		if err != nil {
			return err
		}
		taken := slices.ContainsFunc(entries, func(e object.TreeEntry) bool {
			return e.Name == path.Base(f.Path) && e.Hash == f.New
		})
		if !taken {
			files = append(files, f)
		}
	}
	p.Files = files
	return s.undo(p)
}

// lookBack bounds the commits that people made after the unfinished one, before
// the next writer started.
const lookBack = 1000

// contains reports whether a commit is the tip or one of its last first parents.
func (s *session) contains(tip, commit plumbing.Hash) (bool, error) {
	for range lookBack {
		if tip == commit {
			return true, nil
		}
		if tip.IsZero() {
			return false, nil
		}
		c, err := object.GetCommit(s.store, tip)
		if err != nil {
			return false, fmt.Errorf("read commit %s: %w", tip, err)
		}
		tip = plumbing.ZeroHash
		if len(c.ParentHashes) > 0 {
			tip = c.ParentHashes[0]
		}
	}
	return false, nil
}
