package vectortest

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// Three versions and a tombstone between them, in all 24 orders.
func testNewestWins(t *testing.T, b vector.Backend) {
	x := opened(t, b, generation(1, 4))
	orders := [][]int64{}
	permute([]int64{1, 2, 3, 4}, 0, &orders)
	for _, order := range orders {
		d := doc(1, 1, 0, 0, 0)
		for _, version := range order {
			next := d
			next.Version, next.UpdatedAt = version, at(version)
			next.Dense = []float32{float32(version), 1, 0, 0}
			if version == 3 {
				next = tombstone(d, 3)
			}
			put(t, x, next)
		}
		hits := near(t, x, vector.Within(tenant, here).Except(), []float32{4, 1, 0, 0}, 0.999999, 100)
		found := false
		for _, h := range hits {
			found = found || h.ID == d.ID && h.Version == 4
		}
		if !found {
			t.Errorf("order %v: version 4 is not what is found: %v", order, hits)
		}
	}
}

func permute(v []int64, from int, out *[][]int64) {
	if from == len(v) {
		*out = append(*out, append([]int64(nil), v...))
		return
	}
	for i := from; i < len(v); i++ {
		v[from], v[i] = v[i], v[from]
		permute(v, from+1, out)
		v[from], v[i] = v[i], v[from]
	}
}

func testTombstone(t *testing.T, b vector.Backend) {
	x := opened(t, b, generation(1, 2))
	d := doc(1, 1, 0)
	d.Terms = vector.Weigh([]string{"port"}, 20)
	within := vector.Within(tenant, here)
	q := vector.Query{Dense: []float32{1, 0}, Terms: d.Terms.Tokens, Limit: 5}

	put(t, x, d, tombstone(d, 3))
	late := d
	late.Version = 2
	put(t, x, late)
	late.Version = 3 // an equal version does not win either
	put(t, x, late)
	if lists := search(t, x, within, q); len(lists.Dense)+len(lists.Lexical) != 0 {
		t.Errorf("a late write brought back what was deleted: %+v", lists)
	}
	// A restored row has a newer version.
	late.Version = 4
	put(t, x, late)
	lists := search(t, x, within, q)
	wantIDs(t, "restored, dense", lists.Dense, d.ID)
	wantIDs(t, "restored, lexical", lists.Lexical, d.ID)

	// The deletion may overtake the document itself.
	early := doc(5, 0, 1)
	put(t, x, tombstone(early, 6))
	put(t, x, early)
	wantIDs(t, "deleted before written", near(t, x, within, []float32{0, 1}, 0.9, 5))
}

func testTwiceInOneCall(t *testing.T, b vector.Backend) {
	x := opened(t, b, generation(1, 2))
	d := doc(2, 1, 0)
	older, gone := d, doc(1, 1, 0)
	older.Version, older.Dense = 1, []float32{0, 1}
	put(t, x, d, older, tombstone(gone, 2), gone)
	wantIDs(t, "newest of a call", near(t, x, vector.Within(tenant, here), []float32{1, 0}, 0.9, 5), d.ID)
}

// Nothing of an older version remains: not its words, vector, scope or state.
func testChange(t *testing.T, b vector.Backend) {
	x := opened(t, b, generation(1, 2))
	oracle := newOracle(x.Generation())
	d := doc(1, 1, 0)
	d.Terms = vector.Weigh([]string{"redis", "cache"}, 20)
	keep := doc(1, 1, 1)
	keep.Terms = vector.Weigh([]string{"redis"}, 20)
	put(t, x, d, keep)
	changed := d
	changed.Version, changed.Scope, changed.State, changed.Outcome = 2, there, vector.Archived, "success"
	changed.Kind, changed.Successor, changed.ContentHash = memory.KindDecision, keep.ID, "other"
	changed.Dense, changed.Terms = []float32{0, 1}, vector.Weigh([]string{"valkey", "cache", "cache"}, 20)
	put(t, x, changed)
	oracle.put(t, keep, changed)

	for _, within := range []vector.Filter{vector.Everywhere(tenant), vector.Within(tenant, here), vector.Within(tenant, there)} {
		for _, word := range []string{"redis", "cache", "valkey"} {
			q := vector.Query{Dense: []float32{1, 0}, Terms: []uint32{vector.TokenOf(word)}, Limit: 5}
			lists := search(t, x, within, q)
			agree(t, word, lists.Lexical, oracle.lexical(within, q.Terms), 5)
			agree(t, "dense", lists.Dense, oracle.dense(within, q.Dense), 5)
		}
	}
}

