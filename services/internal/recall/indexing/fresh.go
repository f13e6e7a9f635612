package indexing

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/winnowhq/winnow/services/internal/memory"
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
	last    *simplelru.LRU[freshKey, *check] // the last successful ones; nil before the first
	looking map[tenantKey]bool               // a background check is running
}

// freshKey names the scopes of a search.
type freshKey struct {
	tenantKey
	scopes string
}

// check is a check of some scopes.
type check struct {
	scopes []memory.Scope // none: all
	began  time.Time
	used   bool // by a search
}

// maxFresh bounds the entries; the least recently used is evicted, and its scopes are
// checked again.
const maxFresh = 4096

// maxUnited is how many checks the background makes as one: with a check for each project
// that is searched, a busy process would ask Postgres every other search.
const maxUnited = 64

// enough reports whether the last check is recent enough to search on. From half of the
// slack on it also tells one caller to check again in the background, so that under
// steady load no search waits: the scopes of all that was searched since it was checked.
func (f *freshness) enough(key freshKey, now time.Time) (ok bool, due map[freshKey][]memory.Scope) {
	if f.slack <= 0 {
		return false, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last == nil {
		return false, nil
	}
	c, known := f.last.Get(key)
	if !known || now.Sub(c.began) >= f.slack {
		return false, nil
	}
	c.used = true
	if now.Sub(c.began) < f.slack/2 || f.looking[key.tenantKey] {
		return true, nil
	}
	f.looking[key.tenantKey] = true
	due = map[freshKey][]memory.Scope{}
	for _, other := range slices.Backward(f.last.Keys()) { // the last used first: key itself
		if c, _ := f.last.Peek(other); c.used && other.tenantKey == key.tenantKey {
			if due[other] = c.scopes; len(due) == maxUnited {
				break
			}
		}
	}
	return true, due
}

// united returns the scopes of several checks, nil where one of them is of all scopes.
func united(due map[freshKey][]memory.Scope) []memory.Scope {
	var all []memory.Scope
	for _, scopes := range due {
		if len(scopes) == 0 {
			return nil
		}
		all = append(all, scopes...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// looked records the start of a check that succeeded.
func (f *freshness) looked(key freshKey, scopes []memory.Scope, began time.Time) {
	if f.slack <= 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last == nil {
		f.last, _ = simplelru.NewLRU[freshKey, *check](maxFresh, nil) // fails only for a size below one
		f.looking = map[tenantKey]bool{}
	}
	if c, known := f.last.Peek(key); !known {
		f.last.Add(key, &check{scopes: scopes, began: began})
	} else if began.After(c.began) {
		c.began, c.used = began, false
	}
}

// refresh runs a check in the background. Its error is dropped, because the next search
// then checks itself and meets it.
func (f *freshness) refresh(ctx context.Context, of tenantKey, look func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), refreshTimeout)
	go func() {
		defer cancel()
		_ = look(ctx)
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.looking, of)
	}()
}
