package vectortest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

const (
	tenant = memory.Tenant("acme")
	other  = memory.Tenant("umbrella")
	here   = memory.Scope("project:billing")
	there  = memory.Scope("project:shop")
)

// Run runs the suite. open returns an empty backend of its own for each test and
// closes it when the test ends.
func Run(t *testing.T, open func(testing.TB) vector.Backend) {
	tests := []struct {
		name string
		run  func(*testing.T, vector.Backend)
	}{
		{"generation/life", testGenerationLife},
		{"generation/refusals", testGenerationRefusals},
		{"generation/switch under load", testSwitchUnderLoad},
		{"put/newest wins in every order", testNewestWins},
		{"put/tombstone is not undone", testTombstone},
		{"put/twice in one call", testTwiceInOneCall},
		{"put/changes take the place of what was", testChange},
		{"put/refuses and writes nothing", testPutRefuses},
		{"put/half a document", testHalfDocuments},
		{"near/strictly greater", testStrictlyGreater},
		{"near/at the threshold of D1", testThreshold},
		{"near/ties by id", testTies},
		{"search/ties by id", testSearchTies},
		{"search/equals the oracle", testAgainstOracle},
		{"search/refuses", testSearchRefuses},
		{"search/nothing there", testNothingThere},
		{"filter/each condition", testFilters},
		{"tenant/never sees another", testTenants},
		{"tenant/frequencies are its own", testFrequencies},
		{"redirect/carries its successor", testRedirect},
		{"versions/pages", testVersions},
		{"versions/purge", testPurge},
		{"stats", testStats},
		{"reconcile/heals", testReconcile},
		{"reconcile/ends", testReconcileEnds},
		{"reconcile/ends behind a fast writer", testReconcileEndsBehindAWriter},
		{"load/leaves what is there", testLoad},
		{"reconcile/rebuild equals incremental", testRebuild},
		{"random operations equal the oracle", testRandom},
		{"context ends", testContext},
		{"closed", testClosed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.run(t, open(t))
		})
	}
}

// generation returns a generation of the suite.
func generation(n, dim int) vector.Generation {
	return vector.Generation{N: n, Model: "test/model-" + fmt.Sprint(dim), Dim: dim, Analyzer: "test-1", AvgLen: 20}
}

// opened creates and opens a generation.
func opened(t testing.TB, b vector.Backend, g vector.Generation) vector.Index {
	t.Helper()
	if err := b.Create(t.Context(), g); err != nil {
		t.Fatalf("create: %v", err)
	}
	x, err := b.Open(t.Context(), g)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return x
}

// put writes documents or fails the test.
func put(t testing.TB, x vector.Index, docs ...vector.Doc) {
	t.Helper()
	if err := x.Put(t.Context(), docs); err != nil {
		t.Fatalf("put: %v", err)
	}
}

// doc returns an active fact of the first tenant.
func doc(version int64, dense ...float32) vector.Doc {
	return vector.Doc{
		ID: ident.New(memory.PrefixMemory), Tenant: tenant, Scope: here, Kind: memory.KindFact, State: vector.Active,
		Version: version, UpdatedAt: at(version), ContentHash: fmt.Sprint("hash-", version), Dense: dense,
	}
}

// at returns a time that grows with the version.
func at(version int64) time.Time {
	return time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(version) * time.Second)
}

// tombstone returns the deletion of a document.
func tombstone(d vector.Doc, version int64) vector.Doc {
	return vector.Doc{ID: d.ID, Tenant: d.Tenant, Version: version, UpdatedAt: at(version), Deleted: true}
}

func search(t testing.TB, x vector.Index, within vector.Filter, q vector.Query) vector.Lists {
	t.Helper()
	lists, err := x.Search(t.Context(), within, q)
	if err != nil {
		t.Fatalf("search: %v", err)
	}
	return lists
}

func near(t testing.TB, x vector.Index, within vector.Filter, v []float32, least float64, limit int) []vector.Hit {
	t.Helper()
	hits, err := x.Near(t.Context(), within, v, least, limit)
	if err != nil {
		t.Fatalf("near: %v", err)
	}
	return hits
}

func wantError(t testing.TB, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error %v, want %v", what, err, want)
	}
}

// wantIDs compares ids in order.
func wantIDs(t testing.TB, what string, got []vector.Hit, want ...string) {
	t.Helper()
	if fmt.Sprint(ids(got)) != fmt.Sprint(want) {
		t.Errorf("%s: found %v, want %v", what, ids(got), want)
	}
}

// words of the random texts: few, so that they repeat, the first ones most often.
func words(r *rand.Rand, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint("word", int(float64(60)*r.Float64()*r.Float64()*r.Float64()))
	}
	return out
}

// Random returns n documents of one tenant in clusters, with texts of 5 to 30 words;
// equal seeds give equal vectors and words. Benchmarks use it too.
func Random(tenant memory.Tenant, g vector.Generation, n int, seed uint64) []vector.Doc {
	r := rand.New(rand.NewPCG(seed, 1))
	centres := make([][]float32, max(1, n/20))
	for i := range centres {
		centres[i] = direction(r, g.Dim, nil)
	}
	kinds, states := memory.Kinds(), []vector.State{vector.Active, vector.Active, vector.Archived, vector.Pending}
	docs := make([]vector.Doc, n)
	for i := range docs {
		d := doc(int64(i+1), direction(r, g.Dim, centres[r.IntN(len(centres))])...)
		d.Tenant, d.Scope = tenant, []memory.Scope{here, there}[r.IntN(2)]
		d.Kind, d.State = kinds[r.IntN(len(kinds))], states[r.IntN(len(states))]
		d.Outcome = []string{"", "success", "failure"}[r.IntN(3)]
		d.Terms = vector.Weigh(words(r, 5+r.IntN(26)), g.AvgLen)
		docs[i] = d
	}
	return docs
}

// direction returns a random vector, near a centre where one is given.
func direction(r *rand.Rand, dim int, centre []float32) []float32 {
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(r.NormFloat64())
		if centre != nil {
			v[i] = centre[i] + 0.6*v[i]
		}
	}
	return v
}
