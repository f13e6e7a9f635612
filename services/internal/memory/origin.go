package memory

import (
	"fmt"
	"strings"
)

// Origin says where a text came from. It is bound when the text arrives and is
// what authority rests on: how a text reads never raises it (SPEC §7).
//
// The values are ordered, so the authority of derived text is the minimum over
// the ancestors whose words it carries: see [Least].
type Origin int8

const (
	// OriginUnknown is a legacy import that no person vouched for.
	OriginUnknown Origin = iota
	// OriginExternal is the web, mail and the output of tools nobody listed as
	// trusted. It never becomes memory without a person.
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

// String is the name used in events, rows and configuration.
func (o Origin) String() string {
	if o < 0 || int(o) >= len(originNames) {
		return originNames[OriginUnknown]
	}
	return originNames[o]
}

// ParseOrigin reads a name written by [Origin.String]. The error names the
// values that are allowed.
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

// Least is the authority of text that carries the words of all of these:
// the lowest of them. With no ancestor it is unknown.
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

// Clamp is what a publisher may claim: never more than the highest origin its
// principal is registered with. clamped reports that the claim was higher.
func Clamp(claimed, highest Origin) (effective Origin, clamped bool) {
	if claimed > highest {
		return highest, true
	}
	return claimed, false
}
