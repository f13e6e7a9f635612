package git

import (
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

// Last returns the trailer and the time of a scope's newest rendering. ok is
// false for a scope without a rendering on this branch.
func (v *Vault) Last(scope memory.Scope) (t vault.Trailer, at time.Time, ok bool, err error) {
	err = v.with(func(s *session) error {
		known, err := v.record(s, scope)
		t, at, ok = known.Trailer, known.At, !known.Commit.IsZero()
		return err
	})
	if err != nil {
		return vault.Trailer{}, time.Time{}, false, fmt.Errorf("last rendering of %s: %w", scope, err)
	}
	return t, at, ok, nil
}

// Read returns a scope's committed files, by their name in the scope. Later
// changes on disk are not included.
func (v *Vault) Read(scope memory.Scope) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := v.with(func(s *session) error {
		now, err := s.head()
		if err != nil {
			return err
		}
		root, err := s.rootOf(now.commit)
		if err != nil {
			return err
		}
		blobs, err := s.filesIn(root, scope)
		if err != nil {
			return err
		}
		for name, blob := range blobs {
			if files[name], err = s.blob(blob); err != nil {
				return fmt.Errorf("%s/%s: %w", scopeDir(scope), name, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", scope, err)
	}
	return files, nil
}

// Scopes lists, sorted, the scopes with a folder, committed or on disk.
func (v *Vault) Scopes() ([]memory.Scope, error) {
	found := map[memory.Scope]bool{}
	err := v.with(func(s *session) error {
		now, err := s.head()
		if err != nil {
			return err
		}
		root, err := s.rootOf(now.commit)
		if err != nil {
			return err
		}
		for _, kind := range scopeKinds {
			tree, err := s.treeIn(root, kind)
			if err != nil {
				return err
			}
			committed, err := s.differing(plumbing.ZeroHash, tree, kind)
			if err != nil {
				return err
			}
			there, err := s.foldersOnDisk(kind)
			if err != nil {
				return err
			}
			for _, dir := range append(committed, there...) {
				if scope, err := scopeOf(dir); err == nil {
					found[scope] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list scopes: %w", err)
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// foldersOnDisk returns the names of the folders in a folder, including names
// that continue in a folder inside.
func (s *session) foldersOnDisk(dir string) ([]string, error) {
	info, err := s.stat(dir)
	if info == nil || err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, s.problem(dir, vault.ErrNotFile, "a file stands where a folder belongs; move it away")
	}
	names, err := s.list(dir)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, name := range names {
		full := path.Join(dir, name)
		info, err := s.root.Lstat(full)
		if err != nil || !info.IsDir() {
			continue // missing, a file or a link: not a scope
		}
		if !strings.HasSuffix(name, "%") {
			found = append(found, full)
			continue
		}
		deeper, err := s.foldersOnDisk(full)
		if err != nil {
			return nil, err
		}
		found = append(found, deeper...)
	}
	return found, nil
}

// Log lists a scope's commits, newest first; all commits when the scope is
// empty. A limit above 0 bounds the list.
func (v *Vault) Log(scope memory.Scope, limit int) ([]vault.Entry, error) {
	var found []vault.Entry
	err := v.with(func(s *session) error {
		now, err := s.head()
		if err != nil {
			return err
		}
		for at := now.commit; !at.IsZero() && (limit <= 0 || len(found) < limit); {
			c, err := object.GetCommit(s.store, at)
			if err != nil {
				return err
			}
			entry, ok, err := s.entryOf(c, scope)
			if err != nil {
				return err
			}
			if ok {
				found = append(found, entry)
			}
			at = firstParent(c)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("log: %w", err)
	}
	return found, nil
}

// entryOf returns the entry of a commit; ok is false for a commit of another
// scope.
func (s *session) entryOf(c *object.Commit, scope memory.Scope) (e vault.Entry, ok bool, err error) {
	of, trailer, ours, err := s.rendered(c)
	if err != nil {
		return vault.Entry{}, false, err
	}
	subject, _, _ := strings.Cut(c.Message, "\n")
	e = vault.Entry{
		Hash: c.Hash.String(), At: c.Committer.When.UTC(), Author: c.Committer.Name,
		Subject: subject, Hand: !ours, Trailer: trailer,
	}
	if scope == "" || ours {
		return e, scope == "" || of == scope, nil
	}
	before, after, err := s.filesAround(c, scope)
	if err != nil {
		return vault.Entry{}, false, err
	}
	return e, !maps.Equal(before, after), nil
}
