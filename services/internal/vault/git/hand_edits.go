package git

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vault"
)

// HandEdits commits the changed files on disk, one commit `hand edit` for each
// scope. It returns every hand edit since the scope's last rendering, oldest
// first: the new commits and those that people made. An edit is returned again
// until the next Commit of its scope.
//
// Without scopes, HandEdits covers all scopes. An unreadable scope is an error,
// and the edits of the other scopes are still returned.
func (w *Writer) HandEdits(at time.Time, scopes ...memory.Scope) ([]vault.HandEdit, error) {
	if len(scopes) == 0 {
		all, err := w.vault.Scopes()
		if err != nil {
			return nil, err
		}
		scopes = all
	}
	var found []vault.HandEdit
	var errs []error
	err := w.with(func(s *session) error {
		// The tip is read once, which halves the time for a thousand scopes.
		// When a person moves the tip meanwhile, the commit is refused, here and
		// in Commit.
		now, err := s.head()
		for _, scope := range scopes {
			var edits []vault.HandEdit
			if err != nil {
				now, err = s.head()
			}
			if err == nil {
				edits, err = w.handEditsOf(s, &now, at, scope)
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("hand edits of %s: %w", scope, err))
			}
			found = append(found, edits...)
		}
		return nil
	})
	if err != nil {
		errs = append(errs, fmt.Errorf("hand edits: %w", err))
	}
	return found, errors.Join(errs...)
}

// handEditsOf updates now when it commits.
func (w *Writer) handEditsOf(s *session, now *tip, at time.Time, scope memory.Scope) ([]vault.HandEdit, error) {
	if _, err := memory.ParseScope(string(scope)); err != nil {
		return nil, err
	}
	if at.Unix() <= 0 { // git cannot store a time before 1970
		return nil, fmt.Errorf("%w: time %v", vault.ErrTrailer, at)
	}
	p, err := s.prepareHand(*now, scope, at)
	if err != nil {
		return nil, err
	}
	if len(p.Files) > 0 {
		if err := s.publish(p); err != nil {
			return nil, err
		}
		now.commit = p.Commit
	}
	found, last, err := w.vault.unread(s, *now, scope)
	if err != nil {
		return nil, err
	}
	w.seen[scope] = last
	return found, nil
}

// Unread returns a scope's committed hand edits since its last rendering, oldest
// first. Writer.HandEdits also returns edits that are only on disk.
func (v *Vault) Unread(scope memory.Scope) (found []vault.HandEdit, err error) {
	err = v.with(func(s *session) error {
		now, err := s.head()
		if err != nil {
			return err
		}
		found, _, err = v.unread(s, now, scope)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("hand edits of %s: %w", scope, err)
	}
	return found, nil
}

func (v *Vault) unread(s *session, now tip, scope memory.Scope) (found []vault.HandEdit, last plumbing.Hash, err error) {
	known, err := v.recordAt(s, now, scope)
	if err != nil {
		return nil, plumbing.ZeroHash, err
	}
	for _, last = range known.Hand {
		edits, err := s.editsOf(last, scope)
		if err != nil {
			return nil, plumbing.ZeroHash, err
		}
		found = append(found, edits...)
	}
	return found, last, nil
}

// prepareHand stores a commit of the differences between disk and the last
// commit. The result has no files when nothing differs.
func (s *session) prepareHand(now tip, scope memory.Scope, at time.Time) (pending, error) {
	root, err := s.rootOf(now.commit)
	if err != nil {
		return pending{}, err
	}
	dir := scopeDir(scope)
	tree, err := s.treeIn(root, dir)
	if err != nil {
		return pending{}, err
	}
	old, err := s.owned(tree)
	if err != nil {
		return pending{}, err
	}
	names, err := s.onDisk(dir)
	if err != nil {
		return pending{}, err
	}
	for name := range old {
		names[name] = true
	}
	p := pending{Branch: now.branch.String(), Parent: now.commit}
	changed := edits{}
	var files []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		f := pendingPath{Path: path.Join(dir, name), Old: old[name]}
		data, ok, err := s.read(f.Path)
		if err != nil {
			return pending{}, err
		}
		if ok {
			f.New = plumbing.ComputeHash(plumbing.BlobObject, data)
		}
		if f.New != f.Old {
			if ok {
				if _, err := s.putBlob(data); err != nil {
					return pending{}, err
				}
			}
			p.Files = append(p.Files, f)
			changed[f.Path] = f.New
			files = append(files, name)
		}
	}
	if len(p.Files) == 0 {
		return p, nil
	}
	after, err := s.putTree(root, changed)
	if err != nil {
		return pending{}, err
	}
	text := fmt.Sprintf("hand edit\n\n%s: %s\n", scope, strings.Join(files, ", "))
	p.Commit, err = s.putCommit(now.commit, after, hand, at, text)
	if err != nil {
		return pending{}, err
	}
	return p, s.step("objects")
}

// onDisk returns the names of the vault's files in a scope's folder.
func (s *session) onDisk(dir string) (map[string]bool, error) {
	names := map[string]bool{}
	for _, below := range []string{"", vault.TopicsDir} {
		folder := path.Join(dir, below)
		info, err := s.stat(folder)
		if err != nil {
			return nil, err
		}
		if info == nil || !info.IsDir() {
			continue
		}
		entries, err := s.list(folder)
		if err != nil {
			return nil, err
		}
		for _, name := range entries {
			if name = path.Join(below, name); vault.Owned(name) {
				names[name] = true
			}
		}
	}
	return names, nil
}

// editsOf returns the changes of a commit in a scope's files, compared with its
// first parent.
func (s *session) editsOf(commit plumbing.Hash, scope memory.Scope) ([]vault.HandEdit, error) {
	c, err := object.GetCommit(s.store, commit)
	if err != nil {
		return nil, fmt.Errorf("read commit %s: %w", commit, err)
	}
	before, after, err := s.filesAround(c, scope)
	if err != nil {
		return nil, err
	}
	names := maps.Clone(before)
	maps.Copy(names, after)
	var found []vault.HandEdit
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if before[name] == after[name] {
			continue
		}
		edit := vault.HandEdit{Scope: scope, File: name, Commit: commit.String(), At: c.Committer.When.UTC(), Author: c.Committer.Name}
		if edit.Before, err = s.blob(before[name]); err != nil && !errors.Is(err, vault.ErrTooLarge) {
			return nil, err
		}
		edit.After, err = s.blob(after[name])
		if errors.Is(err, vault.ErrTooLarge) {
			edit.Err = s.problem(scopeDir(scope)+"/"+name, err, tooLarge)
		} else if err != nil {
			return nil, err
		}
		found = append(found, edit)
	}
	return found, nil
}

func (s *session) filesAround(c *object.Commit, scope memory.Scope) (before, after edits, err error) {
	parent, err := s.rootOf(firstParent(c))
	if err != nil {
		return nil, nil, err
	}
	if before, err = s.filesIn(parent, scope); err != nil {
		return nil, nil, err
	}
	after, err = s.filesIn(c.TreeHash, scope)
	return before, after, err
}

func (s *session) filesIn(root plumbing.Hash, scope memory.Scope) (edits, error) {
	tree, err := s.treeIn(root, scopeDir(scope))
	if err != nil {
		return nil, err
	}
	return s.owned(tree)
}

// firstParent returns the first parent, or zero for a commit without parents.
func firstParent(c *object.Commit) plumbing.Hash {
	if len(c.ParentHashes) == 0 {
		return plumbing.ZeroHash
	}
	return c.ParentHashes[0]
}
