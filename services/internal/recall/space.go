package recall

import (
	"sync"

	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// space is memory that searches use one after the other: the garbage of eight searches at
// once costs as much as what they compute. What an answer holds is never in it.
type space struct {
	lists    vector.Lists // the hits of the index
	memories map[string]*candidate
	seen     map[string]bool
	among    map[string]bool
	near     map[string][]neighbour
	free     []candidate
	fused    []search.Scored // both lists as one
	ranked   []search.Scored // those with a row
	passages []search.Passage
	beside   []search.Near // of all passages
	nearby   []neighbour   // of all candidates
	read     []*candidate  // all of memories
	rows     rowSpace
	of       []*vector.Original
	found    []vector.Neighbour
	at       map[string]int // places in the pool
	signs    []search.Signs
	pool     []search.Scored
	best     []search.Scored
}

var spaces = sync.Pool{New: func() any {
	return &space{
		memories: map[string]*candidate{}, seen: map[string]bool{}, among: map[string]bool{}, near: map[string][]neighbour{}, at: map[string]int{},
	}
}}

// pageOfCandidates is how many candidates are allocated at once: those of an ordinary
// search.
const pageOfCandidates = 256

// candidates returns an empty list with room for n.
func (s *space) candidates(n int) []candidate {
	if cap(s.free)-len(s.free) < n {
		s.free = make([]candidate, 0, max(n, pageOfCandidates))
	}
	from := len(s.free)
	s.free = s.free[:from+n]
	return s.free[from : from : from+n]
}

// clear empties all but the hits.
func (s *space) clear() {
	clear(s.memories)
	clear(s.seen)
	clear(s.among)
	clear(s.near)
	clear(s.free)
	clear(s.fused)
	clear(s.ranked)
	clear(s.passages[:cap(s.passages)]) // leads were appended
	clear(s.beside)
	clear(s.nearby)
	clear(s.of[:cap(s.of)]) // they are made anew for each part of a ranking
	clear(s.found[:cap(s.found)])
	clear(s.at)
	clear(s.read)
	s.rows.clear()
	clear(s.pool[:cap(s.pool)])
	clear(s.best[:cap(s.best)])
	s.fused, s.ranked, s.read = s.fused[:0], s.ranked[:0], s.read[:0]
	s.free, s.passages, s.beside, s.nearby = s.free[:0], s.passages[:0], s.beside[:0], s.nearby[:0]
}

// done hands the space to the next search.
func (s *space) done() {
	s.clear()
	clear(s.lists.Dense)
	clear(s.lists.Lexical)
	s.lists = vector.Lists{Dense: s.lists.Dense[:0], Lexical: s.lists.Lexical[:0]}
	spaces.Put(s)
}
