// Package ident makes new ids: a typed prefix and a ULID (D26).
//
// It stands outside the domain because it needs a clock and randomness; the
// domain receives ids and never invents one.
package ident

import (
	"time"

	"github.com/oklog/ulid/v2"
)

// New returns prefix followed by a fresh ULID. Ids made in one process sort by
// the order of their making, also within a millisecond. Safe for concurrent use.
func New(prefix string) string { return prefix + ulid.Make().String() }

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
