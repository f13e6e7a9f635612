package review

import (
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Stamp holds the fields that all decisions of one action share.
type Stamp struct {
	Tenant memory.Tenant
	Person string    // principal
	Now    time.Time // UTC, truncated to microseconds like stored times
	NewID  func(prefix string) string
}

// Decision returns a person's decision without a verdict yet.
func (s Stamp) Decision(scope memory.Scope) memory.Decision {
	return memory.Decision{
		ID: s.NewID(memory.PrefixDecision), Tenant: s.Tenant, Scope: scope,
		Principal: s.Person, Actor: memory.ActorPerson, Authority: memory.OriginHuman,
		Features: []byte(`{}`), At: s.Now,
	}
}
