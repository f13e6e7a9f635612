package git

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/index"

	"github.com/winnowhq/winnow/services/internal/vault"
)

// publish makes a prepared commit the branch's tip: it acquires git's locks,
// writes the journal and executes the journal. The error is a *DirtyError, with
// nothing changed, when a person changed a file first.
func (s *session) publish(p pending) error {
	listed, err := s.lockGit(p)
	if err != nil {
		return errors.Join(err, s.abandon())
	}
	if err := s.step("locked"); err != nil {
		return err
	}
	if err := s.savePending(p); err != nil {
		return err
	}
	return s.carryOut(p, listed)
}

// abandon cleans up a write that ends before its journal is written.
func (s *session) abandon() error {
	if err := s.sweep(); err != nil {
		return fmt.Errorf("clean up: %w", err)
	}
	return nil
}

// lockGit locks the index and the branch, checks again that the branch is at the
// commit's parent, and reads the index.
func (s *session) lockGit(p pending) (*index.Index, error) {
	if err := s.acquire(indexLock()); err != nil {
		return nil, err
	}
	if err := s.acquire(refLock(p.Branch)); err != nil {
		return nil, err
	}
	now, err := s.head()
	if err != nil {
		return nil, err
	}
	if now.branch.String() != p.Branch || now.commit != p.Parent {
		return nil, s.problem(gitDir, vault.ErrBusy, "the branch moved meanwhile; try again")
	}
	return s.readIndex()
}

// carryOut executes the journal from its current progress, with git's locks
// held. Every step is idempotent.
func (s *session) carryOut(p pending, listed *index.Index) error {
	if err := s.replaceFiles(p); err != nil {
		return err
	}
	if err := s.step("files"); err != nil {
		return err
	}
	if err := s.settle(refLock(p.Branch), []byte(p.Commit.String()+"\n"), barrier); err != nil {
		return fmt.Errorf("move %s: %w", p.Branch, err)
	}
	if err := s.step("branch"); err != nil {
		return err
	}
	return s.conclude(p, listed)
}

// conclude completes the write after the branch has moved.
func (s *session) conclude(p pending, listed *index.Index) error {
	if err := s.updateIndex(listed, p.Files); err != nil {
		return fmt.Errorf("update index: %w", err)
	}
	if err := s.step("index"); err != nil {
		return err
	}
	if err := s.sweep(); err != nil {
		return err
	}
	return s.step("swept")
}

// replaceFiles exchanges all files and then checks them again: an edit in
// between stops the write before the branch moves.
func (s *session) replaceFiles(p pending) error {
	for _, f := range p.Files {
		if f.Temp == "" {
			continue
		}
		if err := s.step("file " + f.Path); err != nil {
			return err
		}
		at, err := s.progressOf(f)
		if err != nil {
			return err
		}
		if at != waiting {
			continue
		}
		if err := s.replace(f); err != nil {
			return fmt.Errorf("write %s: %w", f.Path, err)
		}
	}
	if err := s.step("exchanged"); err != nil {
		return err
	}
	var dirty []string
	for _, f := range p.Files {
		if f.Temp == "" {
			continue
		}
		at, err := s.progressOf(f)
		if err != nil {
			return err
		}
		if at == refused || at == displaced {
			dirty = append(dirty, f.Path)
		}
	}
	if dirty == nil {
		return nil
	}
	if err := s.undo(p); err != nil {
		return err
	}
	return &vault.DirtyError{Paths: dirty}
}

// undo reverts a write before the branch has moved.
func (s *session) undo(p pending) error {
	for _, f := range slices.Backward(p.Files) {
		if f.Temp == "" {
			continue
		}
		if err := s.revert(f); err != nil {
			return fmt.Errorf("take back %s: %w", f.Path, err)
		}
		if err := s.step("taken back " + f.Path); err != nil {
			return err
		}
	}
	return s.sweep()
}

// updateIndex sets the entries of the commit's files in git's index and does not
// change other entries, staged or not. The caller holds the lock.
//
// The entries have no sizes and times, as after `git read-tree`. git then
// compares the content once, and never trusts a time stamp of this package.
func (s *session) updateIndex(listed *index.Index, files []pendingPath) error {
	if err := s.doubt(listed); err != nil {
		return err
	}
	ours := map[string]bool{}
	for _, f := range files {
		ours[f.Path] = true
	}
	listed.Entries = slices.DeleteFunc(listed.Entries, func(e *index.Entry) bool { return ours[e.Name] })
	for _, f := range files {
		if !f.New.IsZero() {
			listed.Entries = append(listed.Entries, &index.Entry{Name: f.Path, Hash: f.New, Mode: filemode.Regular})
		}
	}
	var data bytes.Buffer
	if err := index.NewEncoder(&data).Encode(listed); err != nil {
		return err
	}
	return s.settle(indexLock(), data.Bytes(), writeOut)
}

// doubt removes the size from entries that are not older than the index that
// lists them. Their files may have changed in the same second, after the index
// was written. git compares the content of such files, but would trust their
// times in an index that is written later. Without a size git always compares
// the content; git itself rewrites such entries in the same way.
func (s *session) doubt(listed *index.Index) error {
	info, err := s.root.Lstat(gitDir + "/index")
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return explain(s.dir, err)
	}
	written := info.ModTime().Unix()
	for _, e := range listed.Entries {
		if e.ModifiedAt.Unix() >= written {
			e.Size = 0
		}
	}
	return nil
}
