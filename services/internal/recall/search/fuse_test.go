package search_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// list makes hits of ids and scores, best first.
func list(pairs ...any) []vector.Hit {
	var hits []vector.Hit
	for i := 0; i < len(pairs); i += 2 {
		hits = append(hits, vector.Hit{ID: pairs[i].(string), Score: pairs[i+1].(float64), State: vector.Active})
	}
	return hits
}

func ids(scored []search.Scored) string {
	var out []string
	for _, s := range scored {
		out = append(out, s.ID)
	}
	return strings.Join(out, " ")
}

func rrf() search.Options {
	o := search.DefaultOptions()
	o.Fusion = search.RRF
	return o
}

// D19: 1/(60+rank) over both lists, ranks from 1, ties by id.
func TestRRF(t *testing.T) {
	t.Parallel()
	got := search.Fuse(vector.Lists{
		Dense:   list("a", 0.9, "b", 0.8, "c", 0.7),
		Lexical: list("b", 7.0, "d", 3.0, "a", 1.0),
	}, rrf())
	if want := "b a d c"; ids(got) != want {
		t.Errorf("order %q, want %q", ids(got), want)
	}
	// The best possible score, rank 1 in both lists, is 1.
	if want := (1/62.0 + 1/61.0) * 61 / 2; math.Abs(got[0].Fused-want) > 1e-12 {
		t.Errorf("b has %v, want %v", got[0].Fused, want)
	}
	tie := search.Fuse(vector.Lists{Dense: list("y", 0.9), Lexical: list("x", 2.0)}, rrf())
	if ids(tie) != "x y" {
		t.Errorf("a tie is ordered %q, want by id", ids(tie))
	}
}

func TestWeighted(t *testing.T) {
	t.Parallel()
	o := search.DefaultOptions()
	o.DenseShare = 0.4
	got := search.Fuse(vector.Lists{
		Dense:   list("a", 0.9, "b", 0.5, "c", 0.1),
		Lexical: list("b", 8.0, "d", 2.0),
	}, o)
	want := map[string]float64{"a": 0.4, "b": 0.4*0.5 + 0.6, "c": 0, "d": 0.6 * 0.25}
	for _, s := range got {
		if math.Abs(s.Fused-want[s.ID]) > 1e-12 {
			t.Errorf("%s has %v, want %v", s.ID, s.Fused, want[s.ID])
		}
	}
	if ids(got) != "b a d c" {
		t.Errorf("order %q", ids(got))
	}
}

// A missing list must not halve every score: the other one decides alone.
func TestOneListDecidesAlone(t *testing.T) {
	t.Parallel()
	for _, lists := range []vector.Lists{{Dense: list("a", 0.9, "b", 0.2)}, {Lexical: list("a", 4.0, "b", 2.0)}} {
		got := search.Fuse(lists, search.DefaultOptions())
		if ids(got) != "a b" || got[0].Fused != 1 {
			t.Errorf("got %+v", got)
		}
	}
	if got := search.Fuse(vector.Lists{}, search.DefaultOptions()); len(got) != 0 {
		t.Errorf("nothing gave %+v", got)
	}
}

// SPEC §9: an archived source leads to its successor, which counts once a list.
func TestFuseFollowsRedirects(t *testing.T) {
	t.Parallel()
	lexical := list("old", 9.0, "new", 5.0, "x", 1.0)
	lexical[0].State, lexical[0].Successor = vector.Archived, "new"
	got := search.Fuse(vector.Lists{Lexical: lexical}, search.DefaultOptions())
	if ids(got) != "new x" || got[0].Fused != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestParseFusion(t *testing.T) {
	t.Parallel()
	if f, err := search.ParseFusion(""); err != nil || f != search.Weighted {
		t.Errorf("the default is %q, %v", f, err)
	}
	if _, err := search.ParseFusion("borda"); err == nil || !strings.Contains(err.Error(), "rrf") {
		t.Errorf("error %v, want one that names what exists", err)
	}
}

func TestOptionsValidate(t *testing.T) {
	t.Parallel()
	if err := search.DefaultOptions().Validate(); err != nil {
		t.Error(err)
	}
	o := search.Options{Fusion: "x", DenseShare: 2, ContextShare: -1, MatchShare: math.NaN()}
	err := o.Validate()
	for _, part := range []string{"fusion", "dense_share", "context_share", "match_share"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v does not name %s", err, part)
		}
	}
}

