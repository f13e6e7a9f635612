package vectortest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// Truth returns a source over documents in memory, in pages of the given size; the
// documents may be of several tenants.
func Truth(docs []vector.Doc, page int) vector.Source {
	byTenant := make(map[memory.Tenant][]vector.Doc)
	for _, d := range docs {
		byTenant[d.Tenant] = append(byTenant[d.Tenant], d)
	}
	for _, rows := range byTenant {
		slices.SortFunc(rows, func(a, b vector.Doc) int { return compareULIDs(a.ID, b.ID) })
	}
	return func(_ context.Context, _ vector.Generation, tenant memory.Tenant, after string) ([]vector.Doc, error) {
		rows := byTenant[tenant]
		from, found := slices.BinarySearchFunc(rows, after, func(d vector.Doc, after string) int {
			return compareULIDs(d.ID, after)
		})
		if found {
			from++
		}
		if after == "" {
			from = 0
		}
		return rows[from:min(from+page, len(rows))], nil
	}
}

func compareULIDs(a, b string) int {
	x, _ := vector.PointOf(a)
	y, _ := vector.PointOf(b)
	return slices.Compare(x[:], y[:])
}

func reconcile(t testing.TB, x vector.Index, truth vector.Source) vector.Reconciled {
	t.Helper()
	done, err := vector.Reconcile(t.Context(), x, tenant, truth, "", at(500), nil)
	if err != nil {
		t.Fatalf("reconcile: %v", err)
	}
	return done
}

// Missing, outdated, unknown and wrongly deleted documents are corrected, and another
// tenant's are not changed.
func testReconcile(t *testing.T, b vector.Backend) {
	g := generation(1, 4)
	x := opened(t, b, g)
	rows := Random(tenant, g, 40, 2)
	theirs := Random(other, g, 5, 3)
	stale, unknown, buried := rows[3], doc(7, 1, 1, 1, 1), rows[5]
	stale.Version, stale.Dense = 1, []float32{1, 0, 0, 0}
	put(t, x, rows[10:]...)
	put(t, x, stale, unknown, tombstone(buried, 2))
	put(t, x, theirs...)

	// A run that was interrupted after its first page is simply repeated.
	cut := errors.New("connection reset")
	pages := 0
	_, err := vector.Reconcile(t.Context(), x, tenant, func(ctx context.Context, g vector.Generation, tenant memory.Tenant, after string) ([]vector.Doc, error) {
		if pages++; pages > 1 {
			return nil, cut
		}
		return Truth(rows, 4)(ctx, g, tenant, after)
	}, "", at(500), nil)
	wantError(t, "cut off", err, cut)

	done := reconcile(t, x, Truth(rows, 7))
	if done.Compared != 40 || done.Written != 6 || done.Removed != 1 {
		t.Errorf("reconciled %+v, want 40 compared, 6 written after the first 4, 1 removed", done)
	}
	sameAs(t, x, g, rows)
	if done := reconcile(t, x, Truth(rows, 1000)); done.Written+done.Removed != 0 {
		t.Errorf("a second time: %+v, want nothing to do", done)
	}
	if stats, err := x.Stats(t.Context(), other); err != nil || stats.Live != 5 {
		t.Errorf("the other tenant: %+v (%v)", stats, err)
	}
}

// Reconcile does not follow a writer that is faster than a page: events bring its later
// rows.
func testReconcileEnds(t *testing.T, b vector.Backend) {
	x := opened(t, b, generation(1, 4))
	rows := Random(tenant, x.Generation(), 40, 2)
	done := reconcile(t, x, func(ctx context.Context, g vector.Generation, tenant memory.Tenant, after string) ([]vector.Doc, error) {
		page, err := Truth(rows, 7)(ctx, g, tenant, after)
		if len(page) < 7 { // the end, where a writer adds rows
			page = append(slices.Clone(page), doc(900, 1, 0, 0, 0))
		}
		return page, err
	})
	// A second span looks behind the rows that the first has written.
	if done.Compared < 41 || done.Compared > 60 {
		t.Errorf("reconciled %+v, want the 40 that were there and a few more", done)
	}
}

