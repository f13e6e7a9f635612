package consolidation_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/consolidation"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/vector/embedded"
	"github.com/winnowhq/winnow/services/internal/vector/qdrant"
	"github.com/winnowhq/winnow/services/internal/vector/qdranttest"
)

// The embedded and the Qdrant driver, and no index at all, give the same groups.
func TestDriversAgree(t *testing.T) {
	t.Parallel()
	local, err := embedded.New(embedded.DefaultConfig(), nil)
	if err != nil {
		t.Fatal(err)
	}
	config := qdrant.DefaultConfig()
	config.Address = qdranttest.Start(t, qdranttest.Version).Address
	remote, err := qdrant.New(config)
	if err != nil {
		t.Fatal(err)
	}
	list := scope(240)
	for i := range list {
		list[i].ID, list[i].Version = ident.New(memory.PrefixMemory), 1
		if i%3 == 0 {
			list[i].Kind = memory.KindStrategy
		}
	}
	for _, c := range []consolidation.Config{given(0.8), consolidation.DefaultConfig(0.7, 0.9, true)} {
		want := shown(find(t, list, c))
		if want == "" {
			t.Fatal("no groups to compare")
		}
		for name, backend := range map[string]vector.Backend{"embedded": local, "qdrant": remote} {
			plan, err := consolidation.Find(t.Context(), list, consolidation.Index{Searcher: filled(t, backend, list), Neighbours: 200}, c)
			if err != nil {
				t.Fatal(err)
			}
			if got := shown(plan); got != want {
				t.Errorf("%s: %s\nwant %s", name, got, want)
			}
		}
	}
	for _, b := range []vector.Backend{local, remote} {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// filled returns an index with the candidates.
func filled(t *testing.T, b vector.Backend, list []consolidation.Candidate) vector.Index {
	t.Helper()
	g := vector.Generation{N: 1, Model: "test", Dim: 256, Analyzer: "a", AvgLen: 10}
	if err := b.Create(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	index, err := b.Open(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	docs := make([]vector.Doc, len(list))
	for i, m := range list {
		docs[i] = vector.Doc{
			ID: m.ID, Tenant: m.Tenant, Scope: m.Scope, Kind: m.Kind, State: vector.Active, Version: m.Version, UpdatedAt: t0, Dense: m.Vector,
		}
	}
	if err := index.Put(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
	return index
}

// Cells find what comparing each with each finds: all near-duplicates, and nearly all
// of what is similar.
func TestCellsFindNearDuplicates(t *testing.T) {
	t.Parallel()
	list := scope(3000)
	for _, c := range []struct{ above, want float64 }{{0.95, 0.999}, {0.8, 0.97}} {
		all, _, err := consolidation.Vectors{}.Above(t.Context(), list, c.above, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		some, used, err := consolidation.Vectors{ExactUpTo: 1}.Above(t.Context(), list, c.above, 1<<20)
		if err != nil || used != c.above {
			t.Fatal(used, err)
		}
		found := 0
		for _, p := range some {
			if slices.Contains(all, p) {
				found++
			} else {
				t.Errorf("%+v is no pair", p)
			}
		}
		if len(all) == 0 || float64(found) < c.want*float64(len(all)) {
			t.Errorf("above %v: %d of %d pairs", c.above, found, len(all))
		}
		// A limit keeps the most similar.
		few, used, err := consolidation.Vectors{ExactUpTo: 1}.Above(t.Context(), list, c.above, 50)
		if err != nil || len(few) > 50 || used <= c.above || !slices.Equal(few, some[:len(few)]) {
			t.Errorf("at most 50: %d above %v (%v)", len(few), used, err)
		}
	}
}

// D14: the plan does not depend on the order of the candidates.
func TestOrderMakesNoDifference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		list := scope(rapid.IntRange(2, 120).Draw(rt, "memories"))
		c := given(rapid.Float64Range(0.3, 0.95).Draw(rt, "threshold"))
		if rapid.Bool().Draw(rt, "calibrated") {
			c = consolidation.DefaultConfig(c.Threshold, 0.96, rapid.Bool().Draw(rt, "sure"))
		}
		c.WordsAlone = rapid.Bool().Draw(rt, "words")
		if rapid.Bool().Draw(rt, "greedy") {
			c.Clustering = consolidation.ClusteringGreedy
		}
		plan := find(t, list, c)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "shuffle"), 1))
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		again := find(t, list, c)
		if fmt.Sprint(plan.Groups, plan.Apart) != fmt.Sprint(again.Groups, again.Apart) {
			rt.Fatalf("%s\nshuffled: %s", shown(plan), shown(again))
		}
		seen := map[string]bool{}
		for _, g := range plan.Groups {
			if len(g.Members) > 20 || len(g.Sources()) < 2 {
				rt.Fatalf("a group of %d", len(g.Members))
			}
			for _, id := range g.Sources() {
				if seen[id] {
					rt.Fatalf("%s is in two groups", id)
				}
				seen[id] = true
			}
		}
	})
}

// Without a model memories are compared by their words, and those without a vector
// take part.
func TestWordsAlone(t *testing.T) {
	t.Parallel()
	list := []consolidation.Candidate{
		note("a", "The pool of `billing` holds 20 connections.", 0), note("b", "The pool of `billing` holds 20 connections since the March load test in `k6`.", 0),
		note("c", "Owls hunt at dusk.", 0),
	}
	for i := range list {
		list[i].Vector = nil
	}
	c := consolidation.DefaultConfig(0.5, 0.62, false)
	c.WordsAlone = true
	if plan := find(t, list, c); shown(plan) != "merge:a b" || plan.WithoutVector != 0 {
		t.Errorf("%q, %d without a vector", shown(plan), plan.WithoutVector)
	}
}
