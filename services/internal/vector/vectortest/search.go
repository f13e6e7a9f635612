package vectortest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// D1: exactly at the threshold is not similar.
func testStrictlyGreater(t *testing.T, b vector.Backend) {
	x := opened(t, b, generation(1, 2))
	same, opposite := doc(1, 3, 4), doc(2, -3, -4)
	put(t, x, same, opposite)
	within := vector.Within(tenant, here)
	q := []float32{3, 4}
	hits := near(t, x, within, q, 0.5, 9)
	wantIDs(t, "similar", hits, same.ID)
	wantIDs(t, "at its own cosine", near(t, x, within, q, hits[0].Score, 9))
	wantIDs(t, "just below it", near(t, x, within, q, math.Nextafter(hits[0].Score, 0), 9), same.ID)
	wantIDs(t, "everything", near(t, x, within, q, -2, 9), same.ID, opposite.ID)
}

// D1, D14: cosines just around 0.85 that a float32 cannot distinguish are
// distinguished, as by the oracle.
func testThreshold(t *testing.T, b vector.Backend) {
	const dim, threshold = 256, 0.85
	x := opened(t, b, generation(1, dim))
	oracle := newOracle(x.Generation())
	within := vector.Within(tenant, here)
	// One query may be rounded luckily.
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 7))
		q := direction(r, dim, nil)
		unit, _ := vector.Unit(q, dim)
		docs := make([]vector.Doc, 60)
		for i := range docs {
			docs[i] = doc(int64(i+1), atCosine(r, unit, threshold+(float64(i)-30)*1e-8)...)
		}
		put(t, x, docs...)
		oracle.put(t, docs...)
		want := oracle.near(within, q, threshold, 1000)
		got := near(t, x, within, q, threshold, 1000)
		if len(want) == 0 || len(want) == len(docs) {
			t.Fatalf("the test has no borderline: %d of %d are similar", len(want), len(docs))
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%d similar, want %d, equal in every bit", len(got), len(want))
		}
	}
}

// atCosine returns a vector with the given cosine to a unit vector.
func atCosine(r *rand.Rand, unit []float32, cosine float64) []float32 {
	side := direction(r, len(unit), nil)
	var along, length float64
	for i := range side {
		along += float64(side[i]) * float64(unit[i])
	}
	for i := range side {
		side[i] -= float32(along) * unit[i]
		length += float64(side[i]) * float64(side[i])
	}
	sine := math.Sqrt(1-cosine*cosine) / math.Sqrt(length)
	for i := range side {
		side[i] = float32(cosine*float64(unit[i]) + sine*float64(side[i]))
	}
	return side
}

// Copies of one text: which of them are found does not depend on the order of writes.
func testTies(t *testing.T, b vector.Backend) {
	x := opened(t, b, generation(1, 2))
	copies := ascending(60, 1, 2)
	for i := len(copies) - 1; i >= 0; i-- {
		put(t, x, copies[i])
	}
	within := vector.Within(tenant, here)
	wantIDs(t, "near", near(t, x, within, []float32{1, 2}, 0.5, 3), copies[0].ID, copies[1].ID, copies[2].ID)
	wantIDs(t, "near, one left out", near(t, x, within.Except(copies[0].ID), []float32{1, 2}, 0.5, 1), copies[1].ID)
}

func testSearchTies(t *testing.T, b vector.Backend) {
	x := opened(t, b, generation(1, 2))
	copies := ascending(90, 1, 2)
	for i := range copies {
		copies[i].Terms = vector.Weigh([]string{"port"}, 20)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(copies), func(i, j int) { copies[i], copies[j] = copies[j], copies[i] })
	put(t, x, copies...)
	oracle := newOracle(x.Generation())
	oracle.put(t, copies...)
	within := vector.Within(tenant, here)
	q := vector.Query{Dense: []float32{1, 2}, Terms: []uint32{vector.TokenOf("port")}, Limit: 5}
	lists := search(t, x, within, q)
	wantIDs(t, "dense", lists.Dense, ids(oracle.dense(within, q.Dense)[:5])...)
	wantIDs(t, "lexical", lists.Lexical, ids(oracle.lexical(within, q.Terms)[:5])...)
}

