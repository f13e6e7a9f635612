package search

import (
	"slices"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Row is what a search needs to know of a memory beyond its rank.
type Row struct {
	Scope        memory.Scope
	Kind         memory.Kind
	Outcome      string // "success", "failure" or empty
	Confidence   float64
	Authority    memory.Origin
	Consolidated bool // it was merged from several memories
	// Topics and MacroTopics are what it is about; shared, never changed.
	Topics, MacroTopics []string
}

// Rows returns the row of a document, nil for one that has none.
type Rows func(id string) *Row

// tagConsolidated marks a memory that was merged from several (D13).
const tagConsolidated = "consolidated"

// RowOf returns the row of a memory.
func RowOf(m *memory.Memory) Row {
	return Row{
		Scope: m.Scope, Kind: m.Kind, Outcome: m.Outcome, Confidence: m.Confidence, Authority: m.Authority,
		Consolidated: slices.Contains(m.Tags, tagConsolidated), Topics: m.Topics, MacroTopics: m.MacroTopics,
	}
}

// DefaultMinConfidence applies to a request without a minimum (S4.1). Memories recorded
// by the defaults start at 0.6 and are never hidden by it.
const DefaultMinConfidence = 0.5

// Filter says what a request wants to see. The zero value passes everything.
type Filter struct {
	Outcome       string // "success" or "failure"; empty means all
	Kinds         []memory.Kind
	Scopes        []memory.Scope
	Topic         string  // normalised; memories that have it as a topic or macro topic
	MinConfidence float64 // inclusive
}

// sees reports whether the row passes, apart from confidence.
func (f *Filter) sees(r *Row) bool {
	return (f.Outcome == "" || f.Outcome == r.Outcome) &&
		(len(f.Kinds) == 0 || slices.Contains(f.Kinds, r.Kind)) &&
		(len(f.Scopes) == 0 || slices.Contains(f.Scopes, r.Scope)) &&
		(f.Topic == "" || slices.Contains(r.Topics, f.Topic) || slices.Contains(r.MacroTopics, f.Topic))
}

// Multipliers of the first stage (D19, S2.5).
const (
	boostSummary    = 1.4
	boostPreference = 1.3
)

// Trusted reports whether a memory may be boosted. Text from outside could call itself
// a summary to rank first.
func Trusted(r *Row) bool { return r.Authority > memory.OriginExternal }

// boost returns the product of the first stage's multipliers. The weight of a scope is
// no favour and applies to every row.
func boost(r *Row, o *Options) float64 {
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

// Pool is the candidates to match closely, and counts of those left out.
type Pool struct {
	Scored   []Scored
	Matched  int // documents that the index found and that still have a row
	Filtered int // of Matched, excluded by the filter
	Unsure   int // of Matched, below the minimum confidence
	Capped   int // of Matched, beyond the size of the pool
}

// Gather filters a ranking, applies the boosts, and returns the best size documents.
// Boosts come before the cap, so that summaries survive it (S2.6). Filters come before
// the cap too, because a document that will not be shown must not use up a slot.
// Documents without a row were deleted meanwhile and are dropped.
func Gather(ranked []Scored, rows Rows, f Filter, o Options, size int) Pool {
	return GatherIn(nil, ranked, rows, f, o, size)
}

// GatherIn is [Gather] in the given memory, where it is large enough.
func GatherIn(space, ranked []Scored, rows Rows, f Filter, o Options, size int) Pool {
	p := Pool{Scored: slices.Grow(space[:0], len(ranked))}
	for _, s := range ranked {
		r := rows(s.ID)
		if r == nil {
			continue
		}
		p.Matched++
		switch {
		case !f.sees(r):
			p.Filtered++
		case r.Confidence < f.MinConfidence:
			p.Unsure++
		default:
			s.Boost = boost(r, &o)
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
