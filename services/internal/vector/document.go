package vector

import (
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// State is the state of a document's text, as far as the index needs it.
type State string

// The states. Quarantined and rejected text is never put into an index.
const (
	Active   State = "active"   // a memory in force
	Archived State = "archived" // a redirect to its successor
	Pending  State = "pending"  // a proposal that waits for a decision
)

// Sparse is a text as weighted tokens, for BM25: see [Weigh]. Tokens ascend and
// are unique; every weight is positive and finite.
type Sparse struct {
	Tokens  []uint32
	Weights []float32
}

// Doc is one text in the index.
type Doc struct {
	// ID is that of the memory or proposal: a prefix and a ULID. The ULID alone
	// identifies the document, so two ids must differ in more than the prefix.
	ID     string
	Tenant memory.Tenant
	Scope  memory.Scope
	Kind   memory.Kind
	State  State
	// Outcome is "success", "failure" or empty.
	Outcome string
	// Successor is the memory that an archived one was merged into or replaced
	// by, empty when there is none.
	Successor string
	// ContentHash identifies the text, to collapse copies where there is no Original.
	// Empty where it was not computed.
	ContentHash string
	// Version comes from Postgres and grows with every change of the row:
	// above 0, below 2^53 (drivers compare it as a float64).
	Version int64
	// UpdatedAt is when the row last changed, to the microsecond; never zero.
	UpdatedAt time.Time
	// Deleted makes the document a tombstone: no vectors, never found. Only its version
	// is stored, so that a late write cannot bring it back.
	Deleted bool
	// Dense has the dimension of the generation and any length but zero; nil
	// when the text has no embedding (yet).
	Dense []float32
	// Terms is empty when the text has no words left after analysis.
	Terms Sparse
	// Original is the row that an index in this process returns with a hit; nil for
	// none.
	Original *Original
	// Redirect is the text of an archived document for an index in this process; nil for
	// none.
	Redirect *Redirect
}

// Stamp is what two stores compare to find missing and outdated documents.
type Stamp struct {
	ID      string
	Version int64
	Deleted bool
}

// Hit is a found document.
type Hit struct {
	ID string
	// Score is the cosine for a dense hit and the BM25 score for a lexical one.
	// Drivers agree on a cosine of [Index.Near] exactly; elsewhere up to the
	// rounding of a float32.
	Score       float64
	Version     int64
	Scope       memory.Scope
	Kind        memory.Kind
	State       State
	Outcome     string
	Successor   string
	ContentHash string
	// Original is nil where the index stores none. For an archived document it is the
	// active memory that the document leads to.
	Original *Original
	// Redirect is the text of an archived document, nil where the index does not know it.
	Redirect *Redirect
	// Row tells the originals of one answer apart: documents of one answer have the same Row
	// where they have the same Original, from 1. It is 0 without an Original, and in drivers
	// that hold none.
	Row int32
}

// HitOf returns the hit on a document.
func HitOf(d *Doc, score float64) Hit {
	return Hit{
		ID: d.ID, Score: score, Version: d.Version, Scope: d.Scope, Kind: d.Kind, State: d.State,
		Outcome: d.Outcome, Successor: d.Successor, ContentHash: d.ContentHash, Original: d.Original, Redirect: d.Redirect,
	}
}

// CompareHits orders hits: best first, ties by id.
func CompareHits(a, b Hit) int {
	switch {
	case a.Score > b.Score:
		return -1
	case a.Score < b.Score:
		return 1
	case a.ID < b.ID:
		return -1
	case a.ID > b.ID:
		return 1
	}
	return 0
}
