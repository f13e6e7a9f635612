package search

import (
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Multipliers of the last stage (D19, S2.7).
const (
	finalSummary      = 1.3
	finalConsolidated = 1.2
)

// Evidence holds what a closer look at a pool saw. Each slice has one value for each
// document of the pool, in its order, or is nil.
type Evidence struct {
	Match  []Signs   // of a [Matcher]
	Rerank []float64 // of a reranker; replaces the relevance computed so far
	Far    []bool    // documents that are left out: see [Far]
}

// Settle computes the relevance of each document of a pool and returns the best, at
// most limit, ties by id. Without evidence the relevance is the fused score.
func Settle(p Pool, e Evidence, rows Rows, o Options, limit int) []Scored {
	return SettleIn(nil, p, e, rows, o, limit)
}

// SettleIn is [Settle] in the given memory, where it is large enough; the pool is not in it.
func SettleIn(space []Scored, p Pool, e Evidence, rows Rows, o Options, limit int) []Scored {
	out := append(space[:0], p.Scored...)
	best := 1.0
	for i := range out {
		s := &out[i]
		s.Relevance = s.Fused
		if e.Match != nil {
			s.Relevance = (1-o.MatchShare)*s.Fused + o.MatchShare*e.Match[i].Relevance(s.Fused, s.Cosine)
		}
		s.Relevance *= s.Boost
		best = max(best, s.Relevance)
	}
	for i := range out {
		s := &out[i]
		s.Relevance /= best
		if e.Rerank != nil {
			s.Relevance = e.Rerank[i]
		}
		row := rows(s.ID)
		s.Relevance = min(1, s.Relevance*finalBoost(row)*o.sureness(row))
	}
	if e.Far != nil {
		shown := out[:0]
		for i := range out {
			if !e.Far[i] {
				shown = append(shown, out[i])
			}
		}
		out = shown
	}
	sorted(out, func(s *Scored) float64 { return s.Relevance })
	return out[:min(limit, len(out))]
}

// sureness returns the factor of a memory's confidence, 1 for a confidence of 1. It
// applies to every memory, like the weight of a scope, and after the reranker, which
// knows nothing of what happened with a text.
func (o *Options) sureness(r *Row) float64 { return 1 - o.ConfidenceShare*(1-r.Confidence) }

func finalBoost(r *Row) float64 {
	if !Trusted(r) {
		return 1
	}
	b := 1.0
	if r.Kind == memory.KindSummary {
		b *= finalSummary
	}
	if r.Consolidated {
		b *= finalConsolidated
	}
	return b
}
