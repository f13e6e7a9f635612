package git

import (
	"github.com/go-git/go-git/v5/plumbing"
	lru "github.com/hashicorp/golang-lru/v2"
)

// maxOwned bounds how many scopes' trees are remembered; the least recently used
// is forgotten.
const maxOwned = 16 << 10

// ownedFiles remembers the vault's files of scopes' trees. A tree never changes,
// and most scopes are the same from one look to the next. It is safe for concurrent
// use.
type ownedFiles struct {
	*lru.Cache[plumbing.Hash, edits]
}

func newOwnedFiles() ownedFiles {
	cache, _ := lru.New[plumbing.Hash, edits](maxOwned) // fails only for a size below one
	return ownedFiles{cache}
}
