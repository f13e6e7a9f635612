package consolidation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// class is what memories must share to be compared (D13, S0.56).
type class struct {
	tenant  memory.Tenant
	scope   memory.Scope
	kind    memory.Kind
	outcome string
	origin  trust
	power   trust
}

// trust is an origin as far as it separates memories: each origin below first-party is
// one of its own, so that nobody's words lower the authority of another's.
type trust int8

func trustOf(o memory.Origin) trust { return trust(min(o, memory.OriginFirstParty)) }

func classOf(m *memory.Memory) class {
	return class{m.Tenant, m.Scope, m.Kind, m.Outcome, trustOf(m.Origin), trustOf(m.Authority)}
}

func compareClasses(a, b class) int {
	return cmp.Or(cmp.Compare(a.tenant, b.tenant), cmp.Compare(a.scope, b.scope), cmp.Compare(a.kind, b.kind),
		strings.Compare(a.outcome, b.outcome), cmp.Compare(a.origin, b.origin), cmp.Compare(a.power, b.power))
}

// partition sorts the candidates that may be consolidated into classes, each by id.
// The order of the candidates makes no difference.
func partition(candidates []Candidate) [][]Candidate {
	byClass := map[class][]Candidate{}
	for _, c := range candidates {
		k := classOf(&c.Memory)
		byClass[k] = append(byClass[k], c)
	}
	keys := make([]class, 0, len(byClass))
	for k := range byClass {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, compareClasses)
	parts := make([][]Candidate, 0, len(keys))
	for _, k := range keys {
		part := byClass[k]
		slices.SortFunc(part, func(a, b Candidate) int { return strings.Compare(a.ID, b.ID) })
		parts = append(parts, part)
	}
	return parts
}

// examined returns the candidates that a plan compares, and counts the rest: active
// ones, no older than the limit, the newest where there are too many, with a vector
// where vectors are compared. Summaries have a life of their own.
func examined(candidates []Candidate, c Config, plan *Plan) []Candidate {
	var list []Candidate
	for _, m := range candidates {
		switch {
		case m.State != memory.StateActive || m.Kind == memory.KindSummary || m.Kind == memory.KindSummaryArchived:
		case c.MaxAge > 0 && c.Now.Sub(m.CreatedAt) > c.MaxAge:
		default:
			list = append(list, m)
		}
	}
	if c.MaxMemories > 0 && len(list) > c.MaxMemories {
		slices.SortFunc(list, func(a, b Candidate) int {
			return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), strings.Compare(b.ID, a.ID))
		})
		plan.Truncated = len(list) - c.MaxMemories
		list = list[:c.MaxMemories]
	}
	if !c.WordsAlone {
		n := len(list)
		list = slices.DeleteFunc(list, func(m Candidate) bool { return len(m.Vector) == 0 })
		plan.WithoutVector = n - len(list)
	}
	plan.Examined = len(list)
	return list
}
