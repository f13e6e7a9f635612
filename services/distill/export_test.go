package distill

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/worker"
)

// Hurried is the distiller with short pauses, which gives up on a model after so
// many attempts, so that a test does not take an hour.
func Hurried(last int) worker.Definition {
	d := Definition
	p := retryPolicy{first: time.Millisecond, most: 5 * time.Millisecond, asked: 10 * time.Millisecond, limit: time.Hour, least: last, last: last}
	d.Work = func(deps worker.Deps) (worker.Work, error) { return newWork(deps, p), nil }
	return d
}

// Pause and Over are those of the default retry policy.
func Pause(attempt int, asked time.Duration) time.Duration {
	return defaultRetryPolicy().pause(attempt, asked)
}

// Over is when rules must do.
func Over(attempt int, waited time.Duration) bool { return defaultRetryPolicy().over(attempt, waited) }

// MaxDeliver is how often the bus delivers a session.
const MaxDeliver = maxDeliver

// Nonce is the word of a session's fence.
var Nonce = nonce

// MemoryLimiter is the bound on the memory of sessions.
type MemoryLimiter struct{ l *memoryLimiter }

// NewMemoryLimiter returns a limiter of so many bytes.
func NewMemoryLimiter(all int64) MemoryLimiter { return MemoryLimiter{newMemoryLimiter(all)} }

// Acquire waits until bytes are free.
func (m MemoryLimiter) Acquire(ctx context.Context, bytes int64) (func(), error) {
	return m.l.acquire(ctx, bytes)
}
