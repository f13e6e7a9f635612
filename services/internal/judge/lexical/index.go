package lexical

import (
	"math"
	"slices"
)

// Index finds the texts of one scope that share the rarest words with a given text.
// It chooses candidates; [Compare] scores them. Not safe for concurrent use: a lane
// owns its index.
type Index struct {
	postings map[uint64][]int32 // documents in order of insertion
	docs     []indexed
	norms    []float32 // by document: divisor of its score, 0 where removed
	scores   []float32 // scratch of Search, zero between calls
	touched  []int32
	alive    int
}

// indexed is what [Index.Near] reads of a document, beside its neighbours: a search
// reads some thirty of them, and each pointer on the way is a wait for memory.
type indexed struct {
	terms []Term // nil where removed
	total float32
}

// NewIndex returns an empty index.
func NewIndex() *Index {
	return &Index{postings: make(map[uint64][]int32)}
}

// Len returns the number of documents.
func (x *Index) Len() int { return x.alive }

// Add stores a document and returns its number, which [Index.Remove] takes.
func (x *Index) Add(d *Doc) int32 {
	n := int32(len(x.docs))
	x.docs = append(x.docs, indexed{d.Terms, d.Total})
	// Long texts share more words by chance.
	x.norms = append(x.norms, 0.6+0.4*d.Total/12)
	x.scores = append(x.scores, 0)
	for _, t := range d.Terms {
		x.postings[t.ID] = append(x.postings[t.ID], n)
	}
	x.alive++
	return n
}

// Remove removes a document. Its postings stay until the owner rebuilds the index;
// [Index.Wasteful] reports when that is due.
func (x *Index) Remove(n int32) {
	if int(n) < len(x.docs) && x.norms[n] != 0 {
		x.docs[n], x.norms[n] = indexed{}, 0
		x.alive--
	}
}

// Near is [Near] of a text and a document of the index.
func (x *Index) Near(d *Doc, n int32) float64 {
	o := &x.docs[n]
	return near(d.Terms, o.terms, d.Total, o.total)
}

// Wasteful reports whether more than half of the documents were removed, with their
// postings still in the index.
func (x *Index) Wasteful() bool { return len(x.docs) > 256 && x.alive < len(x.docs)/2 }

const (
	bm25K1 = 1.2
	// budget is how many postings one search reads. Words come rarest first and
	// documents newest first, so the search leaves out old texts that share only
	// common words.
	budget = 4_000
)

// Search returns the numbers of up to k documents, best first, ties newest first.
func (x *Index) Search(d *Doc, k int) []int32 {
	type list struct {
		docs   []int32
		weight float32
	}
	lists := make([]list, 0, len(d.Terms))
	for _, t := range d.Terms {
		if p := x.postings[t.ID]; len(p) > 0 {
			idf := math.Log(1 + (float64(len(x.docs))-float64(len(p))+0.5)/(float64(len(p))+0.5))
			lists = append(lists, list{p, t.Weight * float32(idf*(bm25K1+1)/(1+bm25K1))})
		}
	}
	slices.SortStableFunc(lists, func(a, b list) int { return len(a.docs) - len(b.docs) })
	left := budget
	for _, l := range lists {
		for i := len(l.docs) - 1; i >= 0 && left > 0; i-- {
			n := l.docs[i]
			if x.scores[n] == 0 {
				x.touched = append(x.touched, n)
			}
			x.scores[n] += l.weight
			left--
		}
	}
	return x.best(k)
}

// best returns the k highest scores and clears the scratch space.
func (x *Index) best(k int) []int32 {
	top := make([]int32, 0, k+1)
	for _, n := range x.touched {
		norm := x.norms[n]
		if norm == 0 {
			x.scores[n] = 0
			continue
		}
		x.scores[n] /= norm
		if len(top) == k && !x.before(n, top[k-1]) {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, n, func(a, b int32) int {
			if x.before(a, b) {
				return -1
			}
			return 1
		})
		top = slices.Insert(top, at, n)
		if len(top) > k {
			top = top[:k]
		}
	}
	for _, n := range x.touched {
		x.scores[n] = 0
	}
	x.touched = x.touched[:0]
	return top
}

func (x *Index) before(a, b int32) bool {
	if x.scores[a] != x.scores[b] {
		return x.scores[a] > x.scores[b]
	}
	return a > b
}
