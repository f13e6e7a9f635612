package together_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnowhq/winnow/services/internal/store/postgres/together"
)

// reads answers each question with itself, a second after it was asked, and notes what was
// asked at once.
type reads struct {
	mu  sync.Mutex
	all [][]string
}

func (r *reads) read(ctx context.Context, list []string) ([]string, error) {
	r.mu.Lock()
	r.all = append(r.all, slices.Clone(list))
	r.mu.Unlock()
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if slices.Contains(list, "bad") {
		return nil, errors.New("refused")
	}
	answers := make([]string, len(list))
	for i, q := range list {
		answers[i] = "re " + q
	}
	return answers, nil
}

// What is asked while a read runs is asked at once, after it; each caller gets the answer to
// its own question, and another key waits for nothing.
func TestAskedTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c together.Calls[string, string]
		var r reads
		var all sync.WaitGroup
		ask := func(key, q string, took time.Duration) {
			began := time.Now()
			all.Go(func() {
				got, err := c.Do(t.Context(), key, q, r.read)
				if err != nil || got != "re "+q || time.Since(began) != took {
					t.Errorf("%s: %q, %v, after %v, want %v", q, got, err, time.Since(began), took)
				}
			})
			synctest.Wait()
		}
		ask("a", "first", time.Second)
		ask("a", "second", time.Second)
		for i := range 5 {
			ask("a", fmt.Sprint(i), 2*time.Second)
		}
		ask("b", "other", time.Second)
		all.Wait()
		ask("a", "later", time.Second)
		all.Wait()
		if got := fmt.Sprint(r.all); got != "[[first] [second] [other] [0 1 2 3 4] [later]]" {
			t.Errorf("read %s", got)
		}
	})
}

// A read that begins has all questions that were asked by then and none that comes later, so
// no answer is older than its question.
func TestNoAnswerIsOlderThanItsQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c together.Calls[time.Time, time.Time]
		read := func(_ context.Context, list []time.Time) ([]time.Time, error) {
			began := time.Now()
			time.Sleep(7 * time.Millisecond)
			return slices.Repeat([]time.Time{began}, len(list)), nil
		}
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				asked := time.Now()
				if of, err := c.Do(t.Context(), "", asked, read); err != nil || of.Before(asked) {
					t.Errorf("asked %v, as of %v, %v", asked, of, err)
				}
			})
		}
		all.Wait()
	})
}

// One caller's question fails for that caller alone, a caller that leaves takes its own answer
// along, and more than fit into one read are read beside it.
func TestEachForItself(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c together.Calls[string, string]
		var r reads
		var all sync.WaitGroup
		ctx, leave := context.WithCancel(t.Context())
		for i, q := range append([]string{"first", "second", "bad", "leaves"}, slices.Repeat([]string{"good"}, 70)...) {
			all.Go(func() {
				asking := t.Context()
				if q == "leaves" {
					asking = ctx
				}
				got, err := c.Do(asking, "", q, r.read)
				switch {
				case q == "bad" && err != nil, q == "leaves" && errors.Is(err, context.Canceled):
				case err != nil || got != "re "+q:
					t.Errorf("%d, %s: %q, %v", i, q, got, err)
				}
			})
			synctest.Wait()
		}
		leave()
		all.Wait()
		if most := slices.MaxFunc(r.all, func(a, b []string) int { return len(a) - len(b) }); len(most) != 64 {
			t.Errorf("%d at once", len(most))
		}
	})
}

// A first caller that leaves, or whose read panics, holds up nobody that came after it.
func TestFirstThatLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c together.Calls[string, string]
		var r reads
		ctx, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := c.Do(ctx, "", "leaves", r.read); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
		synctest.Wait()
		all.Go(func() {
			if _, err := c.Do(ctx, "", "leaves too", r.read); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
		synctest.Wait()
		all.Go(func() {
			if got, err := c.Do(t.Context(), "", "stays", r.read); err != nil || got != "re stays" {
				t.Errorf("%q, %v", got, err)
			}
		})
		synctest.Wait()
		leave()
		all.Wait()
		func() {
			defer func() { _ = recover() }()
			_, _ = c.Do(t.Context(), "", "panics", func(context.Context, []string) ([]string, error) { panic("at once") })
		}()
		if got, err := c.Do(t.Context(), "", "after", r.read); err != nil || got != "re after" {
			t.Errorf("%q, %v", got, err)
		}
	})
}
