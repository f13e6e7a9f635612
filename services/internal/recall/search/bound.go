package search

import "github.com/winnowhq/winnow/services/internal/memory"

// Bound returns the highest score that [Gather] can give a document, as far as the
// index tells. A caller that reads rows best first may stop once the pool is full of
// better ones. o must be valid.
func Bound(s *Scored, o *Options) float64 {
	r := &Row{Authority: memory.OriginHuman}
	if s.Hit != nil {
		r.Scope, r.Kind = s.Hit.Scope, s.Hit.Kind
	}
	most := 1.0
	if r.Kind == "" { // reached by a redirect or as a neighbour: of any kind and scope
		r.Kind = memory.KindSummary
		for _, w := range o.ScopeWeights {
			most = max(most, w)
		}
	}
	return s.Fused * boost(r, o) * most
}