// ascending returns documents with one vector whose ids ascend.
func ascending(n int, dense ...float32) []vector.Doc {
	docs := make([]vector.Doc, n)
	for i := range docs {
		docs[i] = doc(int64(i+1), dense...)
		docs[i].ID = fmt.Sprintf("%s01ARZ3NDEKTSV4RRFFQ69G%04d", memory.PrefixMemory, i)
	}
	return docs
}

func testAgainstOracle(t *testing.T, b vector.Backend) {
	g := generation(1, 64)
	x := opened(t, b, g)
	oracle := newOracle(g)
	docs := Random(tenant, g, 1000, 3)
	for from := 0; from < len(docs); from += 250 {
		put(t, x, docs[from:from+250]...)
	}
	put(t, x, Random(other, g, 100, 4)...)
	oracle.put(t, docs...)
	r := rand.New(rand.NewPCG(5, 5))
	filters := []vector.Filter{
		vector.Everywhere(tenant),
		vector.Within(tenant, here),
		vector.Within(tenant, here, there).States(vector.Active).Kinds(memory.KindFact, memory.KindRule),
	}
	for i := range 30 {
		within := filters[i%len(filters)]
		q := vector.Query{Dense: direction(r, g.Dim, docs[r.IntN(len(docs))].Dense), Limit: 1 + r.IntN(50)}
		for _, w := range words(r, 4) {
			q.Terms = append(q.Terms, vector.TokenOf(w))
		}
		lists := search(t, x, within, q)
		agree(t, "dense", lists.Dense, oracle.dense(within, q.Dense), q.Limit)
		agree(t, "lexical", lists.Lexical, oracle.lexical(within, q.Terms), q.Limit)
		got, want := near(t, x, within, q.Dense, 0.6, 20), oracle.near(within, q.Dense, 0.6, 20)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("near: %v, want %v", got, want)
		}
	}
}

func testSearchRefuses(t *testing.T, b vector.Backend) {
	x := opened(t, b, generation(1, 2))
	nan := float32(math.NaN())
	good := vector.Query{Dense: []float32{1, 0}, Limit: 1}
	within := vector.Within(tenant, here)
	cases := []struct {
		name   string
		within vector.Filter
		q      vector.Query
		want   error
	}{
		{"no filter", vector.Filter{}, good, vector.ErrNoTenant},
		{"no tenant", vector.Within("", here), good, vector.ErrNoTenant},
		{"no tenant, all scopes", vector.Everywhere(""), good, vector.ErrNoTenant},
		{"no scope", vector.Within(tenant), good, vector.ErrNoTenant},
		{"bad id left out", within.Except("mem_1"), good, vector.ErrInvalid},
		{"limit 0", within, vector.Query{Dense: good.Dense}, vector.ErrInvalid},
		{"limit too high", within, vector.Query{Dense: good.Dense, Limit: vector.MaxLimit + 1}, vector.ErrInvalid},
		{"too long", within, vector.Query{Dense: []float32{1, 0, 0}, Limit: 1}, vector.ErrDimension},
		{"NaN", within, vector.Query{Dense: []float32{nan, 0}, Limit: 1}, vector.ErrVector},
		{"zero length", within, vector.Query{Dense: []float32{0, 0}, Limit: 1}, vector.ErrVector},
	}
	for _, c := range cases {
		_, err := x.Search(t.Context(), c.within, c.q)
		wantError(t, "search: "+c.name, err, c.want)
		_, err = x.Near(t.Context(), c.within, c.q.Dense, 0.5, c.q.Limit)
		wantError(t, "near: "+c.name, err, c.want)
	}
	_, err := x.Near(t.Context(), within, good.Dense, math.NaN(), 1)
	wantError(t, "near: threshold NaN", err, vector.ErrInvalid)
	_, err = x.Near(t.Context(), within, nil, 0.5, 1)
	wantError(t, "near: no vector", err, vector.ErrDimension)
	_, err = x.Stats(t.Context(), "")
	wantError(t, "stats", err, vector.ErrNoTenant)
	_, err = x.Versions(t.Context(), "", "", 1)
	wantError(t, "versions", err, vector.ErrNoTenant)
	wantError(t, "purge", x.Purge(t.Context(), "", at(1)), vector.ErrNoTenant)
}

