package search_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// fact is an ordinary row.
func fact() search.Row {
	return search.Row{Scope: "project:p", Kind: memory.KindFact, Confidence: 0.8, Authority: memory.OriginAgent}
}

// ranking gives n documents m00, m01 … falling scores and the same row.
func ranking(n int) ([]search.Scored, map[string]search.Row) {
	var hits []vector.Hit
	rows := map[string]search.Row{}
	for i := range n {
		id := fmt.Sprintf("m%02d", i)
		hits = append(hits, vector.Hit{ID: id, Score: 1, State: vector.Active})
		rows[id] = fact()
	}
	return search.Fuse(vector.Lists{Lexical: hits}, rrf()), rows
}

func of(rows map[string]search.Row) search.Rows {
	return func(id string) *search.Row {
		if r, ok := rows[id]; ok {
			return &r
		}
		return nil
	}
}

func with(rows map[string]search.Row, id string, change func(*search.Row)) {
	r := rows[id]
	change(&r)
	rows[id] = r
}

// S2.5, D19, and the golden case of the seeds' constants: with k = 60 a summary
// at rank 25 passes an ordinary memory at rank 1.
func TestSummaryAtRank25PassesRank1(t *testing.T) {
	t.Parallel()
	ranked, rows := ranking(30)
	with(rows, "m24", func(r *search.Row) { r.Kind = memory.KindSummary })
	pool := search.Gather(ranked, of(rows), search.Filter{}, rrf(), 64)
	if pool.Scored[0].ID != "m24" || pool.Scored[0].Boost != 1.4 {
		t.Errorf("first is %+v, want m24 at 1.4", pool.Scored[0])
	}
	with(rows, "m24", func(r *search.Row) { r.Kind = memory.KindPreference })
	pool = search.Gather(ranked, of(rows), search.Filter{}, rrf(), 64)
	if pool.Scored[0].ID != "m00" {
		t.Errorf("a preference at rank 25 passes rank 1 (1.3 is less than 85/61)")
	}
}

// S2.6: the multiplier comes before the cap.
func TestSummarySurvivesTheCap(t *testing.T) {
	t.Parallel()
	ranked, rows := ranking(30)
	with(rows, "m20", func(r *search.Row) { r.Kind = memory.KindSummary })
	pool := search.Gather(ranked, of(rows), search.Filter{}, rrf(), 5)
	if len(pool.Scored) != 5 || pool.Scored[0].ID != "m20" || pool.Capped != 25 {
		t.Errorf("pool %s, %d capped", ids(pool.Scored), pool.Capped)
	}
}

// D19: text from outside could call itself a summary to rank first.
func TestBoostsAreWithheld(t *testing.T) {
	t.Parallel()
	for _, authority := range memory.Origins() {
		ranked, rows := ranking(3)
		with(rows, "m02", func(r *search.Row) {
			r.Kind, r.Authority, r.Consolidated = memory.KindSummary, authority, true
		})
		pool := search.Gather(ranked, of(rows), search.Filter{}, rrf(), 64)
		final := search.Settle(pool, search.Evidence{Rerank: []float64{0.5, 0.5, 0.5}}, of(rows), rrf(), 3)
		boosted := pool.Scored[0].ID == "m02" && final[0].ID == "m02" && final[0].Relevance > 0.5
		if want := authority > memory.OriginExternal; boosted != want {
			t.Errorf("%s: boosted %v, want %v", authority, boosted, want)
		}
	}
}

// S4.30: a project's memory before its team's before its organisation's.
func TestScopeWeights(t *testing.T) {
	t.Parallel()
	hits := list("o", 1.0, "t", 1.0, "p", 1.0, "u", 1.0)
	rows := map[string]search.Row{}
	for id, scope := range map[string]memory.Scope{"o": "org:x", "t": "team:x", "p": "project:x", "u": "user:x"} {
		r := fact()
		r.Scope = scope
		rows[id] = r
	}
	o := search.DefaultOptions()
	pool := search.Gather(search.Fuse(vector.Lists{Lexical: hits}, o), of(rows), search.Filter{}, o, 64)
	if ids(pool.Scored) != "p u t o" || pool.Scored[3].Boost != 0.8 || pool.Scored[2].Boost != 0.9 {
		t.Errorf("got %s: %+v", ids(pool.Scored), pool.Scored)
	}
}

// S4.1: outcome, kind and scope filter; min_confidence is inclusive.
func TestFilters(t *testing.T) {
	t.Parallel()
	ranked, rows := ranking(4)
	with(rows, "m00", func(r *search.Row) { r.Confidence = 0.5 })
	with(rows, "m01", func(r *search.Row) { r.Confidence = math.Nextafter(0.5, 0) })
	with(rows, "m02", func(r *search.Row) { r.Outcome = "failure" })
	with(rows, "m03", func(r *search.Row) { r.Kind, r.Scope = memory.KindRule, "team:t" })
	for name, c := range map[string]struct {
		filter search.Filter
		want   string
		unsure int
	}{
		"none":       {search.Filter{}, "m00 m01 m02 m03", 0},
		"confidence": {search.Filter{MinConfidence: search.DefaultMinConfidence}, "m00 m02 m03", 1},
		"outcome":    {search.Filter{Outcome: "failure"}, "m02", 0},
		"kind":       {search.Filter{Kinds: []memory.Kind{memory.KindRule}}, "m03", 0},
		"scope":      {search.Filter{Scopes: []memory.Scope{"project:p"}}, "m00 m01 m02", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool := search.Gather(ranked, of(rows), c.filter, rrf(), 64)
			if ids(pool.Scored) != c.want || pool.Unsure != c.unsure || pool.Matched != 4 {
				t.Errorf("got %s, %+v", ids(pool.Scored), pool)
			}
		})
	}
}

// A row that was deleted since the index was asked is no result.
func TestGatherDropsWhatIsGone(t *testing.T) {
	t.Parallel()
	ranked, rows := ranking(3)
	delete(rows, "m01")
	if pool := search.Gather(ranked, of(rows), search.Filter{}, rrf(), 64); ids(pool.Scored) != "m00 m02" || pool.Matched != 2 {
		t.Errorf("got %+v", pool)
	}
}
