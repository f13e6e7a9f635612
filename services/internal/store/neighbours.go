package store

import (
	"context"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// NeighbourReader reads the neighbours of a memory in its session.
type NeighbourReader interface {
	// Neighbours lists the active memories that were learned directly before and
	// directly after each given memory, at most reach on each side. A neighbour
	// has the same session, principal and scope. A memory without a session or
	// without neighbours is not in the result. Any number of memories costs one
	// query.
	Neighbours(ctx context.Context, tenant memory.Tenant, reach int, memories ...string) ([]Neighbour, error)
}

// Neighbour is a neighbour of a memory in its session.
type Neighbour struct {
	Of       string // id of the memory that the query named
	Distance int    // in memories of the session, from 1
	memory.Memory
}
