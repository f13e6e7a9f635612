package distill

import (
	"context"

	"golang.org/x/sync/semaphore"
)

const (
	// mostBytes bounds the total text of the sessions being distilled at once. A
	// session is held whole, several times over during extraction.
	mostBytes = 64 << 20
	// leastBytes is what even an empty session takes.
	leastBytes = 64 << 10
)

// memoryLimiter bounds the memory of a process that distils several sessions at
// once: long sessions wait for each other, short ones pass. It is safe for
// concurrent use.
type memoryLimiter struct {
	all  int64
	left *semaphore.Weighted
}

func newMemoryLimiter(all int64) *memoryLimiter {
	return &memoryLimiter{all: all, left: semaphore.NewWeighted(all)}
}

// acquire waits until so many bytes are free and returns the function that
// releases them. A session larger than the whole bound waits to run alone. The
// error is that of ctx.
func (l *memoryLimiter) acquire(ctx context.Context, bytes int64) (release func(), err error) {
	bytes = min(max(bytes, leastBytes), l.all)
	if err := l.left.Acquire(ctx, bytes); err != nil {
		return nil, err
	}
	return func() { l.left.Release(bytes) }, nil
}