// A writer that adds a whole page while a page is written is not followed either: the
// comparison ends at what was the newest row at its beginning.
func testReconcileEndsBehindAWriter(t *testing.T, b vector.Backend) {
	x := opened(t, b, generation(1, 4))
	rows := Random(tenant, x.Generation(), 40, 2)
	slices.SortFunc(rows, func(a, b vector.Doc) int { return compareULIDs(a.ID, b.ID) })
	last := rows[39].ID
	endless := func(ctx context.Context, g vector.Generation, tenant memory.Tenant, after string) ([]vector.Doc, error) {
		for range 7 {
			rows = append(rows, doc(900, 1, 0, 0, 0))
		}
		return Truth(rows, 7)(ctx, g, tenant, after)
	}
	done, err := vector.Reconcile(t.Context(), x, tenant, endless, last, at(500), nil)
	if err != nil || done.Compared < 40 || done.Compared > 60 {
		t.Errorf("reconciled %+v (%v), want the 40 that were there and a few more", done, err)
	}
}

// Load inserts what is missing and never changes what is there, of whatever version, nor
// a tombstone. The next comparison finds what was older.
func testLoad(t *testing.T, b vector.Backend) {
	g := generation(1, 4)
	x := opened(t, b, g)
	loader, can := x.(vector.Loader)
	if !can {
		t.Skip("this driver has one way to write")
	}
	rows := Random(tenant, g, 300, 9)
	newer, older, gone := rows[0], rows[1], tombstone(rows[2], 9000)
	newer.Version, newer.Scope = 5000, there
	older.Version, older.Dense = 1, []float32{0, 0, 0, 1}
	put(t, x, newer, older, gone)
	if err := loader.Load(t.Context(), append(slices.Clone(rows), rows[7])); err != nil {
		t.Fatal(err)
	}
	sameAs(t, x, g, append([]vector.Doc{newer, older, gone}, rows[3:]...))
	reconcile(t, x, Truth(append([]vector.Doc{newer}, rows[1:]...), 64))
	sameAs(t, x, g, append([]vector.Doc{newer, rows[1], gone}, rows[3:]...))
}

// sameAs compares an index with a fresh oracle over the rows.
func sameAs(t testing.TB, x vector.Index, g vector.Generation, rows []vector.Doc) {
	t.Helper()
	oracle := newOracle(g)
	oracle.put(t, rows...)
	within := vector.Everywhere(tenant)
	for _, d := range rows[:min(5, len(rows))] {
		q := vector.Query{Dense: d.Dense, Terms: d.Terms.Tokens, Limit: 1000}
		lists := search(t, x, within, q)
		agree(t, "dense", lists.Dense, oracle.dense(within, q.Dense), q.Limit)
		agree(t, "lexical", lists.Lexical, oracle.lexical(within, q.Terms), q.Limit)
	}
}

// A generation filled in one go from the truth, while writers send the same rows
// and newer ones, ends like one that got every change.
func testRebuild(t *testing.T, b vector.Backend) {
	g := generation(1, 8)
	x := opened(t, b, g)
	rows := Random(tenant, g, 300, 8)
	newer := slices.Clone(rows[:50])
	for i := range newer {
		newer[i].Version += 1000
		newer[i].Scope = there
	}
	writes := make(chan error, 1)
	go func() { writes <- x.Put(t.Context(), newer) }()
	reconcile(t, x, Truth(rows, 64))
	if err := <-writes; err != nil {
		t.Fatal(err)
	}
	sameAs(t, x, g, append(slices.Clone(newer), rows[50:]...))
}

