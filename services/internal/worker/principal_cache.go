package worker

import (
	"context"
	"errors"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// A principal is looked up for every event and changes a few times a year. An
// unknown principal may be registered at any moment, so a miss is cached briefly.
const (
	principalTTL     = 30 * time.Second
	principalMissTTL = 5 * time.Second
	// maxPrincipals bounds the cache: names come from subjects, and any publisher
	// chooses those. The least recently used entry is evicted.
	maxPrincipals = 10_000
)

// principalCache caches look-ups of principals. Safe for concurrent use.
type principalCache struct {
	directory store.Directory
	now       func() time.Time

	known *lru.Cache[string, known]
}

type known struct {
	who   memory.Principal
	err   error // nil or store.ErrNotFound
	until time.Time
}

func newPrincipalCache(d store.Directory, now func() time.Time) *principalCache {
	cache, _ := lru.New[string, known](maxPrincipals) // fails only for a size below one
	return &principalCache{directory: d, now: now, known: cache}
}

// find returns the principal or store.ErrNotFound. Other errors are the store's and
// are not cached.
func (p *principalCache) find(ctx context.Context, id string) (memory.Principal, error) {
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
