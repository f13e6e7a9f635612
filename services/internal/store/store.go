package store

import "context"

// Store combines every role, as a driver provides them. A worker depends on the
// roles that it needs, not on Store.
type Store interface {
	Lanes
	LaneReader
	Committer
	Directory
	Reader
	AuditLog
	HeadKeeper
	Leases
	Vectors
	ServedLog
	ResearchLog
	NeighbourReader
	Sessions
	Lessons
	Calls
	Runs
	Workflows
	Signals
	Requests
	Outbox
	Janitor
	Forgetter

	// Ready returns nil when the store is reachable and its schema is at the
	// version that this binary needs. Otherwise ErrMigration names the command.
	Ready(ctx context.Context) error
	// Close releases the connections. Close may be called twice.
	Close()
}
