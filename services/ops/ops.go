package ops

import (
	"time"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/redact"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Store is what operations need of the canonical store.
type Store interface {
	store.Committer
	store.Reader
	store.AuditLog
	store.Outbox
}

// Ops carries out operations of one tenant in the name of a person. Package run
// fills it. Safe for concurrent use.
type Ops struct {
	Store       Store
	DeadLetters bus.DeadLetters
	Redactor    *redact.Redactor
	Tenant      memory.Tenant
	Person      string // principal in whose name is decided
	Now         func() time.Time
	NewID       func(prefix string) string
}

// redacted is a person's text as it may be stored.
func (o *Ops) redacted(text string) string {
	clean, _ := o.Redactor.Text(string(o.Tenant), text)
	return clean
}

// stamp is what every decision of a person carries.
type stamp struct {
	tenant memory.Tenant
	person string
	now    time.Time
	newID  func(prefix string) string
}

func (o *Ops) stamp() stamp {
	return stamp{tenant: o.Tenant, person: o.Person, now: o.Now().UTC().Truncate(time.Microsecond), newID: o.NewID}
}

// decision is a person's, before it says anything.
func (s stamp) decision(scope memory.Scope) memory.Decision {
	return memory.Decision{
		ID: s.newID(memory.PrefixDecision), Tenant: s.tenant, Scope: scope,
		Principal: s.person, Actor: memory.ActorPerson, Authority: memory.OriginHuman,
		Features: []byte(`{}`), At: s.now,
	}
}
