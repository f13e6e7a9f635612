package consolidate_test

import (
	"errors"
	"math"
	"testing"

	"github.com/winnowhq/winnow/services/consolidate"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/recall/indexing"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/vector/embedded"
)

// searching returns a search with the settings of every process.
func (r *rig) searching() *recall.Recall {
	r.Helper()
	table := static.New()
	truth := &indexing.Truth{Store: r.Store(), Embedder: table, Analyzer: search.NewAnalyzer(), Local: true, Originals: true}
	follower := indexing.NewFollower(truth, r.Store())
	x, err := embedded.New(embedded.DefaultConfig(), follower.Source)
	if err != nil {
		r.Fatal(err)
	}
	g := truth.Generation(1)
	if err := errors.Join(x.Create(r.Context(), g), x.Activate(r.Context(), g)); err != nil {
		r.Fatal(err)
	}
	found := &recall.Recall{
		Store: r.Store(), Embedder: table, Analyzer: truth.Analyzer, Matcher: search.NewMatcher(truth.Analyzer, table.Embed),
		Options: search.DefaultOptions(), Index: follower.Wrap(x), Served: r.Store(), Research: r.Store(),
	}
	r.Cleanup(func() { found.Close(); _ = x.Close() })
	return found
}

// S4.99: a consolidated memory ranks 1.2 times as high as the same text that no run made.
// Its sources are not shown, and what only one of them said finds it.
func TestConsolidatedRanksHigher(t *testing.T) {
	t.Parallel()
	r := setup(t, consolidate.Definition, nil)
	ids := r.texts(timeout, longer, migration)
	_, items := r.consolidate(memory.RunOptions{})
	if len(items) != 1 || items[0].State != memory.ItemApplied {
		t.Fatalf("steps %+v", items)
	}
	made := r.memory(items[0].MemoryID)
	plain := made
	plain.ID, plain.Tags, plain.Scope = "", nil, "project:other"
	same := r.remember(plain)[0]

	// The other memory answers better, so that no relevance reaches the cap of 1.
	answer, err := r.searching().Search(t.Context(), recall.Question{Text: "database migrations of a new release timeout", Tenant: tenant, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	relevance := map[string]float64{}
	for _, f := range answer.Found {
		relevance[f.ID] = f.Relevance
	}
	got, base := relevance[made.ID], relevance[same]
	if base <= 0 || relevance[ids[2]] <= got {
		t.Fatalf("relevance %v", relevance)
	}
	if ratio := got / base; math.Abs(ratio-1.2) > 1e-6 {
		t.Errorf("it ranks %.4f times as high (%v and %v), want 1.2", ratio, got, base)
	}
	for _, id := range ids[:2] {
		if _, shown := relevance[id]; shown {
			t.Errorf("the source %s is shown", id)
		}
	}
}
