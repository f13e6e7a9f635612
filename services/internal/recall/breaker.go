package recall

import (
	"sync/atomic"
	"time"
)

// cooldown is how long a dependency that failed is not called. One search then tries it
// again, while the others still go on without it.
const cooldown = 2 * time.Second

// breaker is the circuit breaker of one dependency, so that not every search waits for
// it while it is down. The zero value is closed: calls are allowed.
type breaker struct{ until atomic.Int64 }

// skip reports whether to go on without the dependency. After the cooldown it lets one
// caller try.
func (b *breaker) skip() bool {
	until, now := b.until.Load(), time.Now().UnixNano()
	return until != 0 && (now < until || !b.until.CompareAndSwap(until, now+int64(cooldown)))
}

// record notes whether an attempt failed: a failure opens the breaker, a success closes
// it.
func (b *breaker) record(failed bool) {
	if !failed {
		b.until.Store(0)
		return
	}
	b.until.Store(time.Now().Add(cooldown).UnixNano())
}
