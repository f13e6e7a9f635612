package git

import (
	"encoding/binary"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/winnowhq/winnow/services/internal/memory"
)

func hashOf(n int) (h plumbing.Hash) {
	binary.BigEndian.PutUint64(h[:], uint64(n)+1)
	return h
}

// In a history with more scopes than the cache holds, the trees of every read
// stay cached, and so does the tree that every scope's path contains.
func TestTreesInUseSurviveOverflow(t *testing.T) {
	t.Parallel()
	owned := newOwnedFiles()
	mine := edits{}
	owned.Add(hashOf(0), mine)
	for i := range 2 * maxOwned {
		owned.Add(hashOf(i+1), nil)
		if files, ok := owned.Get(hashOf(0)); !ok || files == nil {
			t.Fatalf("a scope's files are forgotten after %d others", i+1)
		}
	}
	if n := owned.Len(); n > maxOwned {
		t.Errorf("the files of %d scopes are remembered", n)
	}

	v := openVault(t, t.TempDir())
	if err := v.with(func(s *session) error {
		way := hashOf(0)
		s.trees.Add(way, []object.TreeEntry{{Name: string(memory.DefaultTenant)}})
		for i := range 2 * maxTrees {
			s.trees.Add(hashOf(i+1), nil)
			if _, err := s.entries(way); err != nil {
				t.Fatalf("a tree is read again after %d others: %v", i+1, err)
			}
		}
		if n := s.trees.Len(); n > maxTrees {
			t.Errorf("%d trees are remembered", n)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
