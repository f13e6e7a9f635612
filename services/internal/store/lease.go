package store

import "context"

// Leases make sure that one process at a time does a thing.
type Leases interface {
	// Lease blocks until this process alone holds the name or ctx ends. The
	// lease is bound to one database session: when that session is lost, Lost
	// is closed and somebody else may hold the name. It does not fence: what
	// the holder still has in hand then needs a guard of its own.
	Lease(ctx context.Context, name string) (Lease, error)
}

// Lease is held by one process.
type Lease interface {
	Lost() <-chan struct{}
	// Release gives the name back. It may be called twice.
	Release()
}
