package search_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// SPEC §9: the archived documents that led to the pool are named once each, the best
// ranks of both lists first, as far as chains are known, and no more than asked for.
func TestLeads(t *testing.T) {
	t.Parallel()
	gone := func(id, to string) vector.Hit { return vector.Hit{ID: id, State: vector.Archived, Successor: to} }
	active := func(id string) vector.Hit { return vector.Hit{ID: id, State: vector.Active} }
	lists := vector.Lists{
		Lexical: []vector.Hit{active("b"), gone("x1", "a"), gone("lost", ""), gone("out", "z"), active("stale")},
		Dense:   []vector.Hit{gone("x2", "x3"), active("a"), gone("x1", "a")},
	}
	pool := []search.Scored{{ID: "a"}, {ID: "b"}}
	// The store knows that x3 was archived too, and stale, which the index has as active.
	next := func(id string) string { return map[string]string{"x3": "b", "stale": "b"}[id] }
	said := &vector.Redirect{Title: "Stale", Passage: "Stale\nIt is."}
	lists.Lexical[4].Original = &vector.Original{Memory: memory.Memory{Title: said.Title}, Passage: said.Passage}
	lists.Dense[0].Redirect = &vector.Redirect{Passage: "It was."}
	want := []search.Lead{{ID: "x2", Of: 1, Said: lists.Dense[0].Redirect}, {ID: "x1", Of: 0}, {ID: "stale", Of: 1, Said: said}}
	equal := func(got, want []search.Lead) bool { return reflect.DeepEqual(got, want) }
	if got := search.Leads(lists, pool, next, 10); !equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := search.Leads(lists, pool, next, 1); !equal(got, want[:1]) {
		t.Errorf("got %v, want one", got)
	}
	circle := func(id string) string { return map[string]string{"x3": "x4", "x4": "x3"}[id] }
	if got := search.Leads(lists, pool, circle, 10); len(got) != 1 || got[0].ID != "x1" {
		t.Errorf("in a circle: %v", got)
	}
}

// A detail that a merged text left out ranks the text as high as the source would stand
// that has it; a text that says it itself is judged by its own words.
func TestFold(t *testing.T) {
	t.Parallel()
	m := search.NewMatcher(search.NewAnalyzer(), nil)
	list := passages("The gateway keeps what it fetched, and drops the oldest first.", "The gateway is one.", "Zebra tokens are many.")
	source := search.Passage{Text: "The gateway holds zebra tokens for 90 s."}
	pool := []search.Scored{{ID: "made"}, {ID: "other"}, {ID: "near"}}
	match := func(query string, leads ...search.Lead) []search.Signs {
		t.Helper()
		all := slices.Clone(list)
		for range leads {
			all = append(all, source)
		}
		signs, err := m.Match(t.Context(), query, all)
		if err != nil {
			t.Fatal(err)
		}
		e := search.Fold(search.Evidence{Match: signs, Rerank: slices.Repeat([]float64{0.1}, len(all))}, pool, leads)
		if len(e.Match) != len(pool) || len(e.Rerank) != len(pool) {
			t.Fatalf("%d signs and %d scores for %d", len(e.Match), len(e.Rerank), len(pool))
		}
		return e.Match
	}
	const query = "how long does the gateway hold zebra tokens"
	alone, led := match(query), match(query, search.Lead{ID: "source", Of: 0})
	if alone[0].Relevance(0, 0) >= alone[2].Relevance(0, 0) {
		t.Fatalf("the merged text needs no lead: %+v", alone)
	}
	if led[0].Relevance(0, 0) <= led[2].Relevance(0, 0) {
		t.Errorf("the source lends nothing: %+v", led)
	}
	const own = "gateway drops the oldest"
	if alone, led := match(own), match(own, search.Lead{ID: "source", Of: 0}); fmt.Sprint(led[0].Own) != fmt.Sprint(alone[0].Own) {
		t.Errorf("its own words count %v, with a lead %v", alone[0].Own, led[0].Own)
	}
}
