package search

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/winnowhq/winnow/services/internal/vector"
)

// Scored is a document on its way through a search.
type Scored struct {
	ID string
	// Hit is the hit of the index, nil for a neighbour; of a document that a redirect
	// led to only the id is known. It is shared and must not be changed: a ranking
	// moves hundreds of documents, and copies of hits cost more than the arithmetic.
	Hit *vector.Hit
	// Cosine is that of the document's vector and the query's, 0 where the dense list has
	// it not.
	Cosine float64
	// Fused is the fused score of both lists, 0–1 before neighbours add their share.
	Fused float64
	// Boost is the product of the multipliers that apply to the document.
	Boost float64
	// Relevance is the final score, 0–1.
	Relevance float64
}

// rrfK is the constant of reciprocal rank fusion, from its paper (Cormack et al. 2009).
// Qdrant counts ranks from 0 and calls it 61.
const rrfK = 60

// Fuse joins the two rankings of an index into one, best first, ties by id. Redirects
// are followed first, so a memory that is reached both ways counts once in each list.
// An empty list adds nothing, and the other decides alone. o must be valid.
func Fuse(lists vector.Lists, o Options) []Scored { return FuseIn(nil, lists, o) }

// FuseIn is [Fuse] in the given memory, where it is large enough.
func FuseIn(space []Scored, lists vector.Lists, o Options) []Scored {
	dense, lexical := vector.FollowRedirects(lists.Dense), vector.FollowRedirects(lists.Lexical)
	f := fusion{all: slices.Grow(space[:0], len(dense)+len(lexical))}
	if AllInRows(dense) && AllInRows(lexical) {
		f.rows = idleRows.Get().(*Places)
	} else {
		f.at = idle.Get().(map[string]int)
	}
	defer f.done()
	if o.Fusion == RRF {
		// The best possible score, rank 1 in both lists, becomes 1.
		const scale = (rrfK + 1) / 2.0
		f.add(dense, func(rank int) float64 { return scale / float64(rrfK+rank+1) }, true)
		f.add(lexical, func(rank int) float64 { return scale / float64(rrfK+rank+1) }, false)
		return f.ranked()
	}
	share := o.DenseShare
	switch {
	case len(dense) == 0:
		share = 0
	case len(lexical) == 0:
		share = 1
	}
	// BM25 has a natural zero: no word in common. A cosine has none that two models
	// agree on, so the worst score of the list serves as zero.
	f.add(dense, scaled(dense, share, lowest(dense)), true)
	f.add(lexical, scaled(lexical, 1-share, 0), false)
	return f.ranked()
}

// lowest returns the score of the last hit, 0 for fewer than two.
func lowest(hits []vector.Hit) float64 {
	if len(hits) < 2 {
		return 0
	}
	return hits[len(hits)-1].Score
}

// scaled returns the score in [0,share] of a rank: share for the best hit, 0 for a
// score of zero.
func scaled(hits []vector.Hit, share, zero float64) func(rank int) float64 {
	if len(hits) == 0 || hits[0].Score <= zero {
		return func(int) float64 { return share }
	}
	span := hits[0].Score - zero
	return func(rank int) float64 { return share * max(0, hits[rank].Score-zero) / span }
}

// idle holds emptied maps of earlier searches, so that a search need not grow its own.
var idle = sync.Pool{New: func() any { return map[string]int{} }}

// idleRows holds emptied tables of earlier searches.
var idleRows = sync.Pool{New: func() any { return new(Places) }}

// fusion sums the scores of every document.
type fusion struct {
	rows *Places        // where all documents have a row
	at   map[string]int // otherwise
	all  []Scored
}

// place returns the place of a document in all, where it is one of them, else the next one.
func (f *fusion) place(h *vector.Hit) int {
	if f.rows != nil {
		n, _ := f.rows.Add(h.Row)
		return n
	}
	n, ok := f.at[h.ID]
	if !ok {
		n = len(f.all)
		f.at[h.ID] = n
	}
	return n
}

// add adds the worth of each hit's rank, counted from 0, and notes the score of cosines.
func (f *fusion) add(hits []vector.Hit, worth func(rank int) float64, cosines bool) {
	for rank := range hits {
		h := &hits[rank]
		n := f.place(h)
		if n == len(f.all) {
			f.all = append(f.all, Scored{ID: h.ID, Hit: h, Boost: 1})
		}
		f.all[n].Fused += worth(rank)
		if cosines {
			f.all[n].Cosine = h.Score
		}
	}
}

// done returns the table or the map for the next search; the ranking does not use it.
func (f *fusion) done() {
	if f.rows != nil {
		f.rows.Clear()
		idleRows.Put(f.rows)
		return
	}
	clear(f.at)
	idle.Put(f.at)
}

func (f *fusion) ranked() []Scored {
	sorted(f.all, func(s *Scored) float64 { return s.Fused })
	return f.all
}

// key is what a document is sorted by.
type key struct {
	score float64
	at    int
}

// keySpace holds the keys of earlier searches.
var keySpace = sync.Pool{New: func() any { return new([]key) }}

// sorted sorts documents, best first, ties by id. A document is large, so keys are
// sorted and each document moves once.
func sorted(all []Scored, score func(*Scored) float64) {
	space := keySpace.Get().(*[]key)
	defer keySpace.Put(space)
	keys := slices.Grow((*space)[:0], len(all))[:len(all)]
	*space = keys
	for i := range all {
		keys[i] = key{score(&all[i]), i}
	}
	compare := func(a, b key) int {
		if a.score != b.score {
			return cmp.Compare(b.score, a.score)
		}
		return strings.Compare(all[a.at].ID, all[b.at].ID)
	}
	if slices.IsSortedFunc(keys, compare) {
		return
	}
	slices.SortFunc(keys, compare)
	for i := range keys {
		// Along each cycle of the permutation, with one document held out.
		hand, at := all[i], i
		for keys[at].at != i {
			from := keys[at].at
			all[at], keys[at].at = all[from], at
			at = from
		}
		all[at], keys[at].at = hand, at
	}
}
