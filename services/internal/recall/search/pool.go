package search

import (
	"slices"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Row is what a search must know of a memory beyond its place in a list.
type Row struct {
	Scope        memory.Scope
	Kind         memory.Kind
	Outcome      string // "success", "failure" or empty
	Confidence   float64
	Authority    memory.Origin
	Consolidated bool // it was made of several memories
}

// tagConsolidated marks what was made of several memories (D13).
const tagConsolidated = "consolidated"

// RowOf is the row of a memory.
func RowOf(m *memory.Memory) Row {
	return Row{
		Scope: m.Scope, Kind: m.Kind, Outcome: m.Outcome, Confidence: m.Confidence, Authority: m.Authority,
		Consolidated: slices.Contains(m.Tags, tagConsolidated),
	}
}

// DefaultMinConfidence is what an agent that names none gets (S4.1). Memories
// recorded by the defaults start at 0.6 and are never hidden by it.
const DefaultMinConfidence = 0.5

// Filter says what an asker wants to see. The zero value sees everything.
type Filter struct {
	Outcome       string // "success" or "failure"; empty means all
	Kinds         []memory.Kind
	Scopes        []memory.Scope
	MinConfidence float64 // inclusive
}

// sees says whether the row passes, leaving out confidence.
func (f *Filter) sees(r Row) bool {
	return (f.Outcome == "" || f.Outcome == r.Outcome) &&
		(len(f.Kinds) == 0 || slices.Contains(f.Kinds, r.Kind)) &&
		(len(f.Scopes) == 0 || slices.Contains(f.Scopes, r.Scope))
}

// Multipliers of the first stage (D19, S2.5).
const (
	boostSummary    = 1.4
	boostPreference = 1.3
)

// Trusted says whether a memory may be boosted at all. Text that came from
// outside could call itself a summary to be seen first.
func Trusted(r Row) bool { return r.Authority > memory.OriginExternal }

// boost is the product of the first stage's multipliers. The weight of a scope
// is no favour and applies to everything.
func boost(r Row, o Options) float64 {
	b := 1.0
	if w, ok := o.ScopeWeights[r.Scope.Kind()]; ok {
		b = w
	}
	if !Trusted(r) {
		return b
	}
	switch r.Kind {
	case memory.KindSummary:
		b *= boostSummary
	case memory.KindPreference:
		b *= boostPreference
	}
	return b
}

// Pool is what is left to look at closely, and why the rest is not.
type Pool struct {
	Scored   []Scored
	Matched  int // documents that the index found and that still exist
	Filtered int // of them, those that the filter does not want
	Unsure   int // those below the least confidence
	Capped   int // those that the pool has no room for
}

// Gather filters a ranking, multiplies, and keeps the best size documents.
// Multipliers come before the cap, so that summaries survive into it (S2.6);
// filters do too, because what will not be shown must not take a place.
// Documents without a row are gone since and are dropped.
func Gather(ranked []Scored, rows map[string]Row, f Filter, o Options, size int) Pool {
	p := Pool{Scored: make([]Scored, 0, len(ranked))}
	for _, s := range ranked {
		r, ok := rows[s.ID]
		if !ok {
			continue
		}
		p.Matched++
		switch {
		case !f.sees(r):
			p.Filtered++
		case r.Confidence < f.MinConfidence:
			p.Unsure++
		default:
			s.Boost = boost(r, o)
			p.Scored = append(p.Scored, s)
		}
	}
	sorted(p.Scored, func(s *Scored) float64 { return s.Fused * s.Boost })
	if len(p.Scored) > size {
		p.Capped = len(p.Scored) - size
		p.Scored = p.Scored[:size]
	}
	return p
}
