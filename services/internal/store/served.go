package store

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// ServedLog records which memories were served in which sessions. Echo detection
// reads the log, and so does the search for readers of a memory that turned out
// wrong.
type ServedLog interface {
	// RecordServed records that memories were served in a session. A memory that
	// was served in the session before keeps its first time.
	RecordServed(ctx context.Context, tenant memory.Tenant, list []Served) error
	// ServedIn lists the memories served in these sessions, by session and
	// memory.
	ServedIn(ctx context.Context, tenant memory.Tenant, sessions ...string) ([]Served, error)
	// ServedOf lists the sessions that these memories were served in, by memory
	// and session.
	ServedOf(ctx context.Context, tenant memory.Tenant, memories ...string) ([]Served, error)
	// Uses counts, for each memory, the sessions other than the given one that
	// the memory was served in. A memory with a count of zero is not in the
	// result.
	Uses(ctx context.Context, tenant memory.Tenant, session string, memories ...string) (map[string]int, error)
	// LastServed returns when a principal was last served a memory in a session
	// other than the given one, or zero.
	LastServed(ctx context.Context, tenant memory.Tenant, principal, session string) (time.Time, error)
}

// Served is one memory served in one session.
type Served struct {
	SessionID string
	MemoryID  string
	Principal string // the reader
	At        time.Time
}
