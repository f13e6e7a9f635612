package git

import (
	"sync"

	"github.com/go-git/go-git/v5/plumbing"
)

// maxOwned bounds how many scopes' trees are remembered; beyond it all are read
// again, once.
const maxOwned = 16 << 10

// ownedFiles remembers the vault's files of scopes' trees. A tree never changes,
// and most scopes are the same from one look to the next.
type ownedFiles struct {
	mu    sync.Mutex
	files map[plumbing.Hash]edits
}

func (o *ownedFiles) get(tree plumbing.Hash) (edits, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	files, ok := o.files[tree]
	return files, ok
}

func (o *ownedFiles) put(tree plumbing.Hash, files edits) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.files == nil || len(o.files) >= maxOwned {
		o.files = map[plumbing.Hash]edits{}
	}
	o.files[tree] = files
}
