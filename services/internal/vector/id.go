package vector

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Point is the ULID of an id as 16 bytes: the key of a document in an index. Points
// compare like their ULIDs.
type Point [16]byte

// crockford is the alphabet of ULIDs.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// PointOf parses the ULID of a memory's or a proposal's id. The error is ErrInvalid for
// any form but the canonical upper case, because two spellings of one id would be two
// keys of one document.
func PointOf(id string) (Point, error) {
	prefix, err := memory.ParseID(id, memory.PrefixMemory, memory.PrefixProposal)
	if err != nil {
		return Point{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	var p Point
	// 26 digits of 5 bits are 130 bits: the first digit holds only three.
	for i, digit := range []byte(id[len(prefix):]) {
		value := strings.IndexByte(crockford, digit)
		if value < 0 || i == 0 && value > 7 {
			return Point{}, fmt.Errorf("%w: id %q: %q is no digit of a ULID", ErrInvalid, id, digit)
		}
		p = p.append(byte(value))
	}
	return p, nil
}

// append shifts in five bits.
func (p Point) append(bits byte) Point {
	for i := len(p) - 1; i >= 0; i-- {
		p[i], bits = p[i]<<5|bits, p[i]>>3
	}
	return p
}

// Next returns the point after this one, ok unless this is the greatest.
func (p Point) Next() (Point, bool) {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i]++; p[i] != 0 {
			return p, true
		}
	}
	return p, false
}

// UUID returns the point in the form of a UUID.
func (p Point) UUID() string {
	s := hex.EncodeToString(p[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}
