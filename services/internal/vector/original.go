package vector

import (
	"context"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Original is the row behind a document that is in force, so that a search ranks and
// shows memories without a question to Postgres: it ranks a hundred rows, and to
// read them there is most of what a search of a large tenant costs and nearly all
// that the slowest waits for. It is shared and must not be changed.
//
// It contains the text, so it stays in the processes that may read Postgres: a
// driver that keeps documents elsewhere drops it and its hits have none.
type Original struct {
	memory.Memory
	// Passage is the text as it was embedded: title, description and body.
	Passage string
	// Session names the session that the memory came from and who published it,
	// empty for none. Proposals order the memories of one session.
	Session string
}

// Surrounder is an index that knows what stands beside its documents. A driver
// whose hits have originals implements it.
type Surrounder interface {
	// Beside lists what stands next to each of these in its session: the documents
	// in force of the same scope, up to reach of them on either side. Text from
	// outside neither stands beside another nor has anything beside it. What is not
	// there any more has nothing, and neither has a tenant that is not in memory.
	Beside(ctx context.Context, tenant memory.Tenant, reach int, of []*Original) ([]Neighbour, error)
}

// Neighbour is a document that stands beside another.
type Neighbour struct {
	Of       string // the document that was asked about
	ID       string
	Distance int // in documents, from 1
	Passage  string
}
