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

// publish makes a prepared commit the branch's tip: it takes git's locks, writes
// the journal and carries it out. It returns a *DirtyError, with nothing
// changed, where a person was faster.
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

// abandon is for a write that ends before its journal was written.
func (s *session) abandon() error {
	if err := s.sweep(); err != nil {
		return fmt.Errorf("clean up: %w", err)
	}
	return nil
}

// lockGit keeps git away from the index and the branch, looks once more that the
// branch is where the commit was prepared for, and reads the index.
func (s *session) lockGit(p pending) (*index.Index, error) {
	if err := s.take(indexLock()); err != nil {
		return nil, err
	}
	if err := s.take(refLock(p.Branch)); err != nil {
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

// carryOut does what the journal says, from wherever it stopped; git's locks are
// held. Every step can be done twice.
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

// conclude is what is left once the branch has moved.
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

// replaceFiles puts the new files in place. When all are on disk it looks again:
// an edit that came in between stops the write while the branch still stands.
func (s *session) replaceFiles(p pending) error {
	for _, f := range p.Files {
		if f.Temp == "" {
			continue
		}
		if err := s.step("file " + f.Path); err != nil {
			return err
		}
		at, err := s.placeOf(f)
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
		at, err := s.placeOf(f)
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

// undo takes a write back whose branch has not moved.
func (s *session) undo(p pending) error {
	for _, f := range slices.Backward(p.Files) {
		if f.Temp == "" {
			continue
		}
		if err := s.takeBack(f); err != nil {
			return fmt.Errorf("take back %s: %w", f.Path, err)
		}
		if err := s.step("taken back " + f.Path); err != nil {
			return err
		}
	}
	return s.sweep()
}

// updateIndex makes git's index say what the commit says about its files, and
// leaves all other entries, staged or not, as they are. The lock is held.
//
// The entries carry no sizes and times, as after `git read-tree`: git then looks
// at the content once, and never trusts a time stamp of ours.
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

// doubt takes the size from entries that are not older than the index that lists
// them. Their files may have been changed in the same second, after they were
// listed: git looks at the content of such files, and in an index that is written
// later would trust their times. Without a size it always looks, which is how git
// itself hands such entries on.
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
