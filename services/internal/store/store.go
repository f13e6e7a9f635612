package store

import "context"

// Store is every role in one, as a driver provides it. Workers ask for the
// roles they need, not for this.
type Store interface {
	Lanes
	LaneReader
	Committer
	Directory
	Reader
	AuditLog
	Leases
	Vectors
	ServedLog
	Surroundings
	Sessions
	Calls
	Outbox
	Janitor

	// Ready returns nil when the store is reachable and its schema is at the
	// version this binary needs; ErrMigration names the command otherwise.
	Ready(ctx context.Context) error
	// Close releases connections. It may be called twice.
	Close()
}
