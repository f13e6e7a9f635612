package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// A principal is looked up for every event and changes a few times a year. One
// that is not there may be registered any moment, so a miss is kept shortly.
const (
	principalTTL     = 30 * time.Second
	principalMissTTL = 5 * time.Second
	// maxPrincipals bounds the cache: names come from subjects, thus from
	// strangers.
	maxPrincipals = 10_000
)

// principals remembers who is registered. Safe for concurrent use.
type principals struct {
	directory store.Directory
	now       func() time.Time

	mu    sync.Mutex
	known map[string]known
}

type known struct {
	who   memory.Principal
	err   error // nil or store.ErrNotFound
	until time.Time
}

func newPrincipals(d store.Directory, now func() time.Time) *principals {
	return &principals{directory: d, now: now, known: make(map[string]known)}
}

// find returns the principal or store.ErrNotFound; other errors are the
// store's and are not remembered.
func (p *principals) find(ctx context.Context, id string) (memory.Principal, error) {
	now := p.now()
	p.mu.Lock()
	k, ok := p.known[id]
	p.mu.Unlock()
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
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.known) >= maxPrincipals {
		clear(p.known)
	}
	p.known[id] = k
	return k.who, k.err
}
