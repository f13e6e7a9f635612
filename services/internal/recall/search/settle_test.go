package search_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall/search"
)

// S2.7, D19: after the reranker a summary counts 1.3, a consolidated memory
// 1.2, capped at 1; ties by id.
func TestSettleAfterRerank(t *testing.T) {
	t.Parallel()
	ranked, rows := ranking(4)
	with(rows, "m01", func(r *search.Row) { r.Kind = memory.KindSummary })
	with(rows, "m02", func(r *search.Row) { r.Consolidated = true })
	with(rows, "m03", func(r *search.Row) { r.Kind, r.Consolidated = memory.KindSummary, true })
	for id := range rows {
		with(rows, id, func(r *search.Row) { r.Confidence = 1 })
	}
	pool := search.Gather(ranked, of(rows), search.Filter{}, rrf(), 64)
	rerank := make([]float64, len(pool.Scored))
	for i := range rerank {
		rerank[i] = 0.5
	}
	want := map[string]float64{"m00": 0.5, "m01": 0.65, "m02": 0.6, "m03": 0.5 * 1.3 * 1.2}
	got := search.Settle(pool, search.Evidence{Rerank: rerank}, of(rows), rrf(), 10)
	if ids(got) != "m03 m01 m02 m00" {
		t.Errorf("order %s", ids(got))
	}
	for _, s := range got {
		if s.Relevance != want[s.ID] {
			t.Errorf("%s has %v, want %v", s.ID, s.Relevance, want[s.ID])
		}
	}
	for i := range rerank {
		rerank[i] = 0.9
	}
	got = search.Settle(pool, search.Evidence{Rerank: rerank}, of(rows), rrf(), 10)
	if ids(got) != "m01 m02 m03 m00" || got[0].Relevance != 1 {
		t.Errorf("capped: %s, first %v", ids(got), got[0].Relevance)
	}
}

// S4.28: of two memories that answer alike, the one that proved itself comes first,
// with a reranker and without; a share of 0 ignores the confidence. A confidence cannot
// make more of a text than the text is.
func TestSettleFollowsConfidence(t *testing.T) {
	t.Parallel()
	ranked, rows := ranking(2)
	with(rows, "m00", func(r *search.Row) { r.Confidence = 0.5 })
	with(rows, "m01", func(r *search.Row) { r.Confidence = 0.9 })
	o := rrf()
	pool := search.Gather(ranked, of(rows), search.Filter{}, o, 64)
	for name, e := range map[string]search.Evidence{
		"words": {Match: []search.Signs{{Near: 0.8}, {Near: 0.8}}}, "reranker": {Rerank: []float64{0.8, 0.8}},
	} {
		got := search.Settle(pool, e, of(rows), o, 10)
		if ids(got) != "m01 m00" || got[0].Relevance > 0.81 || got[1].Relevance > 0.81*0.8 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	o.ConfidenceShare = 0
	if got := search.Settle(pool, search.Evidence{Rerank: []float64{0.8, 0.8}}, of(rows), o, 10); ids(got) != "m00 m01" || got[0].Relevance != 0.8 {
		t.Errorf("without a share: %+v", got)
	}
}

func TestSettleMixesMatch(t *testing.T) {
	t.Parallel()
	ranked, rows := ranking(2)
	o := rrf()
	o.MatchShare = 0.75
	pool := search.Gather(ranked, of(rows), search.Filter{}, o, 64)
	got := search.Settle(pool, search.Evidence{Match: []search.Signs{{}, {Near: 1}}}, of(rows), o, 1)
	if len(got) != 1 || got[0].ID != "m01" {
		t.Errorf("got %+v", got)
	}
}

// For any evidence, relevance lies in [0,1] and falls.
func TestSettleIsBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ranked, rows := ranking(rapid.IntRange(0, 8).Draw(t, "n"))
		for id := range rows {
			with(rows, id, func(r *search.Row) {
				r.Kind = rapid.SampledFrom(memory.Kinds()).Draw(t, "kind")
				r.Consolidated = rapid.Bool().Draw(t, "consolidated")
			})
		}
		pool := search.Gather(ranked, of(rows), search.Filter{}, rrf(), 64)
		share := rapid.SliceOfN(rapid.Float64Range(0, 1), len(pool.Scored), len(pool.Scored))
		var e search.Evidence
		if rapid.Bool().Draw(t, "matched") {
			for range pool.Scored {
				x := rapid.SliceOfN(rapid.Float64Range(0, 1), 11, 11).Draw(t, "signs")
				e.Match = append(e.Match, search.Signs{
					Match: x[0], Near: x[1], Own: x[2], Back: x[3], Title: x[4], Pairs: x[5], Beside: x[6],
					Short: x[7], Long: x[8], Asks: x[9], Brief: x[10], Kinds: search.Kinds(rapid.Uint16().Draw(t, "kinds")),
				})
			}
		}
		if rapid.Bool().Draw(t, "reranked") {
			e.Rerank = share.Draw(t, "rerank")
		}
		got := search.Settle(pool, e, of(rows), rrf(), 5)
		for i, s := range got {
			if s.Relevance < 0 || s.Relevance > 1 || i > 0 && got[i-1].Relevance < s.Relevance {
				t.Fatalf("%+v", got)
			}
		}
		if want := min(5, len(pool.Scored)); len(got) != want {
			t.Fatalf("%d results, want %d", len(got), want)
		}
	})
}
