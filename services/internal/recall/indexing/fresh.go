package indexing

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// Slack is how old the answers of a busy process may be. One that is searched now
// and then looks before each search and is never behind. Where searches follow
// each other closely, all but a few would wait for the same answer, that nothing
// changed, and on busy processors that answer takes longer to be heard than the
// search itself. Publish to searchable is promised in a second.
const Slack = 50 * time.Millisecond

// refreshTimeout ends a look that nobody waits for.
const refreshTimeout = 5 * time.Second

// freshness remembers when the index was last in step with some scopes. Safe for
// concurrent use.
type freshness struct {
	slack time.Duration // 0 looks before every search

	mu      sync.Mutex
	began   *simplelru.LRU[freshKey, time.Time] // of the last look that succeeded; nil before the first
	looking map[freshKey]bool                   // one is under way that nobody waits for
}

type freshKey struct {
	generation int
	scopes     string // with their tenant
}

// maxFresh bounds the memory; the least recently used is forgotten and looks again.
const maxFresh = 4096

// enough reports that the last look is recent enough to search on. From half of
// the slack on it also says, to one caller, that it is time to look anew in the
// background, so that under steady load nobody ever waits.
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

// looked notes a look that succeeded.
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

// refresh runs a look in the background. What goes wrong is told to the next
// search, which looks itself.
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
