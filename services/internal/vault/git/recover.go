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

// recover puts right what a writer left, and does nothing where none did. The
// caller holds the vault's lock.
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
		if err := s.take(indexLock()); err != nil {
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
	return s.undoBeside(p, now)
}

// resumeFiles goes on unless a person changed a file before ours came: their
// edit is one of the old text, and must be seen against that. Nor does it where
// somebody's `git gc` has removed the commit, which no branch held yet.
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
		at, err := s.placeOf(f)
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
		return nil // taken back; HandEdits will find it
	}
	return err
}

// stored says whether everything that a commit needs is still there. Its trees
// are as old as it is, and go together.
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

// undoBeside is for a branch that somebody moved after the writer was killed.
// Files that their commit has taken up stay as they are.
func (s *session) undoBeside(p pending, now tip) error {
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

// lookBack is how many commits may have come after one that a killed writer left
// unfinished: people's own, made before the next writer started.
const lookBack = 1000

// contains says whether a commit is the tip or among its last first parents.
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
