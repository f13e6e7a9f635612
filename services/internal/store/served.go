package store

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// ServedLog keeps what was shown to whom: the base of echo detection, and of
// finding who was told something that turned out wrong.
type ServedLog interface {
	// RecordServed notes that memories were shown in a session. One that was
	// shown there before keeps its first time.
	RecordServed(ctx context.Context, tenant memory.Tenant, list []Served) error
	// ServedIn lists what was shown in these sessions, by session and memory.
	ServedIn(ctx context.Context, tenant memory.Tenant, sessions ...string) ([]Served, error)
	// ServedOf lists where these memories were shown, by memory and session: who
	// was told something that turned out wrong.
	ServedOf(ctx context.Context, tenant memory.Tenant, memories ...string) ([]Served, error)
	// Uses counts the sessions, other than the given one, that each of these
	// memories was shown in. One that was never shown there is not in the result.
	Uses(ctx context.Context, tenant memory.Tenant, session string, memories ...string) (map[string]int, error)
	// LastServed is when a principal was last shown anything in another session
	// than the given one; zero when it never was.
	LastServed(ctx context.Context, tenant memory.Tenant, principal, session string) (time.Time, error)
}

// Served is one memory, shown in one session.
type Served struct {
	SessionID string
	MemoryID  string
	Principal string // who asked
	At        time.Time
}
