package worker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Classes of dead letters: a closed set, for metrics and filters. Handlers add
// classes with [Permanent].
const (
	classMalformed   = "malformed"
	classVersion     = "version"
	classSubject     = "subject"
	classContentType = "content_type"
	classTooLarge    = "too_large"
	classPrincipal   = "principal"
	classScope       = "scope"
	classInvalid     = "invalid"
	classPanic       = "panic"
	classExhausted   = "exhausted"
)

// maxConflicts is how often a group is decided again at once after a concurrent
// commit changed the rows that it read.
const maxConflicts = 5

const (
	firstRetry = 5 * time.Second
	lastRetry  = 10 * time.Minute
	// defaultMaxDeliver applies when a durable sets no limit.
	defaultMaxDeliver = 6
	// returnSpread is the longest delay of events that a stopping process returns.
	// Random delays up to it keep its peers from getting all at one moment.
	returnSpread = 5 * time.Second
)

// retryDelay returns the delay before the delivery after attempt: 5 s, 20 s, 80 s …
// 10 min, ± 20 %.
func retryDelay(attempt int) time.Duration {
	d := firstRetry
	for range max(attempt, 1) - 1 {
		if d *= 4; d >= lastRetry {
			d = lastRetry
			break
		}
	}
	return jitter(d)
}

// jitter returns d changed at random by up to ± 20 %.
func jitter(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64()))
}

// permanentClass returns the class of an error that no further attempt can help, or
// "" for any other error.
func permanentClass(err error) string {
	if p := asPermanent(err); p != nil {
		return p.Class
	}
	for _, c := range []struct {
		is    error
		class string
	}{
		{event.ErrTooLarge, classTooLarge},
		{event.ErrVersion, classVersion},
		{event.ErrSubject, classSubject},
		{event.ErrContentType, classContentType},
		{event.ErrMalformed, classMalformed},
		{store.ErrUnknownScope, classScope},
		{store.ErrInvalid, classInvalid},
	} {
		if errors.Is(err, c.is) {
			return c.class
		}
	}
	return ""
}

// transient reports whether the cause lies outside the events: the store or the bus
// is unavailable, or the handler snoozed. Splitting the batch would find no culprit.
func transient(err error) bool {
	var snooze *SnoozeError
	return errors.As(err, &snooze) || unavailable(err)
}

// unavailable reports whether the store or the bus cannot be used now.
func unavailable(err error) bool {
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrMigration) || errors.Is(err, bus.ErrUnavailable)
}

// Guarded calls f and turns a panic into a permanent error. A bug that one event
// triggers must not stop the others, and halving the batch then finds that event. The
// pipeline guards its calls of a handler; a handler guards the goroutines that it
// starts.
func Guarded[T any](f func() (T, error)) (out T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = Permanent(classPanic, fmt.Errorf("handler panicked: %v", r))
		}
	}()
	return f()
}

// retryPolicy limits how long a batch in progress waits for an unavailable store. With
// it a restart of Postgres costs no delivery. It is for one goroutine.
type retryPolicy struct {
	ready    func(context.Context) error
	draining <-chan struct{}
	until    time.Time
	next     time.Duration
}

const (
	// maxOutage bounds the wait: a process that alone lost the store must not hold
	// events that another process could handle.
	maxOutage    = time.Minute
	firstWait    = 50 * time.Millisecond
	longestWait  = 2 * time.Second
	readyTimeout = 5 * time.Second
)

func newRetryPolicy(s store.Store, draining <-chan struct{}) *retryPolicy {
	return &retryPolicy{ready: s.Ready, draining: draining}
}

// wait reports whether err means that the store was unavailable and the store is
// ready again. It returns false at once for another error or while draining.
func (p *retryPolicy) wait(ctx context.Context, err error) bool {
	if !errors.Is(err, store.ErrUnavailable) {
		return false
	}
	if p.until.IsZero() {
		p.until, p.next = time.Now().Add(maxOutage), firstWait
	}
	for time.Now().Before(p.until) {
		pause := time.NewTimer(jitter(p.next))
		select {
		case <-pause.C:
		case <-p.draining:
			pause.Stop()
			return false
		case <-ctx.Done():
			pause.Stop()
			return false
		}
		p.next = min(2*p.next, longestWait)
		if storeReady(ctx, p.ready) == nil {
			return true
		}
	}
	return false
}

func storeReady(ctx context.Context, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	return ready(ctx)
}
