package git

import (
	"github.com/go-git/go-git/v5/plumbing"
	lru "github.com/hashicorp/golang-lru/v2"
)

// maxOwned bounds the cached trees of scopes; the least recently used tree is
// evicted.
const maxOwned = 16 << 10

// ownedFiles caches the vault's files of scopes' trees. A tree never changes,
// and most scopes do not change between two reads. The cache is safe for
// concurrent use.
type ownedFiles struct {
	*lru.Cache[plumbing.Hash, edits]
}

func newOwnedFiles() ownedFiles {
	cache, _ := lru.New[plumbing.Hash, edits](maxOwned) // fails only for a size below one
	return ownedFiles{cache}
}