func testNothingThere(t *testing.T, b vector.Backend) {
	x := opened(t, b, generation(1, 2))
	within := vector.Within(tenant, here)
	lists := search(t, x, within, vector.Query{Dense: []float32{1, 0}, Terms: []uint32{1}, Limit: 5})
	if len(lists.Dense)+len(lists.Lexical)+len(near(t, x, within, []float32{1, 0}, -2, 5)) != 0 {
		t.Errorf("found %+v in an empty index", lists)
	}
	put(t, x, doc(1, 1, 0))
	if lists := search(t, x, within, vector.Query{Limit: 5}); len(lists.Dense)+len(lists.Lexical) != 0 {
		t.Errorf("an empty query found %+v", lists)
	}
}

func testFilters(t *testing.T, b vector.Backend) {
	g := generation(1, 8)
	x := opened(t, b, g)
	oracle := newOracle(g)
	docs := Random(tenant, g, 200, 11)
	put(t, x, docs...)
	oracle.put(t, docs...)
	all := vector.Everywhere(tenant)
	q := vector.Query{Dense: docs[0].Dense, Terms: docs[0].Terms.Tokens, Limit: 200}
	for name, within := range map[string]vector.Filter{
		"scope":        vector.Within(tenant, there),
		"scopes":       vector.Within(tenant, there, here),
		"no such":      vector.Within(tenant, "team:nobody"),
		"kind":         all.Kinds(memory.KindFact),
		"kinds":        all.Kinds(memory.KindFact, memory.KindRule),
		"state":        all.States(vector.Pending),
		"states":       all.States(vector.Active, vector.Archived),
		"outcome":      all.Outcomes("failure"),
		"no outcome":   all.Outcomes(""),
		"either":       all.Outcomes("", "success"),
		"except":       all.Except(docs[0].ID, docs[1].ID),
		"all together": vector.Within(tenant, here).Kinds(memory.KindFact).States(vector.Active).Outcomes("success", "").Except(docs[0].ID),
	} {
		lists := search(t, x, within, q)
		agree(t, name+", dense", lists.Dense, oracle.dense(within, q.Dense), q.Limit)
		agree(t, name+", lexical", lists.Lexical, oracle.lexical(within, q.Terms), q.Limit)
	}
}

func testContext(t *testing.T, b vector.Backend) {
	x := opened(t, b, generation(1, 2))
	put(t, x, doc(1, 1, 0))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := x.Search(ended, vector.Within(tenant, here), vector.Query{Dense: []float32{1, 0}, Limit: 1})
	wantError(t, "search", err, context.Canceled)
}

func testClosed(t *testing.T, b vector.Backend) {
	x := opened(t, b, generation(1, 2))
	for range 2 {
		if err := b.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	_, err := x.Search(t.Context(), vector.Within(tenant, here), vector.Query{Dense: []float32{1, 0}, Limit: 1})
	wantError(t, "search", err, vector.ErrUnavailable)
	wantError(t, "put", x.Put(t.Context(), []vector.Doc{doc(1, 1, 0)}), vector.ErrUnavailable)
	wantError(t, "ready", b.Ready(t.Context()), vector.ErrUnavailable)
	_, err = b.Active(t.Context())
	wantError(t, "active", err, vector.ErrUnavailable)
}
