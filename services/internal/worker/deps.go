package worker

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/recall/indexing"
	"github.com/winnowhq/winnow/services/internal/review/page"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/trust"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/vault"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// Deps is what a worker is built from: ports, never drivers. Package run fills
// it; a test fills it with the same parts.
type Deps struct {
	Store       store.Store
	Publisher   bus.Publisher
	DeadLetters bus.DeadLetters
	// Source binds to a durable.
	Source func(bus.Durable) (bus.Source, error)

	Redactor *redact.Redactor
	Log      *zap.Logger
	Metrics  prometheus.Registerer

	Now   func() time.Time
	NewID func(prefix string) string

	// DefaultPrincipal publishes what arrives without a principal token; empty
	// refuses such events (strict mode).
	DefaultPrincipal string
	// RefuseUnknownScopes turns scopes.auto_create off.
	RefuseUnknownScopes bool
	// PolicyForScopes overrides which policy a kind of scope runs with.
	PolicyForScopes map[memory.ScopeKind]string
	// Lanes bounds what triage remembers of scopes; the zero value is the default.
	Lanes     LaneConfig
	Retention store.Retention
	Digest    page.Config

	// Vault opens a tenant's vault; nil where none is configured. VaultLines
	// is the budget of its MEMORY.md, Sections the order of the headings (nil:
	// the default one).
	Vault      func(memory.Tenant) (vault.Vault, error)
	VaultLines int
	Sections   []string

	// Index finds memories by words and meaning; Truth is what it is filled
	// from. Nil in tests of workers that need neither.
	Index vector.Backend
	Truth *indexing.Truth
	// Meaning is the static table, which triage compares with beside words:
	// never a model behind a network. Nil compares by words alone.
	Meaning embed.Embedder

	// Traces opens traces that came by reference. Nil where none can.
	Traces bus.Traces
	// Model is asked by distill; nil where none is configured, and rules do its
	// work. Distill bounds what it may cost.
	Model   llm.Model
	Distill DistillConfig
	// Trust lists which tools and commands bring words from outside.
	Trust trust.Config
	// TraceLimits bound what one session may cost.
	TraceLimits trace.Limits
	// Recall finds memories for agents. Nil in tests of workers that need none.
	Recall *recall.Recall

	// Reached is called at named points of an event's way, so that a test can
	// stop the process exactly there. Nil outside tests.
	Reached func(Point)
}

// Point is a place in an event's way where a process may die.
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
