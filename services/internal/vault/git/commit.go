package git

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vault"
)

// Commit writes a scope's files and commits them as one, and returns the
// commit's hash. The same change on the same commit has the same hash. Where
// the files already are as the change has them, nothing is written and
// committed is false; unless there are hand edits before it, which a commit
// without files then marks as read.
//
// It returns a *DirtyError (ErrDirty), and changes nothing, when there are hand
// edits in the scope that HandEdits of this writer has not returned, however
// recently they were made: read them, render again, commit again.
func (w *Writer) Commit(c vault.Change) (hash string, committed bool, err error) {
	if err := c.Validate(); err != nil {
		return "", false, fmt.Errorf("commit to vault: %w", err)
	}
	err = w.with(func(s *session) error {
		now, err := s.head()
		if err != nil {
			return err
		}
		edited, err := w.allSeen(s, c.Scope)
		if err != nil {
			return err
		}
		p, err := s.prepare(now, c, edited)
		if err != nil || p.Commit.IsZero() {
			return err
		}
		hash, committed = p.Commit.String(), true
		return s.publish(p)
	})
	if err != nil {
		return "", false, fmt.Errorf("commit to vault: %w", err)
	}
	return hash, committed, nil
}

// allSeen says whether history has hand edits since the scope's last rendering,
// and refuses to go on where the caller has not been given them: a person may
// have committed since.
func (w *Writer) allSeen(s *session, scope memory.Scope) (edited bool, err error) {
	known, err := w.vault.record(s, scope)
	if err != nil {
		return false, err
	}
	unread := known.Hand
	if len(unread) > 0 && unread[len(unread)-1] != w.seen[scope] {
		return true, &vault.DirtyError{Paths: []string{scopeDir(scope)}}
	}
	return len(unread) > 0, nil
}

// prepare stores everything that a change needs and nothing that shows. Where no
// file changes there is a commit only if always asks for one.
func (s *session) prepare(now tip, c vault.Change, always bool) (pending, error) {
	root, err := s.rootOf(now.commit)
	if err != nil {
		return pending{}, err
	}
	dir := scopeDir(c.Scope)
	tree, err := s.treeIn(root, dir)
	if err != nil {
		return pending{}, err
	}
	old, err := s.owned(tree)
	if err != nil {
		return pending{}, err
	}
	p := pending{Branch: now.branch.String(), Parent: now.commit}
	changed := edits{}
	for _, name := range slices.Sorted(maps.Keys(c.Files)) {
		f, err := s.prepareFile(dir, name, old[name], c.Files[name])
		if err != nil {
			return pending{}, err
		}
		if f.Old == f.New {
			continue
		}
		f.Temp = tempPrefix + strconv.Itoa(len(p.Files))
		if !f.New.IsZero() {
			if err := s.write(f.Temp, c.Files[name], 0o644); err != nil {
				return pending{}, err
			}
		}
		p.Files = append(p.Files, f)
		changed[f.Path] = f.New
	}
	if len(p.Files) == 0 && !always {
		return p, nil
	}
	if err := s.step("temporaries"); err != nil {
		return pending{}, err
	}
	after, err := s.putTree(root, changed)
	if err != nil {
		return pending{}, err
	}
	if tree, err = s.treeIn(after, dir); err != nil {
		return pending{}, err
	}
	p.Commit, err = s.putCommit(now.commit, after, winnow, c.At, message(c.Scope, c.Trailer, tree))
	if err != nil {
		return pending{}, err
	}
	return p, s.step("objects")
}

// prepareFile stores one file's blob, and sees that the file on disk is the one
// that is committed.
func (s *session) prepareFile(dir, name string, old plumbing.Hash, data []byte) (pendingPath, error) {
	f := pendingPath{Path: path.Join(dir, name), Old: old}
	there, err := s.hashOf(f.Path)
	if err != nil {
		return f, err
	}
	if there != old {
		return f, &vault.DirtyError{Paths: []string{f.Path}}
	}
	if data != nil {
		f.New = plumbing.ComputeHash(plumbing.BlobObject, data)
	}
	if data == nil || f.New == f.Old {
		return f, nil
	}
	_, err = s.putBlob(data)
	return f, err
}
