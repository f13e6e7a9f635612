package store

import (
	"context"
	"time"
)

// Outbox is the relay's role. It sees the rows of all tenants and may update
// nothing but their publication.
type Outbox interface {
	// Lead blocks until this process is the active relay of the shard or ctx
	// ends. The lease is bound to one database session: when that session is
	// lost, Lost is closed and somebody else may lead.
	Lead(ctx context.Context) (Lease, error)
	// Unpublished returns rows that wait to be published, oldest id first, at
	// most limit.
	Unpublished(ctx context.Context, limit int) ([]OutboxRow, error)
	// MarkPublished notes the stream sequence of each published row.
	MarkPublished(ctx context.Context, published map[int64]uint64) error
	// MarkRefused notes that the bus will not take these rows. They wait no more,
	// and go with retention as published ones do.
	MarkRefused(ctx context.Context, ids ...int64) error
	// RetryRefused makes a row that was refused wait again; found is false when
	// there is no such row (any more).
	RetryRefused(ctx context.Context, id int64) (found bool, err error)
	// Republish makes rows created since then wait again, so that they are
	// published once more under the same message ids; it returns how many.
	Republish(ctx context.Context, since time.Time) (int64, error)
	// OutboxStatus says how many rows wait and how old the oldest is.
	OutboxStatus(ctx context.Context) (OutboxStatus, error)
}

// OutboxRow is one event that waits for publication.
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

// Janitor keeps the store in shape: what has aged goes (SPEC §3), and plans
// follow the size of the tables.
type Janitor interface {
	// Sweep deletes what is older than the policy allows and returns the
	// number of rows by table. It never touches memories.
	Sweep(ctx context.Context, r Retention) (map[string]int64, error)
	// Analyze makes the store look at how its tables have grown, so that plans
	// that were made while they were empty are made anew.
	Analyze(ctx context.Context) error
}

// Retention is how long rows are kept; zero keeps them for ever.
type Retention struct {
	Inbox             time.Duration // at least 15 days
	Outbox            time.Duration // published rows, 72 h
	RejectedProposals time.Duration // 180 days
	// Traces is also how long the answers of models are kept. That there was a
	// session stays.
	Traces time.Duration // 30 days
}

// DefaultRetention is what SPEC §3 asks for.
func DefaultRetention() Retention {
	const day = 24 * time.Hour
	return Retention{Inbox: 15 * day, Outbox: 3 * day, RejectedProposals: 180 * day, Traces: 30 * day}
}
