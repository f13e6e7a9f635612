package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Delays grow by a factor of four up to ten minutes and are spread at random, so that
// events that failed together are not redelivered together.
func TestRetryDelay(t *testing.T) {
	t.Parallel()
	for attempt, want := range map[int]time.Duration{
		0: 5 * time.Second, 1: 5 * time.Second, 2: 20 * time.Second, 3: 80 * time.Second,
		4: 320 * time.Second, 5: 10 * time.Minute, 60: 10 * time.Minute,
	} {
		for range 50 {
			if got := retryDelay(attempt); got < want*8/10 || got > want*12/10 {
				t.Fatalf("attempt %d: %s, want %s ± 20 %%", attempt, got, want)
			}
		}
	}
}

var errBecause = errors.New("because")

// The class of an error decides whether another attempt can help, also when wrapped.
func TestPermanentClass(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]string{
		event.ErrMalformed:                                       "malformed",
		fmt.Errorf("a: %w", event.ErrTooLarge):                   "too_large",
		fmt.Errorf("commit: %w", store.ErrUnknownScope):          "scope",
		Permanent("custom", event.ErrMalformed):                  "custom",
		fmt.Errorf("commit: %w", store.ErrUnavailable):           "",
		fmt.Errorf("commit: %w", store.ErrConflict):              "",
		Snooze(time.Second, errors.New("not now")):               "",
		errors.New("never seen"):                                 "",
		fmt.Errorf("prepare: %w", Permanent("deep", errBecause)): "deep",
	} {
		if got := permanentClass(err); got != want {
			t.Errorf("%v: class %q, want %q", err, got, want)
		}
	}
}

// Batches commit in the order in which they were pulled, in any order of becoming
// ready, and a stopping process does not wait.
func TestCommitQueue(t *testing.T) {
	t.Parallel()
	q := newCommitQueue()
	tickets := []ticket{q.next(), q.next(), q.next()}
	passed := make(chan int, len(tickets))
	for i := range slices.Backward(tickets) {
		go func() {
			if err := tickets[i].wait(context.Background()); err == nil {
				passed <- i
			}
			tickets[i].end()
		}()
	}
	for want := range tickets {
		if got := <-passed; got != want {
			t.Fatalf("ticket %d passed, want %d", got, want)
		}
	}
	blocked := q.next()
	waiting := q.next()
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if err := waiting.wait(stopped); !errors.Is(err, context.Canceled) {
		t.Errorf("wait: %v", err)
	}
	blocked.end()
	waiting.end()
}
