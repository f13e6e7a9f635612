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
// their own with Permanent.
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

// maxConflicts is how often a group is decided anew at once after somebody else
// changed what it was decided on.
const maxConflicts = 5

const (
	firstRetry = 5 * time.Second
	lastRetry  = 10 * time.Minute
	// defaultMaxDeliver stands in when a durable sets no limit.
	defaultMaxDeliver = 6
	// handBack spreads what a stopping process returns, so that its peers do
	// not get it all in one moment.
	handBack = 5 * time.Second
)

// retryDelay is the pause before the delivery after attempt: 5 s, 20 s, 80 s …
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

// jitter spreads d by ± 20 %.
func jitter(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64()))
}

// permanentClass says why no further try can help, or "" when one might.
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

// transient reports that the error says nothing about the events: a part is
// away, or the handler asked for time. Halving would find nothing.
func transient(err error) bool {
	var snooze *SnoozeError
	return errors.As(err, &snooze) || away(err)
}

// away reports that the store or the bus cannot be reached.
func away(err error) bool {
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrMigration) || errors.Is(err, bus.ErrUnavailable)
}

// Guarded turns a panic into an error. A bug that one event sets off must not
// take the others down, and halving then finds that event. The pipeline guards
// what it calls; a handler that starts goroutines guards what runs in them.
func Guarded[T any](f func() (T, error)) (out T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = Permanent(classPanic, fmt.Errorf("handler panicked: %v", r))
		}
	}()
	return f()
}

// patience waits for the store with a batch in hand. A restart of Postgres thus
// costs no delivery. It is for one goroutine.
type patience struct {
	ready    func(context.Context) error
	draining <-chan struct{}
	until    time.Time
	next     time.Duration
}

const (
	// maxPatience bounds the wait: a process that alone lost the store must not
	// keep events that another one could handle.
	maxPatience  = time.Minute
	firstWait    = 50 * time.Millisecond
	longestWait  = 2 * time.Second
	readyTimeout = 5 * time.Second
)

func newPatience(s store.Store, draining <-chan struct{}) *patience {
	return &patience{ready: s.Ready, draining: draining}
}

// wait reports that the store was away, as err says, and that it is back.
func (p *patience) wait(ctx context.Context, err error) bool {
	if !errors.Is(err, store.ErrUnavailable) {
		return false
	}
	if p.until.IsZero() {
		p.until, p.next = time.Now().Add(maxPatience), firstWait
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
