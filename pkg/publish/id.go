package publish

import (
	"crypto/rand"
	"encoding/binary"
	"time"
)

// crockford is the alphabet of ULIDs: no I, L, O, U.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// NewID returns a new event id: "evt_" and a ULID, which is 48 bits of
// milliseconds since 1970 and 80 random bits in 26 characters, so that ids sort
// by their time of creation. Create one in advance to record it before sending.
func NewID() string { return newID(time.Now()) }

func newID(now time.Time) string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(now.UnixMilli())<<16)
	// Never fails: crypto/rand ends the program instead.
	_, _ = rand.Read(b[6:])
	hi, lo := binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])

	var out [26]byte
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = crockford[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return "evt_" + string(out[:])
}
