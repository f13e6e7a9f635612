package vectortest

import (
	"math"
	"slices"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// oracle is a simple index that is obviously right: it stores every document and scans
// all of them.
type oracle struct {
	generation vector.Generation
	docs       map[memory.Tenant]map[string]vector.Doc
}

func newOracle(g vector.Generation) *oracle {
	return &oracle{generation: g, docs: make(map[memory.Tenant]map[string]vector.Doc)}
}

func (o *oracle) put(t testing.TB, docs ...vector.Doc) {
	t.Helper()
	ready, err := vector.Prepare(o.generation, docs)
	if err != nil {
		t.Fatalf("oracle: %v", err)
	}
	for _, d := range ready {
		if o.docs[d.Tenant] == nil {
			o.docs[d.Tenant] = make(map[string]vector.Doc)
		}
		if have, ok := o.docs[d.Tenant][d.ID]; !ok || d.Version > have.Version {
			o.docs[d.Tenant][d.ID] = d
		}
	}
}

// dense scores all documents that within passes, best first.
func (o *oracle) dense(within vector.Filter, v []float32) []vector.Hit {
	unit, err := vector.Unit(v, o.generation.Dim)
	if err != nil {
		return nil
	}
	var hits []vector.Hit
	for _, d := range o.docs[within.Tenant()] {
		if d.Dense != nil && sees(within, d) {
			hits = append(hits, vector.HitOf(&d, vector.Cosine(unit, d.Dense)))
		}
	}
	slices.SortFunc(hits, vector.CompareHits)
	return hits
}

func (o *oracle) near(within vector.Filter, v []float32, least float64, limit int) []vector.Hit {
	hits := slices.DeleteFunc(o.dense(within, v), func(h vector.Hit) bool { return h.Score <= least })
	return hits[:min(limit, len(hits))]
}

// lexical scores by the formula of BM25, straight from the definition.
func (o *oracle) lexical(within vector.Filter, terms []uint32) []vector.Hit {
	terms = slices.Clone(terms)
	slices.Sort(terms)
	terms = slices.Compact(terms)
	n, df := 0, map[uint32]int{}
	for _, d := range o.docs[within.Tenant()] {
		if len(d.Terms.Tokens) > 0 {
			n++
		}
		for _, token := range d.Terms.Tokens {
			df[token]++
		}
	}
	var hits []vector.Hit
	for _, d := range o.docs[within.Tenant()] {
		score := 0.0
		for i, token := range d.Terms.Tokens {
			if slices.Contains(terms, token) {
				idf := math.Log(1 + (float64(n-df[token])+0.5)/(float64(df[token])+0.5))
				score += idf * float64(d.Terms.Weights[i])
			}
		}
		if score > 0 && sees(within, d) {
			hits = append(hits, vector.HitOf(&d, score))
		}
	}
	slices.SortFunc(hits, vector.CompareHits)
	return hits
}

func sees(within vector.Filter, d vector.Doc) bool {
	return !d.Deleted && within.Sees(d.Tenant, d.Scope, d.Kind, d.State, d.Outcome) && !slices.Contains(within.Excepted(), d.ID)
}

// tolerance is how far two correct scores may differ: drivers add float32 in different
// orders.
const tolerance = 2e-5

// reporter is the common interface of a test and a rapid check.
type reporter interface {
	Helper()
	Fatalf(format string, args ...any)
}

// agree compares a driver's list with the full list of the oracle. Among scores that
// differ by rounding alone, order and choice are free; everything else must be equal.
func agree(t reporter, what string, got, all []vector.Hit, limit int) {
	t.Helper()
	want := all[:min(limit, len(all))]
	if len(got) != len(want) {
		t.Fatalf("%s: %d hits, want %d\ngot  %v\nwant %v", what, len(got), len(want), ids(got), ids(want))
	}
	right := make(map[string]vector.Hit, len(all))
	for _, h := range all {
		right[h.ID] = h
	}
	for i, h := range got {
		truth, known := right[h.ID]
		delete(right, h.ID) // a repeated hit is wrong
		if !known || !alike(h.Score, truth.Score) || !alike(h.Score, want[i].Score) {
			t.Fatalf("%s: hit %d is %s with %v, want %s with %v\ngot  %v\nwant %v",
				what, i, h.ID, h.Score, want[i].ID, want[i].Score, ids(got), ids(want))
		}
		truth.Score = h.Score
		if ranking(h) != ranking(truth) {
			t.Fatalf("%s: hit %+v, want %+v", what, h, truth)
		}
		if i > 0 && vector.CompareHits(got[i-1], h) >= 0 {
			t.Fatalf("%s: hits %d and %d are out of order: %+v, %+v", what, i-1, i, got[i-1], h)
		}
	}
}

// ranking returns what a hit of a search has from every driver.
func ranking(h vector.Hit) vector.Hit {
	h.Version, h.Outcome, h.ContentHash = 0, "", ""
	return h
}

func alike(a, b float64) bool {
	return math.Abs(a-b) <= tolerance*max(1, math.Abs(a), math.Abs(b))
}

func ids(hits []vector.Hit) []string {
	out := make([]string, len(hits))
	for i, h := range hits {
		out[i] = h.ID
	}
	return out
}
