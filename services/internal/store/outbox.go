package store

import (
	"context"
	"time"
)

// Outbox is the relay's role. The role sees the rows of all tenants and may
// update only their publication state.
type Outbox interface {
	// Lead blocks until this process is the active relay of the shard or ctx
	// ends. The lease is bound to one database session. When that session is
	// lost, Lost is closed and another process may lead.
	Lead(ctx context.Context) (Lease, error)
	// Unpublished returns unpublished rows, the least id first, at most limit.
	Unpublished(ctx context.Context, limit int) ([]OutboxRow, error)
	// MarkPublished stores the stream sequence of each published row.
	MarkPublished(ctx context.Context, published map[int64]uint64) error
	// MarkRefused marks rows that the bus refuses. A refused row is no longer
	// unpublished, and retention deletes it like a published row.
	MarkRefused(ctx context.Context, ids ...int64) error
	// RetryRefused makes a refused row unpublished again. found is false when no
	// refused row has the id.
	RetryRefused(ctx context.Context, id int64) (found bool, err error)
	// Republish makes rows created since then unpublished again and returns
	// their number. The relay publishes them again under the same message ids.
	Republish(ctx context.Context, since time.Time) (int64, error)
	// OutboxStatus returns the number of unpublished rows and the age of the
	// oldest.
	OutboxStatus(ctx context.Context) (OutboxStatus, error)
}

// OutboxRow is one unpublished event.
type OutboxRow struct {
	ID      int64
	EventID string // becomes the message id
	Tenant  string
	Subject string
	Header  map[string][]string
	Data    []byte
	At      time.Time
}

// OutboxStatus is the relay's lag.
type OutboxStatus struct {
	Waiting int64
	Oldest  time.Duration
}

// Janitor maintains the store: it applies retention (SPEC §3) and refreshes the
// planner's statistics.
type Janitor interface {
	// Sweep deletes rows older than r allows and returns the number of deleted
	// rows by table. Sweep never deletes memories, nor proposals and decisions that a
	// memory was made of, nor anything younger than the store's owner provided for. What
	// it deletes of proposals, decisions and evidence is in the audit.
	Sweep(ctx context.Context, r Retention) (map[string]int64, error)
	// Analyze refreshes the statistics of the tables. Plans made for empty
	// tables are then made again.
	Analyze(ctx context.Context) error
}

// Retention is how long rows are stored; zero stores them for ever.
type Retention struct {
	Inbox             time.Duration // at least 15 days
	Outbox            time.Duration // published rows, 72 h
	RejectedProposals time.Duration // 180 days
	// Traces applies to traces of sessions and to the answers of models. The row
	// of the session itself stays.
	Traces time.Duration // 30 days
	// Research applies to what callers searched and read, at least 24 hours.
	Research time.Duration // 48 h
}

// DefaultRetention returns the periods of SPEC §3.
func DefaultRetention() Retention {
	const day = 24 * time.Hour
	return Retention{Inbox: 15 * day, Outbox: 3 * day, RejectedProposals: 180 * day, Traces: 30 * day, Research: 2 * day}
}
