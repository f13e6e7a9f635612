package vector

import (
	"context"
	"sync/atomic"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Original is the row behind an active document, so that a search ranks and shows
// memories without a query to Postgres. A search ranks a hundred rows; reading them is
// most of what a search of a large tenant costs and nearly all of its tail latency. It
// is shared and must not be changed.
//
// It contains the text, so it stays in processes that may read Postgres: a driver that
// stores documents elsewhere drops it, and its hits have none.
type Original struct {
	memory.Memory
	// Passage is the text as it was embedded: title, description and body.
	Passage string
	// Session names the session of the memory and its publisher, empty for none.
	// Proposals order the memories of one session.
	Session string
	// Memo is where a search keeps what it worked out about Passage, for the next one. Only
	// that search knows what it is.
	Memo atomic.Value
	// Row is where a driver holds the document, as far as it remembers: it looks whether it
	// is there.
	Row atomic.Int32
}

// Redirect is what an archived document says. A search compares it with the question: its
// successor may have left out what was asked for. It is never shown, it is shared and must
// not be changed, and it stays where originals stay.
type Redirect struct {
	Title   string
	Passage string // as in [Original]
}

// NeighbourReader is an index that knows the neighbours of its documents. A driver whose
// hits have originals implements it.
type NeighbourReader interface {
	// Neighbours returns the neighbours of each of these in its session: active documents
	// of the same scope, up to reach on either side,
	// those of one document one after the other, in the given memory where it is large
	// enough. Text from outside neither is nor
	// has a neighbour. Documents that are gone have none, and neither has a tenant that
	// is not in memory.
	Neighbours(ctx context.Context, tenant memory.Tenant, reach int, of []*Original, space []Neighbour) ([]Neighbour, error)
}

// Neighbour is a document next to another in a session.
type Neighbour struct {
	Of       int // the place of the document that was asked about, among those asked about
	ID       string
	Distance int // in documents, from 1
	Passage  string
	Memo     *atomic.Value // of its [Original]
	Row      int32         // as in [Hit]; another document may be there since
}
