package memory

import (
	"fmt"
	"strings"
)

// Origin is the source of a text. The origin is fixed when the text arrives and
// determines its authority. The wording of a text never raises the authority
// (SPEC §7).
//
// The values are ordered. The authority of derived text is the minimum over the
// ancestors whose words it contains, see [Least].
type Origin int8

const (
	// OriginUnknown is a legacy import without confirmation by a person.
	OriginUnknown Origin = iota
	// OriginExternal is the web, mail and the output of tools that are not listed
	// as trusted. External text never becomes memory without a person.
	OriginExternal
	// OriginAgent is a model's statement or inference.
	OriginAgent
	// OriginFirstParty is a user turn of a registered publisher, or a fact
	// asserted by a registered service.
	OriginFirstParty
	// OriginHuman is a reviewer, or a person at `winnow remember`.
	OriginHuman
)

var originNames = [...]string{"unknown", "external", "agent", "first_party", "human"}

// Origins lists every origin, lowest authority first.
func Origins() []Origin {
	return []Origin{OriginUnknown, OriginExternal, OriginAgent, OriginFirstParty, OriginHuman}
}

// String returns the name used in events, rows and configuration.
func (o Origin) String() string {
	if o < 0 || int(o) >= len(originNames) {
		return originNames[OriginUnknown]
	}
	return originNames[o]
}

// ParseOrigin returns the origin with a name from [Origin.String]. The error names
// the allowed values.
func ParseOrigin(s string) (Origin, error) {
	for i, name := range originNames {
		if s == name {
			return Origin(i), nil
		}
	}
	return OriginUnknown, fmt.Errorf("origin %q: want one of %s", s, strings.Join(originNames[:], ", "))
}

// MarshalText implements [encoding.TextMarshaler].
func (o Origin) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (o *Origin) UnmarshalText(b []byte) error {
	v, err := ParseOrigin(string(b))
	*o = v
	return err
}

// Least returns the authority of a text that contains the words of all given
// origins: the lowest origin. Without an origin it returns unknown.
func Least(origins ...Origin) Origin {
	if len(origins) == 0 {
		return OriginUnknown
	}
	least := origins[0]
	for _, o := range origins[1:] {
		least = min(least, o)
	}
	return least
}

// Clamp returns the claimed origin, but at most the highest origin that the
// publisher's principal is registered with. clamped reports that the claim was
// higher.
func Clamp(claimed, highest Origin) (effective Origin, clamped bool) {
	if claimed > highest {
		return highest, true
	}
	return claimed, false
}
