package recall

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// No more compute at once than there are processors, also when they step aside
// in between; whoever steps aside lets another in, and nobody is lost.
func TestTurns(t *testing.T) {
	t.Parallel()
	var turns turns
	var inside, most atomic.Int64
	enter := func() {
		now := inside.Add(1)
		for {
			m := most.Load()
			if now <= m || most.CompareAndSwap(m, now) {
				return
			}
		}
	}
	var working sync.WaitGroup
	for range 20 {
		working.Go(func() {
			for range 50 {
				turn, err := turns.take(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				enter()
				inside.Add(-1)
				_ = turn.aside(func() error { runtime.Gosched(); return nil })
				enter()
				inside.Add(-1)
				turn.end()
			}
		})
	}
	working.Wait()
	if got := most.Load(); got > int64(runtime.GOMAXPROCS(0)) {
		t.Errorf("%d at once on %d processors", got, runtime.GOMAXPROCS(0))
	}
	if held := cap(turns.free) - len(turns.free); held != 0 {
		t.Errorf("%d places are still held", held)
	}
}

// A place that gets free goes to one that stepped aside, and not to who waited
// longer, but for a first turn.
func TestTurnsAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var turns turns
		var held turn
		for range runtime.GOMAXPROCS(0) {
			var err error
			if held, err = turns.take(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		order := make(chan string, 2)
		go func() {
			one, err := turns.take(t.Context())
			if err != nil {
				t.Error(err)
			}
			order <- "new"
			one.end()
		}()
		synctest.Wait()
		go func() {
			turns.again()
			order <- "back"
			turns.leave()
		}()
		synctest.Wait()
		held.end()
		if first := <-order; first != "back" {
			t.Errorf("the %s one was first", first)
		}
		if second := <-order; second != "new" {
			t.Errorf("the %s one was second", second)
		}
	})
}

// Who stops waiting holds nothing, and what went wrong aside is told.
func TestTurnsGivenUp(t *testing.T) {
	t.Parallel()
	var turns turns
	ctx, cancel := context.WithCancel(t.Context())
	var all []turn
	for range runtime.GOMAXPROCS(0) {
		one, err := turns.take(ctx)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	cancel()
	none, err := turns.take(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got in: %v", err)
	}
	none.end()
	away := errors.New("away")
	if err := all[0].aside(func() error { return away }); !errors.Is(err, away) {
		t.Errorf("%v", err)
	}
	for _, one := range all {
		one.end()
	}
	if held := cap(turns.free) - len(turns.free); held != 0 {
		t.Errorf("%d places are still held", held)
	}
}