// testRandom runs random operations against the driver and the oracle.
func testRandom(t *testing.T, b vector.Backend) {
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		g := generation(n, 3)
		x := opened(t, b, g)
		oracle := newOracle(g)
		names := make([]string, 6)
		for i := range names {
			names[i] = ident.New(memory.PrefixMemory)
		}
		steps := rapid.IntRange(1, 12).Draw(rt, "steps")
		for range steps {
			batch := drawDocs(rt, names, g)
			if err := x.Put(t.Context(), batch); err != nil {
				rt.Fatalf("put: %v", err)
			}
			oracle.put(t, batch...)
		}
		within := drawFilter(rt, names)
		q := vector.Query{Dense: drawVector(rt), Terms: drawTerms(rt), Limit: rapid.IntRange(1, 8).Draw(rt, "limit")}
		lists, err := x.Search(t.Context(), within, q)
		if err != nil {
			rt.Fatalf("search: %v", err)
		}
		agree(rt, "dense", lists.Dense, oracle.dense(within, q.Dense), q.Limit)
		agree(rt, "lexical", lists.Lexical, oracle.lexical(within, q.Terms), q.Limit)
		hits, err := x.Near(t.Context(), within, q.Dense, 0.5, q.Limit)
		if err != nil || fmt.Sprint(hits) != fmt.Sprint(oracle.near(within, q.Dense, 0.5, q.Limit)) {
			rt.Fatalf("near: %v (%v), want %v", hits, err, oracle.near(within, q.Dense, 0.5, q.Limit))
		}
		if err := b.Drop(t.Context(), g); err != nil {
			rt.Fatalf("drop: %v", err)
		}
	})
}

// drawDocs draws a few writes. The same id has different vectors in each tenant.
func drawDocs(rt *rapid.T, names []string, g vector.Generation) []vector.Doc {
	docs := make([]vector.Doc, rapid.IntRange(1, 4).Draw(rt, "writes"))
	for i := range docs {
		which := rapid.IntRange(0, len(names)-1).Draw(rt, "id")
		version := rapid.Int64Range(1, 20).Draw(rt, "version")
		d := vector.Doc{
			ID: names[which], Tenant: []memory.Tenant{tenant, other}[which%2], Version: version, UpdatedAt: at(version),
			Scope:   rapid.SampledFrom([]memory.Scope{here, there}).Draw(rt, "scope"),
			Kind:    rapid.SampledFrom([]memory.Kind{memory.KindFact, memory.KindRule}).Draw(rt, "kind"),
			State:   rapid.SampledFrom([]vector.State{vector.Active, vector.Archived}).Draw(rt, "state"),
			Outcome: rapid.SampledFrom([]string{"", "success"}).Draw(rt, "outcome"),
			Deleted: rapid.IntRange(0, 4).Draw(rt, "deleted") == 0,
		}
		if rapid.Bool().Draw(rt, "embedded") {
			d.Dense = drawVector(rt)
		}
		d.Terms = vector.Weigh(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 5).Draw(rt, "words"), g.AvgLen)
		docs[i] = d
	}
	return docs
}

func drawVector(rt *rapid.T) []float32 {
	v := rapid.SliceOfN(rapid.Float32Range(-1, 1), 3, 3).Draw(rt, "vector")
	v[0] += 1.5 // never without a direction
	return v
}

func drawTerms(rt *rapid.T) []uint32 {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}), 1, 3).Draw(rt, "query")
	terms := make([]uint32, len(words))
	for i, w := range words {
		terms[i] = vector.TokenOf(w)
	}
	return terms
}

func drawFilter(rt *rapid.T, names []string) vector.Filter {
	f := vector.Within(tenant, rapid.SampledFrom([]memory.Scope{here, there}).Draw(rt, "only scope"))
	if rapid.Bool().Draw(rt, "all scopes") {
		f = vector.Everywhere(tenant)
	}
	if rapid.Bool().Draw(rt, "only facts") {
		f = f.Kinds(memory.KindFact)
	}
	if rapid.Bool().Draw(rt, "only active") {
		f = f.States(vector.Active)
	}
	if rapid.Bool().Draw(rt, "without outcome") {
		f = f.Outcomes("")
	}
	if rapid.Bool().Draw(rt, "but one") {
		f = f.Except(names[0])
	}
	return f
}
