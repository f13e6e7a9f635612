// Package ident makes new ids: a typed prefix and a ULID (D26).
//
// It stands outside the domain because it needs a clock and randomness; the
// domain receives ids and never invents one.
package ident

import (
	"crypto/rand"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// maker is the process's sequence of ids. Order among ids is one thing that
// goroutines cannot have each for themselves.
var maker = &sequence{entropy: ulid.Monotonic(rand.Reader, 0)}

// sequence makes ULIDs of which each is greater than the one before.
type sequence struct {
	mu      sync.Mutex
	entropy *ulid.MonotonicEntropy
	last    uint64 // the latest id's time in milliseconds
}

// next never goes back in time: the clock may, and a goroutine that read it
// before another may come after it.
func (s *sequence) next() ulid.ULID {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = max(s.last, ulid.Now())
	for {
		id, err := ulid.New(s.last, s.entropy)
		if err == nil {
			return id
		}
		s.last++ // the millisecond has no more numbers
	}
}

// New returns prefix followed by a fresh ULID. Ids made in one process sort by
// the order of their making, also within a millisecond. Safe for concurrent use.
func New(prefix string) string { return prefix + maker.next().String() }

// Time is when the id was made, to the millisecond; ok is false when id does
// not end in a ULID.
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
