package vault

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/index"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// publish makes a prepared commit the branch's tip: it takes git's locks, writes
// the journal and carries it out. It returns a *DirtyError, with nothing
// changed, where a person was faster.
func (s *session) publish(p pending) error {
	if err := s.lockGit(p); err != nil {
		return errors.Join(err, s.abandon())
	}
	if err := s.step("locked"); err != nil {
		return err
	}
	if err := s.savePending(p); err != nil {
		return err
	}
	return s.carryOut(p)
}

// abandon is for a write that ends before its journal was written.
func (s *session) abandon() error {
	if err := s.sweep(); err != nil {
		return fmt.Errorf("clean up: %w", err)
	}
	return nil
}

// lockGit keeps git away from the index and the branch, and looks once more
// that the branch is where the commit was prepared for.
func (s *session) lockGit(p pending) error {
	if err := s.take(indexLock()); err != nil {
		return err
	}
	if err := s.take(refLock(p.Branch)); err != nil {
		return err
	}
	now, err := s.head()
	if err != nil {
		return err
	}
	if now.branch.String() != p.Branch || now.commit != p.Parent && now.commit != p.Commit {
		return s.problem(gitDir, ErrBusy, "the branch moved meanwhile; try again")
	}
	return nil
}

// carryOut does what the journal says, from wherever it stopped; git's locks are
// held. Every step can be done twice.
func (s *session) carryOut(p pending) error {
	if err := s.replaceFiles(p); err != nil {
		return err
	}
	if err := s.step("files"); err != nil {
		return err
	}
	if err := s.settle(refLock(p.Branch), []byte(p.Commit.String()+"\n")); err != nil {
		return fmt.Errorf("move %s: %w", p.Branch, err)
	}
	if err := s.step("branch"); err != nil {
		return err
	}
	return s.conclude(p)
}

// conclude is what is left once the branch has moved.
func (s *session) conclude(p pending) error {
	if err := s.updateIndex(p.Files); err != nil {
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
		if info, err := s.stat(path.Dir(f.Path)); err != nil {
			return err
		} else if info != nil {
			if err := s.syncDir(path.Dir(f.Path)); err != nil {
				return err
			}
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
	return &DirtyError{Paths: dirty}
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
		return s.conclude(p)
	case now.commit == p.Parent && now.branch.String() == p.Branch:
		return s.resumeFiles(p)
	}
	return s.undoBeside(p, now)
}

// resumeFiles goes on unless a person changed a file before ours came: their
// edit is one of the old text, and must be seen against that.
func (s *session) resumeFiles(p pending) error {
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
	if err := s.lockGit(p); err != nil {
		return errors.Join(err, s.release())
	}
	err := s.carryOut(p)
	if errors.Is(err, ErrDirty) {
		return nil // taken back; HandEdits will find it
	}
	return err
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

// updateIndex makes git's index say what the commit says about its files, and
// leaves all other entries, staged or not, as they are. The lock is held.
//
// The entries carry no sizes and times, as after `git read-tree`: git then looks
// at the content once, and never trusts a time stamp of ours.
func (s *session) updateIndex(files []pendingPath) error {
	listed, err := s.store.Index()
	if err != nil {
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
	return s.settle(indexLock(), data.Bytes())
}