// drawn makes a list of hits with scores that descend.
func drawn(t *rapid.T, name string) []vector.Hit {
	n := rapid.IntRange(0, 12).Draw(t, name)
	scores := rapid.SliceOfN(rapid.Float64Range(-1, 30), n, n).Draw(t, name+" scores")
	slices.SortFunc(scores, func(a, b float64) int { return cmp.Compare(b, a) })
	order := rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}).Draw(t, name+" ids")
	var hits []vector.Hit
	for i := range n {
		hits = append(hits, vector.Hit{ID: fmt.Sprintf("m%02d", order[i]), Score: scores[i], State: vector.Active})
	}
	return hits
}

// For any lists every document comes once, between 0 and 1, in order, and a document
// that is first in both is first of all.
func TestFuseProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lists := vector.Lists{Dense: drawn(t, "dense"), Lexical: drawn(t, "lexical")}
		o := search.DefaultOptions()
		o.Fusion = rapid.SampledFrom([]search.Fusion{search.Weighted, search.RRF}).Draw(t, "fusion")
		got := search.Fuse(lists, o)
		seen := map[string]bool{}
		for i, s := range got {
			if seen[s.ID] || s.Fused < 0 || s.Fused > 1+1e-12 || math.IsNaN(s.Fused) {
				t.Fatalf("%+v in %+v", s, got)
			}
			seen[s.ID] = true
			if i > 0 && (got[i-1].Fused < s.Fused || got[i-1].Fused == s.Fused && got[i-1].ID > s.ID) {
				t.Fatalf("out of order: %+v", got)
			}
		}
		for _, h := range append(slices.Clone(lists.Dense), lists.Lexical...) {
			if !seen[h.ID] {
				t.Fatalf("%s was lost", h.ID)
			}
		}
		if d, l := lists.Dense, lists.Lexical; len(d) > 0 && len(l) > 0 && d[0].ID == l[0].ID && got[0].Fused < 1-1e-12 {
			t.Fatalf("first in both lists has %v", got[0])
		}
	})
}

// Fused and spread by rows, documents have the scores and the order that they have by ids.
func TestRowsChangeNoRanking(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const documents = 12
		hits := func(name string) (list []vector.Hit) {
			for _, n := range rapid.SliceOfNDistinct(rapid.IntRange(0, documents-1), 0, documents, rapid.ID[int]).Draw(t, name) {
				list = append(list, vector.Hit{
					ID: fmt.Sprint("m", (n*7)%documents), Row: int32(n) + 1, State: vector.Active,
					Score: float64(rapid.IntRange(1, 5).Draw(t, "score")),
				})
			}
			slices.SortFunc(list, vector.CompareHits)
			return list
		}
		o := search.DefaultOptions()
		if rapid.Bool().Draw(t, "rrf") {
			o = rrf()
		}
		o.ContextShare = rapid.SampledFrom([]float64{0, 0.2, 1}).Draw(t, "share")
		rows := vector.Lists{Dense: hits("dense"), Lexical: hits("lexical")}
		plain := vector.Lists{Dense: slices.Clone(rows.Dense), Lexical: slices.Clone(rows.Lexical)}
		for _, list := range [][]vector.Hit{plain.Dense, plain.Lexical} {
			for i := range list {
				list[i].Row = 0
			}
		}
		same := func(got, want []search.Scored) {
			t.Helper()
			if !slices.EqualFunc(got, want, func(a, b search.Scored) bool {
				return a.ID == b.ID && a.Fused == b.Fused && a.Cosine == b.Cosine && a.Boost == b.Boost
			}) {
				t.Fatalf("%+v\nwant %+v", got, want)
			}
		}
		got, want := search.Fuse(rows, o), search.Fuse(plain, o)
		same(got, want)
		near := map[string][]string{}
		for range rapid.IntRange(0, 8).Draw(t, "pairs") {
			a, b := fmt.Sprint("m", rapid.IntRange(0, documents-1).Draw(t, "one")), fmt.Sprint("m", rapid.IntRange(0, documents-1).Draw(t, "other"))
			if a != b && !slices.Contains(near[a], b) {
				near[a], near[b] = append(near[a], b), append(near[b], a)
			}
		}
		place := map[string]int32{}
		for i := range got {
			place[got[i].ID] = int32(i)
		}
		among := func(id string) []string {
			return slices.DeleteFunc(slices.Clone(near[id]), func(other string) bool { _, ok := place[other]; return !ok })
		}
		spread := search.Spread(want, among, o)
		places := make([][]int32, len(got)) // the ranking moves while it is spread
		for i := range got {
			for _, other := range among(got[i].ID) {
				places[i] = append(places[i], place[other])
			}
		}
		same(search.SpreadAmong(got, func(n int) []int32 { return places[n] }, o), spread)
	})
}
