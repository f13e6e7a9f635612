package indexing

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"
)

// A check serves the searches soon after it. One of them starts the next check before
// the first is too old, and later searches check themselves.
func TestFreshness(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	key := freshKey{1, "project:shop"}
	f := &freshness{slack: 40 * time.Millisecond}
	at := func(age time.Duration) [2]bool {
		ok, refresh := f.enough(key, began.Add(age))
		return [2]bool{ok, refresh}
	}
	if at(0) != [2]bool{false, false} {
		t.Error("nobody looked, and it is enough")
	}
	f.looked(key, began)
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
	if ok, _ := f.enough(freshKey{2, "project:shop"}, began); ok {
		t.Error("a look at one generation speaks for another")
	}
	f.looked(key, began.Add(-time.Second))
	if got := at(10 * time.Millisecond); !got[0] {
		t.Error("a look that began earlier and ended later makes the index older")
	}
}

// A background check ends also when it fails, and the next one may begin.
func TestRefreshEnds(t *testing.T) {
	t.Parallel()
	key := freshKey{1, "a"}
	f := &freshness{slack: time.Hour, looking: map[freshKey]bool{key: true}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the search that began it is over
	ended := make(chan error, 1)
	f.refresh(ctx, key, func(ctx context.Context) error {
		ended <- ctx.Err()
		return errors.New("away")
	})
	if err := <-ended; err != nil {
		t.Errorf("it ends with the search: %v", err)
	}
	for {
		f.mu.Lock()
		busy := f.looking[key]
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
	busy := freshKey{1, "project:shop"}
	f.looked(busy, began)
	for i := range 2 * maxFresh {
		f.looked(freshKey{1, fmt.Sprint("project:p", i)}, began)
		if ok, _ := f.enough(busy, began); !ok {
			t.Fatalf("forgotten after %d other scopes", i+1)
		}
	}
	if n := f.began.Len(); n > maxFresh {
		t.Errorf("%d scopes are remembered, at most %d should be", n, maxFresh)
	}
}

// Without slack every search checks.
func TestNoSlack(t *testing.T) {
	t.Parallel()
	f := &freshness{}
	key := freshKey{1, "a"}
	f.looked(key, time.Now())
	if ok, _ := f.enough(key, time.Now()); ok {
		t.Error("it is enough")
	}
}
