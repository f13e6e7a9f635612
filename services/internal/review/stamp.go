package review

import (
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Stamp is what everything that a person decides carries.
type Stamp struct {
	Tenant memory.Tenant
	Person string    // principal
	Now    time.Time // UTC, in microseconds as the store keeps it
	NewID  func(prefix string) string
}

// Decision is a person's, before it says anything.
func (s Stamp) Decision(scope memory.Scope) memory.Decision {
	return memory.Decision{
		ID: s.NewID(memory.PrefixDecision), Tenant: s.Tenant, Scope: scope,
		Principal: s.Person, Actor: memory.ActorPerson, Authority: memory.OriginHuman,
		Features: []byte(`{}`), At: s.Now,
	}
}
