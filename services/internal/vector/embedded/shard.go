package embedded

import (
	"sync"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// blockRows is how many vectors lie in one piece of memory: large enough to stream,
// small enough that growing copies nothing and wastes little.
const blockRows = 1024

// shard holds one tenant of one generation.
//
// Rows are slots. A document has the same slot over all its versions; a deleted one
// frees it. So there is never anything to compact.
type shard struct {
	queue  scanQueue
	mu     sync.RWMutex
	dim    int
	tenant memory.Tenant

	rows       []row
	visible    []class     // by slot: class for filters, hidden where free
	scanned    []class     // like visible, but also hidden without a vector
	blocks     [][]float32 // vectors by slot, blockRows each
	coarse     []coarse    // blocks at one byte for each value; empty where that does not pay
	free       []int32     // free slots
	slots      map[vector.Point]int32
	tombstones map[vector.Point]tombstone
	classes    classes
	words      postings
	said       sessions
	originals  int64 // bytes
	newest     time.Time
}

// row is a document without its vector and weights.
type row struct {
	id          string
	successor   string
	contentHash string
	version     int64
	updated     time.Time
	tokens      []uint32
	original    *vector.Original
	redirect    *vector.Redirect
	said        *line // its session, nil for none
}

// tombstone is what is stored of a deleted document.
type tombstone struct {
	id      string
	version int64
	updated time.Time
}

func newShard(tenant memory.Tenant, dim int) *shard {
	return &shard{
		dim: dim, tenant: tenant,
		slots: make(map[vector.Point]int32), tombstones: make(map[vector.Point]tombstone),
		classes: newClasses(), words: postings{lists: make(map[uint32]*posting)}, said: make(sessions),
	}
}

// put applies prepared documents of the shard's tenant. The caller holds the
// lock.
func (s *shard) put(docs []vector.Doc) {
	for i := range docs {
		point, err := vector.PointOf(docs[i].ID)
		if err != nil {
			continue // Prepare refuses such an id before
		}
		s.putOne(point, &docs[i])
	}
}

func (s *shard) putOne(point vector.Point, d *vector.Doc) {
	slot, live := s.slots[point]
	if live && d.Version <= s.rows[slot].version || d.Version <= s.tombstones[point].version {
		return
	}
	if d.UpdatedAt.After(s.newest) {
		s.newest = d.UpdatedAt
	}
	if d.Deleted {
		if live {
			s.release(point, slot)
		}
		s.tombstones[point] = tombstone{d.ID, d.Version, d.UpdatedAt}
		return
	}
	delete(s.tombstones, point)
	if !live {
		slot = s.allocate()
		s.slots[point] = slot
	}
	s.fill(slot, d)
}

// allocate returns a free slot.
func (s *shard) allocate() int32 {
	if n := len(s.free); n > 0 {
		slot := s.free[n-1]
		s.free = s.free[:n-1]
		return slot
	}
	slot := int32(len(s.rows))
	if s.dim > 0 && int(slot)%blockRows == 0 {
		s.blocks = append(s.blocks, make([]float32, blockRows*s.dim))
		if coarsePays(s.dim) {
			s.coarse = append(s.coarse, newCoarse(s.dim))
		}
	}
	s.rows = append(s.rows, row{})
	s.visible = append(s.visible, hidden)
	s.scanned = append(s.scanned, hidden)
	return slot
}

func (s *shard) fill(slot int32, d *vector.Doc) {
	s.empty(slot, d.Terms)
	s.rows[slot] = row{
		id: d.ID, successor: d.Successor, contentHash: d.ContentHash,
		version: d.Version, updated: d.UpdatedAt, tokens: d.Terms.Tokens, original: d.Original, redirect: d.Redirect,
	}
	s.originals += originalBytes(d.Original) + redirectBytes(d.Redirect)
	if d.Original != nil {
		d.Original.Row.Store(slot)
	}
	if d.State == vector.Active {
		s.rows[slot].said = s.said.join(d.Original, slot)
	}
	c := s.classes.of(traits{d.Scope, d.Kind, d.State, d.Outcome})
	s.visible[slot], s.scanned[slot] = c, hidden
	if d.Dense != nil {
		copy(s.vectorAt(slot), d.Dense)
		if len(s.coarse) > 0 {
			s.coarse[slot/blockRows].set(int(slot)%blockRows, d.Dense)
		}
		s.scanned[slot] = c
	}
}

func (s *shard) release(point vector.Point, slot int32) {
	s.empty(slot, vector.Sparse{})
	s.rows[slot] = row{}
	s.visible[slot], s.scanned[slot] = hidden, hidden
	delete(s.slots, point)
	s.free = append(s.free, slot)
}

// empty removes a slot's content from everything but the slot itself. next are the
// words that replace it.
func (s *shard) empty(slot int32, next vector.Sparse) {
	old := &s.rows[slot]
	s.words.replace(slot, old.tokens, next)
	s.originals -= originalBytes(old.original) + redirectBytes(old.redirect)
	s.said.leave(old.original)
}

// originalBytes estimates the memory of an original.
func originalBytes(o *vector.Original) int64 {
	if o == nil {
		return 0
	}
	const fixed, inSession = 700, 120 // the structs and short fields; its line in a session
	n := fixed + len(o.Text)
	if len(o.Passage) > len(o.Text) { // otherwise they are one
		n += len(o.Passage)
	}
	if o.Session != "" {
		n += inSession + len(o.Session)
	}
	return int64(n)
}

// redirectBytes estimates the memory of an archived document's text.
func redirectBytes(r *vector.Redirect) int64 {
	if r == nil {
		return 0
	}
	const fixed = 64
	return int64(fixed + len(r.Passage))
}

// vectorAt returns the memory of a slot's vector.
func (s *shard) vectorAt(slot int32) []float32 {
	at := int(slot) % blockRows * s.dim
	return s.blocks[slot/blockRows][at : at+s.dim : at+s.dim]
}

// hit writes the hit on a row.
func (s *shard) hit(to *vector.Hit, c candidate) {
	r, t := &s.rows[c.row], &s.classes.list[s.visible[c.row]]
	original, at := s.originalOf(r, c.row)
	*to = vector.Hit{
		ID: r.id, Score: c.score, Version: r.version, Scope: t.scope, Kind: t.kind, State: t.state,
		Outcome: t.outcome, Successor: r.successor, ContentHash: r.contentHash, Original: original, Row: at, Redirect: r.redirect,
	}
}

// maxRedirects bounds the chain of successors that is followed.
const maxRedirects = 8

// originalOf returns the row behind a document, or behind the document that it leads
// to, and its slot plus one; 0 for none.
func (s *shard) originalOf(r *row, slot int32) (*vector.Original, int32) {
	for range maxRedirects {
		if r.original != nil {
			return r.original, slot + 1
		}
		if r.successor == "" {
			return nil, 0
		}
		point, err := vector.PointOf(r.successor)
		if err != nil {
			return nil, 0
		}
		var live bool
		if slot, live = s.slots[point]; !live {
			return nil, 0
		}
		r = &s.rows[slot]
	}
	return nil, 0
}

// size estimates the memory held, in bytes.
func (s *shard) size() int64 {
	const perRow, perTombstone = 420, 160 // a row with its id, its forty tokens twice and its map entries
	vectors := int64(len(s.blocks))*4 + int64(len(s.coarse))
	return vectors*blockRows*int64(s.dim) + int64(len(s.rows))*perRow + int64(len(s.tombstones))*perTombstone + s.originals
}
