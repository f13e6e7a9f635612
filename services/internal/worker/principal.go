package worker

import (
	"context"
	"errors"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// A principal is looked up for every event and changes a few times a year. One
// that is not there may be registered any moment, so a miss is kept shortly.
const (
	principalTTL     = 30 * time.Second
	principalMissTTL = 5 * time.Second
	// maxPrincipals bounds the cache: names come from subjects, thus from
	// strangers. The least recently used is forgotten.
	maxPrincipals = 10_000
)

// principals remembers who is registered. Safe for concurrent use.
type principals struct {
	directory store.Directory
	now       func() time.Time

	known *lru.Cache[string, known]
}

type known struct {
	who   memory.Principal
	err   error // nil or store.ErrNotFound
	until time.Time
}

func newPrincipals(d store.Directory, now func() time.Time) *principals {
	cache, _ := lru.New[string, known](maxPrincipals) // fails only for a size below one
	return &principals{directory: d, now: now, known: cache}
}

// find returns the principal or store.ErrNotFound; other errors are the
// store's and are not remembered.
func (p *principals) find(ctx context.Context, id string) (memory.Principal, error) {
	now := p.now()
	k, ok := p.known.Get(id)
	if ok && now.Before(k.until) {
		return k.who, k.err
	}
	who, err := p.directory.Principal(ctx, id)
	switch {
	case err == nil:
		k = known{who: who, until: now.Add(principalTTL)}
	case errors.Is(err, store.ErrNotFound):
		k = known{err: err, until: now.Add(principalMissTTL)}
	default:
		return memory.Principal{}, err
	}
	p.known.Add(id, k)
	return k.who, k.err
}
