package indexing

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Slack is how old the answers of a busy process may be. A process with few searches
// checks before each one and is never behind. Under steady load most searches would
// wait for the same answer, that nothing changed, and on busy processors that wait
// takes longer than the search. Publish to searchable is promised in 1 s.
const Slack = 50 * time.Millisecond

// refreshTimeout bounds a check in the background.
const refreshTimeout = 5 * time.Second

// freshness records when the index was last up to date with some scopes. Safe for
// concurrent use.
type freshness struct {
	slack time.Duration // 0 looks before every search

	mu      sync.Mutex
	began   *simplelru.LRU[freshKey, time.Time] // start of the last successful check; nil before the first
	looking map[freshKey]bool                   // a background check is running
}

type freshKey struct {
	generation int
	scopes     string // with their tenant
}

// maxFresh bounds the entries; the least recently used is evicted, and its scopes are
// checked again.
const maxFresh = 4096

// enough reports whether the last check is recent enough to search on. From half of the
// slack on it also tells one caller to check again in the background, so that under
// steady load no search waits.
func (f *freshness) enough(key freshKey, now time.Time) (ok, refresh bool) {
	if f.slack <= 0 {
		return false, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.began == nil {
		return false, false
	}
	began, known := f.began.Get(key)
	age := now.Sub(began)
	if !known || age >= f.slack {
		return false, false
	}
	if age < f.slack/2 || f.looking[key] {
		return true, false
	}
	f.looking[key] = true
	return true, true
}

// looked records the start of a check that succeeded.
func (f *freshness) looked(key freshKey, began time.Time) {
	if f.slack <= 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.began == nil {
		f.began, _ = simplelru.NewLRU[freshKey, time.Time](maxFresh, nil) // fails only for a size below one
		f.looking = map[freshKey]bool{}
	}
	if last, known := f.began.Get(key); !known || began.After(last) {
		f.began.Add(key, began)
	}
}

// refresh runs a check in the background. Its error is dropped, because the next search
// then checks itself and meets it.
func (f *freshness) refresh(ctx context.Context, key freshKey, look func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refreshTimeout)
	go func() {
		defer cancel()
		_ = look(ctx)
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.looking, key)
	}()
}
