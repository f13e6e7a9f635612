// Package recent answers again what was read from the database a moment ago.
//
// A request asks who its caller is and what its project belongs to. Under load the same
// questions come hundreds of times a second, and their answers change a few times a week.
package recent

import (
	"sync"
	"time"
)

// most bounds the answers of a cache. A full cache starts again, which costs a few reads.
const most = 4096

// Cache keeps answers for a short time. Answers are shared and must not be changed. A nil
// Cache keeps none. Safe for concurrent use.
type Cache[K comparable, V any] struct {
	within time.Duration

	mu    sync.Mutex
	epoch int // counts Forget
	kept  map[K]kept[V]
}

type kept[V any] struct {
	value V
	began time.Time
}

// New returns a cache whose answers are at most within old, counted from the begin of the
// read. It is nil, which keeps nothing, for 0.
func New[K comparable, V any](within time.Duration) *Cache[K, V] {
	if within <= 0 {
		return nil
	}
	return &Cache[K, V]{within: within, kept: map[K]kept[V]{}}
}

// Get returns the answer of a key, from read unless it was read a moment ago. An error is
// that of read and is not kept, so that what did not exist is found once it does.
func (c *Cache[K, V]) Get(key K, read func() (V, error)) (V, error) {
	if c == nil {
		return read()
	}
	began := time.Now()
	c.mu.Lock()
	known, ok := c.kept[key]
	epoch := c.epoch
	c.mu.Unlock()
	if ok && began.Sub(known.began) < c.within {
		return known.value, nil
	}
	value, err := read()
	if err != nil {
		return value, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != epoch { // it may have been read before the change
		return value, nil
	}
	if len(c.kept) >= most {
		clear(c.kept)
	}
	c.kept[key] = kept[V]{value, began}
	return value, nil
}

// Forget drops every answer, also of reads that run: the process changed what they may
// have read.
func (c *Cache[K, V]) Forget() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	clear(c.kept)
}
