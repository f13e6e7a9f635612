package store

import (
	"context"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Surroundings finds what was learned beside a memory.
type Surroundings interface {
	// Beside lists, for each of these memories that came out of a session, the
	// active memories that the same principal took from it for the same scope
	// next before and next after, at most reach on each side. A memory that
	// nothing stands beside is not in the result. It is one query however many
	// memories are asked for.
	Beside(ctx context.Context, tenant memory.Tenant, reach int, memories ...string) ([]Beside, error)
}

// Beside is a memory that stands beside another.
type Beside struct {
	Of       string // the memory that was asked for
	Distance int    // in memories of the session, from 1
	memory.Memory
}
