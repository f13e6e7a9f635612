package indexing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// A check serves the searches soon after it. One of them starts the next check before
// the first is too old, and later searches check themselves.
func TestFreshness(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	key := freshKey{tenantKey{1, "acme"}, "project:shop"}
	f := &freshness{slack: 40 * time.Millisecond}
	at := func(age time.Duration) [2]bool {
		ok, due := f.enough(key, began.Add(age))
		return [2]bool{ok, len(due) > 0}
	}
	if at(0) != [2]bool{false, false} {
		t.Error("nobody looked, and it is enough")
	}
	f.looked(key, nil, began)
	for _, c := range []struct {
		age  time.Duration
		want [2]bool
	}{
		{0, [2]bool{true, false}}, {19 * time.Millisecond, [2]bool{true, false}},
		{20 * time.Millisecond, [2]bool{true, true}}, {30 * time.Millisecond, [2]bool{true, false}}, // one is under way
		{40 * time.Millisecond, [2]bool{false, false}}, {time.Hour, [2]bool{false, false}},
	} {
		if got := at(c.age); got != c.want {
			t.Errorf("after %s: %v, want %v", c.age, got, c.want)
		}
	}
	if ok, _ := f.enough(freshKey{tenantKey{2, "acme"}, "project:shop"}, began); ok {
		t.Error("a look at one generation speaks for another")
	}
	f.looked(key, nil, began.Add(-time.Second))
	if got := at(10 * time.Millisecond); !got[0] {
		t.Error("a look that began earlier and ended later makes the index older")
	}
}

// One check in the background is of all scopes that were searched since they were checked,
// of one tenant, and of the whole tenant where one search was.
func TestFreshnessTogether(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	f := &freshness{slack: 40 * time.Millisecond}
	key := func(tenant memory.Tenant, scope memory.Scope) freshKey {
		return freshKey{tenantKey{1, tenant}, string(scope)}
	}
	for _, k := range []freshKey{key("acme", "project:a"), key("acme", "project:b"), key("acme", "project:idle"), key("other", "project:c")} {
		f.looked(k, []memory.Scope{memory.Scope(k.scopes), "team:t"}, began)
	}
	later := began.Add(30 * time.Millisecond)
	if ok, due := f.enough(key("other", "project:c"), began); !ok || due != nil {
		t.Error("just checked, and due")
	}
	f.enough(key("acme", "project:b"), began)
	ok, due := f.enough(key("acme", "project:a"), later)
	if got := united(due); !ok || len(due) != 2 || !slices.Equal(got, []memory.Scope{"project:a", "project:b", "team:t"}) {
		t.Errorf("due are %v of %v", got, due)
	}
	if ok, due := f.enough(key("acme", "project:b"), later); !ok || due != nil {
		t.Errorf("%v while one is under way", due)
	}
	if _, due := f.enough(key("other", "project:c"), later); len(due) != 1 {
		t.Errorf("another tenant: %v", due)
	}
	if got := united(map[freshKey][]memory.Scope{key("acme", "project:a"): {"project:a"}, key("acme", ""): nil}); got != nil {
		t.Errorf("%v of the whole tenant", got)
	}
}

// A background check ends also when it fails, and the next one may begin.
func TestRefreshEnds(t *testing.T) {
	t.Parallel()
	of := tenantKey{1, "acme"}
	f := &freshness{slack: time.Hour, looking: map[tenantKey]bool{of: true}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the search that began it is over
	ended := make(chan error, 1)
	f.refresh(ctx, of, func(ctx context.Context) error {
		ended <- ctx.Err()
		return errors.New("away")
	})
	if err := <-ended; err != nil {
		t.Errorf("it ends with the search: %v", err)
	}
	for {
		f.mu.Lock()
		busy := f.looking[of]
		f.mu.Unlock()
		if !busy {
			return
		}
	}
}

// Scopes that are searched all the time are not evicted by others.
func TestFreshnessOfScopesInUse(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	f := &freshness{slack: time.Hour}
	busy := freshKey{tenantKey{1, "acme"}, "project:shop"}
	f.looked(busy, nil, began)
	for i := range 2 * maxFresh {
		f.looked(freshKey{tenantKey{1, "acme"}, fmt.Sprint("project:p", i)}, nil, began)
		if ok, _ := f.enough(busy, began); !ok {
			t.Fatalf("forgotten after %d other scopes", i+1)
		}
	}
	if n := f.last.Len(); n > maxFresh {
		t.Errorf("%d scopes are remembered, at most %d should be", n, maxFresh)
	}
}

// Without slack every search checks.
func TestNoSlack(t *testing.T) {
	t.Parallel()
	f := &freshness{}
	key := freshKey{tenantKey{1, "acme"}, "a"}
	f.looked(key, nil, time.Now())
	if ok, _ := f.enough(key, time.Now()); ok {
		t.Error("it is enough")
	}
}
