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

// S4.36: at most GOMAXPROCS searches compute at once, also when they yield in between; a yield
// lets another search in, and no slot is lost.
func TestTurns(t *testing.T) {
	t.Parallel()
	var l limiter
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
				held, err := l.acquire(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				enter()
				inside.Add(-1)
				_ = held.yield(func() error { runtime.Gosched(); return nil })
				enter()
				inside.Add(-1)
				held.release()
			}
		})
	}
	working.Wait()
	if got := most.Load(); got > int64(runtime.GOMAXPROCS(0)) {
		t.Errorf("%d at once on %d processors", got, runtime.GOMAXPROCS(0))
	}
	if held := cap(l.free) - len(l.free); held != 0 {
		t.Errorf("%d places are still held", held)
	}
}

// A free slot goes to a search that yielded, before one that waits for its first slot
// for longer.
func TestTurnsAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l limiter
		var held slot
		for range runtime.GOMAXPROCS(0) {
			var err error
			if held, err = l.acquire(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		order := make(chan string, 2)
		go func() {
			one, err := l.acquire(t.Context())
			if err != nil {
				t.Error(err)
			}
			order <- "new"
			one.release()
		}()
		synctest.Wait()
		go func() {
			l.reacquire()
			order <- "back"
			l.release()
		}()
		synctest.Wait()
		held.release()
		if first := <-order; first != "back" {
			t.Errorf("the %s one was first", first)
		}
		if second := <-order; second != "new" {
			t.Errorf("the %s one was second", second)
		}
	})
}

// A cancelled wait holds no slot, and the error of a yield's wait is returned.
func TestTurnsGivenUp(t *testing.T) {
	t.Parallel()
	var l limiter
	ctx, cancel := context.WithCancel(t.Context())
	var all []slot
	for range runtime.GOMAXPROCS(0) {
		one, err := l.acquire(ctx)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	cancel()
	none, err := l.acquire(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got in: %v", err)
	}
	none.release()
	away := errors.New("away")
	if err := all[0].yield(func() error { return away }); !errors.Is(err, away) {
		t.Errorf("%v", err)
	}
	for _, one := range all {
		one.release()
	}
	if held := cap(l.free) - len(l.free); held != 0 {
		t.Errorf("%d places are still held", held)
	}
}
