package vector

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// MaxLimit is the most hits in one list.
const MaxLimit = 1000

// Query is a search request. Either half may be missing; its list is then empty.
type Query struct {
	Dense []float32 // of the generation's dimension, any length but zero
	Terms []uint32  // tokens of the query's words, see [TokenOf]; in any order
	Limit int       // hits for each list, 1 to MaxLimit
	// Space is memory that the lists may be written into, nil for none; a driver need not
	// use it. Once the search has returned, nothing but the caller touches it.
	Space *Lists
}

// Lists are the two rankings of a query, best first, ties by id. The caller fuses them.
type Lists struct {
	Dense   []Hit
	Lexical []Hit
	// Current says that every hit has at least the version of its row in Postgres when
	// the question came. An index that receives change events cannot know; one that
	// checks Postgres before it answers does.
	Current bool
}

// Readier is an index that can do the waiting of a search beforehand.
type Readier interface {
	// Ready brings the index to a state from which a search of this filter needs only
	// CPU. Errors are those of the search.
	Ready(ctx context.Context, within Filter) error
}

// Searcher is the read side of an index.
type Searcher interface {
	// Search ranks the documents that within passes, by cosine and by BM25. Both lists
	// are exact, or as exact as the driver's approximate index is for a large tenant. A
	// document that shares no word with the query is not in the lexical list; one
	// without an embedding is not in the dense list.
	//
	// The document frequencies of BM25 are those of the tenant for any filter, so that
	// a score does not depend on the filter.
	//
	// A hit has what ranks it: id, score, scope, kind, state and successor. A driver may
	// leave out the rest, because on a server every field of every hit takes time.
	//
	// Redirects (state archived) are found like other documents; see [FollowRedirects].
	Search(ctx context.Context, within Filter, q Query) (Lists, error)

	// Near returns at most limit documents whose cosine with v is strictly greater than
	// min, best first, ties by id. It is never approximate, and a cosine is computed in
	// float64 in a fixed order, so that every driver on every machine applies the
	// threshold alike (D1).
	Near(ctx context.Context, within Filter, v []float32, min float64, limit int) ([]Hit, error)
}

// Index is one open generation. All methods are safe for concurrent use.
//
// Every method returns ErrUnavailable when the index cannot be reached or was
// closed, ErrNoGeneration when the generation was dropped, and the context's
// error when that ends first.
type Index interface {
	Searcher

	// Put writes documents. For each id the greatest version ever put wins, in any
	// order and for any number of repeats: an older or equal version never replaces a
	// stored one, and neither brings back a tombstone. Documents are found once Put has
	// returned.
	//
	// Nothing is written when any document is refused (ErrDimension, ErrVector,
	// ErrInvalid). On other errors a part may be written, and the caller should put all
	// of them again.
	//
	// The rows must be committed in Postgres before: a driver that loads tenants on
	// first use may drop documents that it will load anyway.
	Put(ctx context.Context, docs []Doc) error

	// Versions returns up to limit stamps of a tenant whose ULID is greater
	// than after's, tombstones among them, in ascending order of ULID. An empty
	// after starts; an empty page ends.
	Versions(ctx context.Context, tenant memory.Tenant, after string, limit int) ([]Stamp, error)

	// Stats counts a tenant's documents.
	Stats(ctx context.Context, tenant memory.Tenant) (Stats, error)

	// Purge removes tombstones that were last updated before the given time. No write
	// older than that time may still arrive.
	Purge(ctx context.Context, tenant memory.Tenant, before time.Time) error

	// Generation returns the generation that the index was opened with.
	Generation() Generation
}

// Loader is an index that has a faster way than [Index.Put] to write documents that it
// does not have.
type Loader interface {
	// Load writes the documents that the index does not have in any version, and leaves
	// those that it has as they are. So it cannot undo a newer write. Where an older
	// version of a document arrived just before, that one stays: the next [Reconcile]
	// finds it. Errors are those of Put.
	Load(ctx context.Context, docs []Doc) error
}

// Stats is what an index holds of one tenant.
type Stats struct {
	Live       int
	Tombstones int
	// Newest is the latest UpdatedAt ever put, zero for none. Its distance to the
	// newest row in Postgres is the lag of the index.
	Newest time.Time
}

// Generation identifies indexes whose documents are comparable.
type Generation struct {
	N        int    // grows with every generation, from 1
	Model    string // the embedder's id
	Dim      int    // 0: no dense vectors (embedder none)
	Analyzer string // id of the analyzer that made the tokens
	// AvgLen is the average length of a text in tokens that the weights were
	// computed with: a constant of the generation, because weights are fixed
	// when they are written.
	AvgLen float64
}

// Backend stores generations. All methods are safe for concurrent use. Where what an
// index would use on a server belongs to somebody else, methods return ErrForeign.
type Backend interface {
	// Create makes an empty generation. An existing one is left unchanged; the error is
	// ErrGeneration when it differs in anything but AvgLen.
	Create(ctx context.Context, g Generation) error
	// Open returns a generation. The error is ErrNoGeneration when it does not exist,
	// ErrGeneration when it differs.
	Open(ctx context.Context, g Generation) (Index, error)
	// Activate makes a generation the active one, atomically for all readers.
	Activate(ctx context.Context, g Generation) error
	// Active returns the active generation; the error is ErrNoGeneration without one.
	Active(ctx context.Context) (Generation, error)
	// Serving opens the active generation for a search. It may be the one of a moment ago
	// ([Stale]), so that most searches need not ask first; one that was dropped since
	// answers ErrNoGeneration, and the next call then returns the present one.
	Serving(ctx context.Context) (Index, error)
	// Generations lists all, by number.
	Generations(ctx context.Context) ([]Generation, error)
	// Drop deletes a generation with all its documents; the error is ErrInvalid for the
	// active one. A missing generation is no error.
	Drop(ctx context.Context, g Generation) error
	// Ready returns nil when the index can be reached.
	Ready(ctx context.Context) error
	// Close releases all resources. It may be called twice.
	Close() error
}

// Stale is how old the answer of [Backend.Serving] may be.
const Stale = 2 * time.Second

// Source reads rows of Postgres: up to a page of a tenant's documents whose ULID is
// greater than after's, in ascending order of ULID, in their present state and with
// vectors of the generation. An empty page is the end, and so is one shorter than the
// page before. It must be safe for concurrent use.
type Source func(ctx context.Context, g Generation, tenant memory.Tenant, after string) ([]Doc, error)
