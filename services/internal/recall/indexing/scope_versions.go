package indexing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// looks reads scope versions from Postgres, in queries that concurrent searches share.
// While one query runs, new searches queue behind it and share the next, which begins
// after the last of them arrived. So each search sees at least what was committed
// before it asked, and a burst costs two queries.
type looks struct {
	rows store.Reader

	mu    sync.Mutex
	lanes map[string]*lane // by tenant and scopes; only those in use
}

// lane queues the searches that ask for the same scopes.
type lane struct {
	lock   chan struct{} // a lock, held by the running query
	next   *look         // the one that has not begun, if any
	inside int
}

// look is one query and its result.
type look struct {
	done     chan struct{} // closed once the result is set
	versions map[memory.Scope]int64
	err      error
}

// versions returns the versions of the scopes (none: all). The map is shared and
// must not be changed.
func (l *looks) versions(ctx context.Context, tenant memory.Tenant, scopes []memory.Scope) (map[memory.Scope]int64, error) {
	key := keyOf(tenant, scopes)
	for {
		way, wanted, mine := l.join(key)
		if mine {
			l.run(ctx, way, wanted, tenant, scopes)
		}
		var err error
		select {
		case <-wanted.done:
			err = wanted.err
		case <-ctx.Done():
			err = ctx.Err()
		}
		l.leave(key, way)
		// Another caller's deadline does not end this one.
		ended := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
		if ended && ctx.Err() == nil && !mine {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("look for changes: %w", err)
		}
		return wanted.versions, nil
	}
}

// keyOf returns a key for a tenant and a set of scopes.
func keyOf(tenant memory.Tenant, scopes []memory.Scope) string {
	parts := make([]string, 0, 1+len(scopes))
	for _, scope := range scopes {
		parts = append(parts, string(scope))
	}
	slices.Sort(parts)
	return strings.Join(append(parts, string(tenant)), "\x00")
}

// join returns the query that will begin next, or makes one that the caller must run
// (mine).
func (l *looks) join(key string) (way *lane, wanted *look, mine bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if way = l.lanes[key]; way == nil {
		if l.lanes == nil {
			l.lanes = map[string]*lane{}
		}
		way = &lane{lock: make(chan struct{}, 1)}
		l.lanes[key] = way
	}
	way.inside++
	if way.next == nil {
		way.next, mine = &look{done: make(chan struct{})}, true
	}
	return way, way.next, mine
}

func (l *looks) leave(key string, way *lane) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if way.inside--; way.inside == 0 {
		delete(l.lanes, key)
	}
}

// run executes the query once the one before is done. From its begin on no search joins
// it any more.
func (l *looks) run(ctx context.Context, way *lane, wanted *look, tenant memory.Tenant, scopes []memory.Scope) {
	defer close(wanted.done)
	begin := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		way.next = nil
	}
	select {
	case way.lock <- struct{}{}:
		defer func() { <-way.lock }()
		begin()
		wanted.versions, wanted.err = l.rows.ScopeVersions(ctx, tenant, scopes...)
	case <-ctx.Done():
		begin()
		wanted.err = ctx.Err()
	}
}
