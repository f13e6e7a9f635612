package git

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/objfile"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/winnowhq/winnow/services/internal/vault"
)

// objectTemp is the name of an object's file during the write.
const objectTemp = ownDir + "/object.new"

// maxTrees bounds the cached trees of a session; the least recently used tree is
// evicted.
const maxTrees = 4096

// put stores an object and makes it visible only when it is complete. The
// journal's barrier follows, so that no branch refers to an empty object after a
// power cut.
func (s *session) put(o plumbing.EncodedObject) error {
	if err := s.store.HasEncodedObject(o.Hash()); !errors.Is(err, plumbing.ErrObjectNotFound) {
		return err
	}
	content, err := o.Reader()
	if err != nil {
		return err
	}
	defer content.Close()
	var packed bytes.Buffer
	w := objfile.NewWriter(&packed)
	if err := w.WriteHeader(o.Type(), o.Size()); err != nil {
		return err
	}
	if _, err := io.Copy(w, content); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := s.write(objectTemp, packed.Bytes(), 0o444); err != nil {
		return err
	}
	name := o.Hash().String()
	dir := path.Join(gitDir, "objects", name[:2])
	if err := s.makeDir(dir); err != nil {
		return err
	}
	return explain(s.dir, s.root.Rename(objectTemp, path.Join(dir, name[2:])))
}

func (s *session) putBlob(data []byte) (plumbing.Hash, error) {
	o := &plumbing.MemoryObject{}
	o.SetType(plumbing.BlobObject)
	if _, err := o.Write(data); err != nil {
		return plumbing.ZeroHash, err
	}
	return o.Hash(), s.put(o)
}

// edits holds blobs by path; the zero hash removes a path.
type edits map[string]plumbing.Hash

// putTree stores the tree that results from applying edits to base, and returns
// its hash, zero for an empty tree. Only the folders of the changed paths are
// read and written.
func (s *session) putTree(base plumbing.Hash, changed edits) (plumbing.Hash, error) {
	entries, err := s.entries(base)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	entries = slices.Clone(entries)
	below := map[string]edits{}
	for name, blob := range changed {
		first, rest, deep := strings.Cut(name, "/")
		if !deep {
			entries = withEntry(entries, first, filemode.Regular, blob)
			continue
		}
		if below[first] == nil {
			below[first] = edits{}
		}
		below[first][rest] = blob
	}
	for name, changed := range below {
		sub, err := s.putTree(treeAt(entries, name), changed)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		entries = withEntry(entries, name, filemode.Dir, sub)
	}
	if len(entries) == 0 {
		return plumbing.ZeroHash, nil
	}
	return s.putEntries(entries)
}

func (s *session) putEntries(entries []object.TreeEntry) (plumbing.Hash, error) {
	sort.Sort(object.TreeEntrySorter(entries))
	o := &plumbing.MemoryObject{}
	if err := (&object.Tree{Entries: entries}).Encode(o); err != nil {
		return plumbing.ZeroHash, fmt.Errorf("write tree: %w", err)
	}
	return o.Hash(), s.put(o)
}

// withEntry replaces or adds an entry; the zero hash removes it.
func withEntry(entries []object.TreeEntry, name string, mode filemode.FileMode, hash plumbing.Hash) []object.TreeEntry {
	entries = slices.DeleteFunc(entries, func(e object.TreeEntry) bool { return e.Name == name })
	if hash.IsZero() {
		return entries
	}
	return append(entries, object.TreeEntry{Name: name, Mode: mode, Hash: hash})
}

// treeAt returns the tree of a folder, or zero for a missing folder.
func treeAt(entries []object.TreeEntry, name string) plumbing.Hash {
	i := slices.IndexFunc(entries, func(e object.TreeEntry) bool { return e.Name == name && e.Mode == filemode.Dir })
	if i < 0 {
		return plumbing.ZeroHash
	}
	return entries[i].Hash
}

