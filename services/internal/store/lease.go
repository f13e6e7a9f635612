package store

import "context"

// Leases grants named leases: a name has at most one holder at a time.
type Leases interface {
	// Lease blocks until this process is the lease holder of the name or ctx
	// ends. The lease is bound to one database session. When that session is
	// lost, Lost is closed and another process may become the holder. A lease
	// does not fence: writes that the old holder has in flight need a guard of
	// their own.
	Lease(ctx context.Context, name string) (Lease, error)
}

// Lease is one lease with its holder's side of the contract.
type Lease interface {
	// Lost is closed when the lease has ended, by Release too.
	Lost() <-chan struct{}
	// Release ends the lease. Release may be called twice.
	Release()
}