func testPutRefuses(t *testing.T, b vector.Backend) {
	x := opened(t, b, generation(1, 2))
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	cases := []struct {
		name   string
		change func(*vector.Doc)
		want   error
	}{
		{"NaN", func(d *vector.Doc) { d.Dense = []float32{nan, 1} }, vector.ErrVector},
		{"infinite", func(d *vector.Doc) { d.Dense = []float32{inf, 1} }, vector.ErrVector},
		{"zero length", func(d *vector.Doc) { d.Dense = []float32{0, 0} }, vector.ErrVector},
		{"too long", func(d *vector.Doc) { d.Dense = []float32{1, 0, 0} }, vector.ErrDimension},
		{"too short", func(d *vector.Doc) { d.Dense = []float32{1} }, vector.ErrDimension},
		{"empty", func(d *vector.Doc) { d.Dense = []float32{} }, vector.ErrDimension},
		{"no id", func(d *vector.Doc) { d.ID = "" }, vector.ErrInvalid},
		{"id that is no ULID", func(d *vector.Doc) { d.ID = "mem_IIIIIIIIIIIIIIIIIIIIIIIIII" }, vector.ErrInvalid},
		{"id in lower case", func(d *vector.Doc) { d.ID = "mem_01arz3ndektsv4rrffq69g5fav" }, vector.ErrInvalid},
		{"no version", func(d *vector.Doc) { d.Version = 0 }, vector.ErrInvalid},
		{"version beyond counting", func(d *vector.Doc) { d.Version = 1 << 53 }, vector.ErrInvalid},
		{"no time", func(d *vector.Doc) { d.UpdatedAt = time.Time{} }, vector.ErrInvalid},
		{"no tenant", func(d *vector.Doc) { d.Tenant = "" }, vector.ErrNoTenant},
		{"no scope", func(d *vector.Doc) { d.Scope = "" }, vector.ErrInvalid},
		{"words out of order", func(d *vector.Doc) { d.Terms = vector.Sparse{Tokens: []uint32{2, 1}, Weights: []float32{1, 1}} }, vector.ErrInvalid},
		{"weight NaN", func(d *vector.Doc) { d.Terms = vector.Sparse{Tokens: []uint32{2}, Weights: []float32{nan}} }, vector.ErrInvalid},
		{"weights missing", func(d *vector.Doc) { d.Terms = vector.Sparse{Tokens: []uint32{2}} }, vector.ErrInvalid},
	}
	for _, c := range cases {
		good, bad := doc(1, 1, 0), doc(1, 1, 0)
		c.change(&bad)
		err := x.Put(t.Context(), []vector.Doc{good, bad})
		if !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
	stats, err := x.Stats(t.Context(), tenant)
	if err != nil || stats.Live != 0 {
		t.Errorf("%d documents were written beside refused ones (%v)", stats.Live, err)
	}
}

// Documents without an embedding or without words, in a generation without
// vectors at all, with extreme lengths and the longest of names.
func testHalfDocuments(t *testing.T, b vector.Backend) {
	x := opened(t, b, generation(1, 2))
	lexical, dense, neither, huge, tiny := doc(1), doc(2, 1, 0), doc(3), doc(4, 3e30, 3e30), doc(5, 1e-20, -1e-20)
	lexical.Terms = vector.Weigh([]string{"naïve", "größe", "日本", "🙂"}, 20)
	lexical.Scope = here
	put(t, x, lexical, dense, neither, huge, tiny)
	within := vector.Within(tenant, here)
	lists := search(t, x, within, vector.Query{Dense: []float32{1, 0}, Terms: lexical.Terms.Tokens[:1], Limit: 9})
	wantIDs(t, "words only", lists.Lexical, lexical.ID)
	wantIDs(t, "nearest first", near(t, x, within, []float32{2, 0}, 0.9, 9), dense.ID)
	wantIDs(t, "huge", near(t, x, within, []float32{1, 1}, 0.9, 9), huge.ID)
	wantIDs(t, "tiny", near(t, x, within, []float32{1e-20, -1e-20}, 0.9, 9), tiny.ID)
	if stats, err := x.Stats(t.Context(), tenant); err != nil || stats.Live != 5 {
		t.Errorf("stats %+v (%v), want 5 live", stats, err)
	}

	none := opened(t, b, generation(2, 0))
	put(t, none, lexical)
	lists = search(t, none, within, vector.Query{Terms: lexical.Terms.Tokens, Limit: 9})
	wantIDs(t, "without any vectors", lists.Lexical, lexical.ID)
	wantError(t, "a vector where none is", none.Put(t.Context(), []vector.Doc{dense}), vector.ErrDimension)
}
