package vectortest

import (
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// Promise 8: two tenants never see each other, by any call.
func testTenants(t *testing.T, b vector.Backend) {
	g := generation(1, 8)
	x := opened(t, b, g)
	mine, theirs := Random(tenant, g, 60, 1), Random(other, g, 60, 1)
	put(t, x, append(mine, theirs...)...)
	foreign := make(map[string]bool)
	for _, d := range theirs {
		foreign[d.ID] = true
	}
	never := func(what string, hits []vector.Hit) {
		t.Helper()
		if len(hits) == 0 {
			t.Errorf("%s: found nothing", what)
		}
		for _, h := range hits {
			if foreign[h.ID] {
				t.Errorf("%s: found another tenant's %s", what, h.ID)
			}
		}
	}
	for _, within := range []vector.Filter{vector.Everywhere(tenant), vector.Within(tenant, here, there), vector.Everywhere(tenant).Except(theirs[0].ID)} {
		lists := search(t, x, within, vector.Query{Dense: theirs[0].Dense, Terms: theirs[0].Terms.Tokens, Limit: 500})
		never("dense", lists.Dense)
		never("lexical", lists.Lexical)
		never("near", near(t, x, within, theirs[0].Dense, -2, 500))
	}
	stamps, err := x.Versions(t.Context(), tenant, "", 500)
	if err != nil || len(stamps) != len(mine) {
		t.Errorf("versions: %d (%v), want %d", len(stamps), err, len(mine))
	}
	for _, s := range stamps {
		if foreign[s.ID] {
			t.Errorf("versions: another tenant's %s", s.ID)
		}
	}

	// A write with an id of the other tenant never changes the other's document, with
	// any result for the writer.
	stolen := doc(1<<40, 1, 0, 0, 0, 0, 0, 0, 0)
	stolen.ID = theirs[0].ID
	put(t, x, stolen, tombstone(stolen, 1<<41))
	hits := near(t, x, vector.Everywhere(other), theirs[0].Dense, 0.9999, 1)
	wantIDs(t, "their document after a write of ours", hits, theirs[0].ID)
	if err := x.Purge(t.Context(), tenant, at(1<<30)); err != nil {
		t.Errorf("purge: %v", err)
	}
	if stats, err := x.Stats(t.Context(), other); err != nil || stats.Live != len(theirs) {
		t.Errorf("their stats %+v (%v), want %d live", stats, err, len(theirs))
	}
}

// Another tenant's texts do not change a score.
func testFrequencies(t *testing.T, b vector.Backend) {
	x := opened(t, b, generation(1, 0))
	oracle := newOracle(x.Generation())
	within := vector.Within(tenant, here)
	q := vector.Query{Terms: []uint32{vector.TokenOf("redis"), vector.TokenOf("port")}, Limit: 9}
	var mine, theirs []vector.Doc
	for i, text := range []string{"redis port", "redis", "port of hamburg", "nothing of it", "redis redis cache"} {
		d := doc(int64(i + 1))
		d.Terms = vector.Weigh(strings.Fields(text), 20)
		mine = append(mine, d)
		for range 10 {
			e := doc(int64(i + 1))
			e.Tenant, e.Terms = other, vector.Weigh([]string{"redis"}, 20)
			theirs = append(theirs, e)
		}
	}
	put(t, x, mine...)
	oracle.put(t, mine...)
	agree(t, "alone", search(t, x, within, q).Lexical, oracle.lexical(within, q.Terms), 9)
	put(t, x, theirs...)
	agree(t, "beside another", search(t, x, within, q).Lexical, oracle.lexical(within, q.Terms), 9)
	// Deleted documents are not counted any more.
	gone := tombstone(mine[1], 99)
	put(t, x, gone)
	oracle.put(t, gone)
	agree(t, "after a deletion", search(t, x, within, q).Lexical, oracle.lexical(within, q.Terms), 9)
}

// SPEC §9: an archived source still leads to its successor.
func testRedirect(t *testing.T, b vector.Backend) {
	x := opened(t, b, generation(1, 2))
	merged := doc(5, 1, 0.1)
	source, lost := doc(6, 1, 0), doc(7, 1, 0.2)
	source.State, source.Successor = vector.Archived, merged.ID
	lost.State = vector.Archived
	put(t, x, merged, source, lost)
	hits := near(t, x, vector.Within(tenant, here), []float32{1, 0}, 0.5, 9)
	wantIDs(t, "with redirects", hits, source.ID, merged.ID, lost.ID)
	if hits[0].Successor != merged.ID {
		t.Errorf("the archived source leads to %q, want %s", hits[0].Successor, merged.ID)
	}
	wantIDs(t, "redirects followed", vector.FollowRedirects(hits), merged.ID)
	wantIDs(t, "only what is in force", near(t, x, vector.Within(tenant, here).States(vector.Active), []float32{1, 0}, 0.5, 9), merged.ID)
}

func testVersions(t *testing.T, b vector.Backend) {
	x := opened(t, b, generation(1, 2))
	docs := ascending(25, 1, 0)
	for i := range docs {
		if i%3 == 0 { // proposals lie between the memories, by their ULID
			docs[i].ID = memory.PrefixProposal + docs[i].ID[len(memory.PrefixMemory):]
		}
	}
	put(t, x, docs...)
	put(t, x, tombstone(docs[4], 100))
	put(t, x, Random(other, x.Generation(), 5, 1)...)
	var got []vector.Stamp
	for after := ""; ; {
		page, err := x.Versions(t.Context(), tenant, after, 10)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		got = append(got, page...)
		after = page[len(page)-1].ID
	}
	if len(got) != len(docs) {
		t.Fatalf("%d stamps, want %d", len(got), len(docs))
	}
	for i, s := range got {
		want := vector.Stamp{ID: docs[i].ID, Version: docs[i].Version}
		if i == 4 {
			want.Version, want.Deleted = 100, true
		}
		if s != want {
			t.Errorf("stamp %d is %+v, want %+v", i, s, want)
		}
	}
	_, err := x.Versions(t.Context(), tenant, "mem_x", 10)
	wantError(t, "after what is no id", err, vector.ErrInvalid)
}

func testPurge(t *testing.T, b vector.Backend) {
	x := opened(t, b, generation(1, 2))
	docs := ascending(3, 1, 0)
	put(t, x, docs...)
	put(t, x, tombstone(docs[0], 10), tombstone(docs[1], 20))
	if err := x.Purge(t.Context(), tenant, at(20)); err != nil {
		t.Fatal(err)
	}
	stamps, err := x.Versions(t.Context(), tenant, "", 10)
	if err != nil || len(stamps) != 2 || stamps[0].ID != docs[1].ID || !stamps[0].Deleted || stamps[1].ID != docs[2].ID {
		t.Errorf("left are %+v (%v), want the younger tombstone and the document", stamps, err)
	}
}

func testStats(t *testing.T, b vector.Backend) {
	x := opened(t, b, generation(1, 2))
	stats, err := x.Stats(t.Context(), tenant)
	if err != nil || stats != (vector.Stats{}) {
		t.Errorf("empty: %+v (%v)", stats, err)
	}
	docs := ascending(4, 1, 0)
	put(t, x, docs...)
	put(t, x, tombstone(docs[0], 9))
	stats, err = x.Stats(t.Context(), tenant)
	if err != nil || stats.Live != 3 || stats.Tombstones != 1 || !stats.Newest.Equal(at(9)) {
		t.Errorf("stats %+v (%v), want 3 live, 1 tombstone, newest %v", stats, err, at(9))
	}
}
