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

// Commit writes and commits a scope's files together, and returns the commit's
// hash. The same change on the same commit has the same hash. When the files
// already equal the change, nothing is written and committed is false. An
// exception are unread hand edits, which a commit without files then marks as
// read.
//
// Commit returns a *DirtyError (ErrDirty), and changes nothing, for hand edits
// in the scope that HandEdits of this writer has not returned, however recent.
// The caller then reads them, renders again and commits again.
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

// allSeen reports whether history has hand edits since the scope's last
// rendering. The error is a *DirtyError for an edit that the caller has not been
// given, because a person may have committed since.
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

// prepare stores all objects and temporary files of a change without a visible
// effect. Without a changed file there is a commit only when always is set.
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

// prepareFile stores one file's blob, and checks that the file on disk equals
// the committed one.
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
