// Package ident creates ids: a typed prefix and a ULID (D26).
//
// The package is not part of the domain because ids need a clock and randomness.
// The domain receives ids and never creates one.
package ident

import (
	"crypto/rand"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// maker is the process's only sequence of ids: all goroutines share one order.
var maker = &sequence{entropy: ulid.Monotonic(rand.Reader, 0)}

// sequence creates strictly increasing ULIDs.
type sequence struct {
	mu      sync.Mutex
	entropy *ulid.MonotonicEntropy
	last    uint64 // the latest id's time in milliseconds
}

// next never goes back in time, although the clock may, and although a goroutine
// may read the clock before another one that calls next first.
func (s *sequence) next() ulid.ULID {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = max(s.last, ulid.Now())
	for {
		id, err := ulid.New(s.last, s.entropy)
		if err == nil {
			return id
		}
		s.last++ // the numbers of the millisecond are used up
	}
}

// New returns prefix followed by a new ULID. Ids created in one process sort in
// the order of creation, also within a millisecond. New is safe for concurrent
// use.
func New(prefix string) string { return prefix + maker.next().String() }

// Time returns when the id was created, to the millisecond. ok is false when id
// does not end in a ULID.
func Time(id string) (at time.Time, ok bool) {
	if len(id) < ulid.EncodedSize {
		return time.Time{}, false
	}
	u, err := ulid.ParseStrict(id[len(id)-ulid.EncodedSize:])
	if err != nil {
		return time.Time{}, false
	}
	return ulid.Time(u.Time()), true
}