// entries returns the entries of a tree; the zero hash is the empty tree. A
// session caches trees: the tree of a kind has an entry for each scope, and
// every scope's path contains it. Callers must not modify the slice.
func (s *session) entries(tree plumbing.Hash) ([]object.TreeEntry, error) {
	if known, ok := s.trees.Get(tree); ok || tree.IsZero() {
		return known, nil
	}
	t, err := object.GetTree(s.store, tree)
	if err != nil {
		return nil, fmt.Errorf("read tree %s: %w", tree, err)
	}
	s.trees.Add(tree, t.Entries)
	return t.Entries, nil
}

// treeIn returns the tree at a path below a tree, or zero for a missing path.
func (s *session) treeIn(tree plumbing.Hash, dir string) (plumbing.Hash, error) {
	for _, name := range strings.Split(dir, "/") {
		entries, err := s.entries(tree)
		if err != nil {
			return plumbing.ZeroHash, err
		}
		if tree = treeAt(entries, name); tree.IsZero() {
			return tree, nil
		}
	}
	return tree, nil
}

// rootOf returns a commit's tree; the zero hash is a branch without commits. A
// session caches the tree, because every scope asks for the same commit.
func (s *session) rootOf(commit plumbing.Hash) (plumbing.Hash, error) {
	if root, ok := s.roots[commit]; ok || commit.IsZero() {
		return root, nil
	}
	c, err := object.GetCommit(s.store, commit)
	if err != nil {
		return plumbing.ZeroHash, fmt.Errorf("read commit %s: %w", commit, err)
	}
	s.roots[commit] = c.TreeHash
	return c.TreeHash, nil
}

// owned returns the vault's files of a scope's tree, by their name in the scope.
// Callers must not modify the map.
func (s *session) owned(scopeTree plumbing.Hash) (edits, error) {
	if known, ok := s.known.Get(scopeTree); ok {
		return known, nil
	}
	files := edits{}
	entries, err := s.entries(scopeTree)
	if err != nil {
		return nil, err
	}
	topics, err := s.entries(treeAt(entries, vault.TopicsDir))
	if err != nil {
		return nil, err
	}
	for dir, entries := range map[string][]object.TreeEntry{"": entries, vault.TopicsDir: topics} {
		for _, e := range entries {
			if name := path.Join(dir, e.Name); vault.Owned(name) && e.Mode.IsFile() {
				files[name] = e.Hash
			}
		}
	}
	s.known.Add(scopeTree, files)
	return files, nil
}

// blob returns a file's content, or ErrTooLarge above MaxFile bytes.
func (s *session) blob(hash plumbing.Hash) ([]byte, error) {
	if hash.IsZero() {
		return nil, nil
	}
	size, err := s.store.EncodedObjectSize(hash)
	if err != nil {
		return nil, fmt.Errorf("read blob %s: %w", hash, err)
	}
	if size > vault.MaxFile {
		return nil, vault.ErrTooLarge
	}
	b, err := object.GetBlob(s.store, hash)
	if err != nil {
		return nil, fmt.Errorf("read blob %s: %w", hash, err)
	}
	r, err := b.Reader()
	if err != nil {
		return nil, fmt.Errorf("read blob %s: %w", hash, err)
	}
	defer r.Close()
	data := bytes.NewBuffer(make([]byte, 0, size))
	if _, err := data.ReadFrom(r); err != nil {
		return nil, fmt.Errorf("read blob %s: %w", hash, err)
	}
	return data.Bytes(), nil
}

// putCommit stores a commit. The same arguments give the same hash.
func (s *session) putCommit(parent, tree plumbing.Hash, who identity, at time.Time, message string) (plumbing.Hash, error) {
	if tree.IsZero() {
		var err error
		if tree, err = s.putEntries(nil); err != nil {
			return plumbing.ZeroHash, err
		}
	}
	signature := object.Signature{Name: who.name, Email: who.email, When: at.UTC()}
	c := &object.Commit{Author: signature, Committer: signature, Message: message, TreeHash: tree}
	if !parent.IsZero() {
		c.ParentHashes = []plumbing.Hash{parent}
	}
	o := &plumbing.MemoryObject{}
	if err := c.Encode(o); err != nil {
		return plumbing.ZeroHash, fmt.Errorf("write commit: %w", err)
	}
	return o.Hash(), s.put(o)
}
