package vector

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// MaxLimit is how many hits one list may ask for.
const MaxLimit = 1000

// Query is what is looked for. Either half may be missing; its list is then
// empty.
type Query struct {
	Dense []float32 // of the generation's dimension, any length but zero
	Terms []uint32  // tokens of the query's words, see [TokenOf]; in any order
	Limit int       // hits for each list, 1 to MaxLimit
}

// Lists are the two rankings of a query, best first, ties by id. Joining them
// is the caller's.
type Lists struct {
	Dense   []Hit
	Lexical []Hit
	// Current says that every hit has the version at which its row stood in
	// Postgres when the question came, or a later one. An index that is told of
	// changes does not know; one that looks for them before it answers does.
	Current bool
}

// Readier is an index that may have to wait for something before a search, and
// can do so beforehand.
type Readier interface {
	// Ready brings the index to where a search of this part needs processors
	// alone. Errors are those of the search.
	Ready(ctx context.Context, within Filter) error
}

// Searcher is the reading half of an index.
type Searcher interface {
	// Search ranks what within sees by cosine and by BM25. Both lists are
	// exact, or as exact as the driver's approximate index is for a large
	// tenant. A document that shares no word with the query is not in the
	// lexical list; one without an embedding is not in the dense list.
	//
	// The document frequencies of BM25 are those of the tenant, whatever else
	// within narrows, so that a score does not depend on the filter.
	//
	// Redirects (state archived) are found like anything else; see
	// [FollowRedirects].
	Search(ctx context.Context, within Filter, q Query) (Lists, error)

	// Near returns at most limit documents whose cosine with v is strictly
	// greater than min, best first, ties by id. It is never approximate, and a
	// cosine is computed in float64 in a fixed order, so that every driver and
	// every machine draws the line in the same place (D1).
	Near(ctx context.Context, within Filter, v []float32, min float64, limit int) ([]Hit, error)
}

// Index is one generation, open. All methods are safe for concurrent use.
//
// Every method returns ErrUnavailable when the index cannot be reached or was
// closed, ErrNoGeneration when the generation was dropped, and the context's
// error when that ends first.
type Index interface {
	Searcher

	// Put writes documents so that for each id the greatest version ever put
	// wins, in whatever order and however often they come: an older version
	// never replaces a newer one, nor does an equal one, and neither brings
	// back a tombstone. What was put is found when Put returns.
	//
	// Nothing is written when any document is refused (ErrDimension, ErrVector,
	// ErrInvalid); on other errors any part may be, and putting again is right.
	//
	// The rows must be committed in Postgres before: a driver that loads
	// tenants on first use may drop what it is going to load anyway.
	Put(ctx context.Context, docs []Doc) error

	// Versions returns up to limit stamps of a tenant whose ULID is greater
	// than after's, tombstones among them, in ascending order of ULID. An empty
	// after starts; an empty page ends.
	Versions(ctx context.Context, tenant memory.Tenant, after string, limit int) ([]Stamp, error)

	// Stats counts a tenant.
	Stats(ctx context.Context, tenant memory.Tenant) (Stats, error)

	// Purge forgets tombstones that were last updated before the given time. A
	// write that is older than that must not be able to arrive any more.
	Purge(ctx context.Context, tenant memory.Tenant, before time.Time) error

	// Generation says what the index was opened with.
	Generation() Generation
}

// Stats is what an index holds of one tenant.
type Stats struct {
	Live       int
	Tombstones int
	// Newest is the latest UpdatedAt ever put, zero for none. Its distance to
	// the newest row in Postgres is how far the index lags.
	Newest time.Time
}

// Generation is what makes two indexes comparable.
type Generation struct {
	N        int    // grows with every generation, from 1
	Model    string // the embedder's id
	Dim      int    // 0: no dense vectors (embedder none)
	Analyzer string // what made the tokens
	// AvgLen is the average length of a text in tokens that the weights were
	// computed with: a constant of the generation, because weights are fixed
	// when they are written.
	AvgLen float64
}

// Backend keeps generations. All methods are safe for concurrent use.
type Backend interface {
	// Create makes an empty generation. One that exists already is left as it
	// is; ErrGeneration when that one differs in anything but AvgLen.
	Create(ctx context.Context, g Generation) error
	// Open returns a generation. ErrNoGeneration when it does not exist,
	// ErrGeneration when it differs.
	Open(ctx context.Context, g Generation) (Index, error)
	// Activate makes a generation the one that serves, at once and for all.
	Activate(ctx context.Context, g Generation) error
	// Active is the generation that serves, ErrNoGeneration when none does.
	// Readers ask once for each request and embed the query with its model.
	Active(ctx context.Context) (Generation, error)
	// Generations lists all, by number.
	Generations(ctx context.Context) ([]Generation, error)
	// Drop deletes a generation and all it holds; ErrInvalid when it serves.
	// One that does not exist is dropped already.
	Drop(ctx context.Context, g Generation) error
	// Ready returns nil when the index can be reached.
	Ready(ctx context.Context) error
	// Close releases everything. It may be called twice.
	Close() error
}

// Source reads rows from the truth: up to a page of a tenant's documents whose
// ULID is greater than after's, in ascending order of ULID, as they are now and
// with vectors of the generation. An empty page ends, and so does one that is
// shorter than the one before it. It must be safe for concurrent use.
type Source func(ctx context.Context, g Generation, tenant memory.Tenant, after string) ([]Doc, error)
