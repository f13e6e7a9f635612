package worker

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Deps holds the ports that a worker is built from, never drivers. Package run
// fills it; a test fills it with the same parts.
type Deps struct {
	Store store.Store
	Bus

	Redactor *redact.Redactor
	Log      *zap.Logger
	Metrics  prometheus.Registerer
	// Conditions are shared by the workers of a process. Nil reports none.
	Conditions *Conditions

	Now   func() time.Time
	NewID func(prefix string) string

	Admission
	// Settings are read by [Settings.Of]. The zero value has every default.
	Settings Configured
	Ports

	// Reached is called at named points of an event's processing, so that a test can
	// stop the process exactly there. Nil outside tests.
	Reached func(Point)
}

// Bus is the worker's side of the message bus.
type Bus struct {
	Publisher   bus.Publisher
	DeadLetters bus.DeadLetters
	// Source binds to a durable.
	Source func(bus.Durable) (bus.Source, error)
}

// Admission configures how events without a known principal or scope are handled.
type Admission struct {
	// DefaultPrincipal is the publisher of an event without a principal token. Empty
	// refuses those events (strict mode).
	DefaultPrincipal string
	// RefuseUnknownScopes turns scopes.auto_create off.
	RefuseUnknownScopes bool
	// Tokens reads what callers over HTTP send in the place of an API key; nil where no
	// identity provider is configured.
	Tokens access.Tokens
}

// Point is a step in an event's processing at which a process may die.
type Point string

// The points that the crash suite stops at.
const (
	PointBeforeHandle  Point = "before-handle"
	PointBeforeCommit  Point = "before-commit"
	PointBeforeAck     Point = "before-ack"
	PointBeforePublish Point = "before-publish"
	PointBeforeMark    Point = "before-mark"
	PointDuringDrain   Point = "during-drain"
)

// At reports that a point was reached.
func (d Deps) At(p Point) {
	if d.Reached != nil {
		d.Reached(p)
	}
}
