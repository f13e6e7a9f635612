package change

import "github.com/winnowhq/winnow/services/internal/memory"

// Coalesced returns the set with one update of each row, in the order of the first
// updates. A thousand repeats of one text in a batch become one write of its
// counter.
//
// An update gives the whole mutable part of its row, so the last update replaces
// the earlier ones. Three fields accumulate instead: the highest Lift, any Outside,
// and the Expect of the first update, because only this set changed the row since.
// Increments of weights are added.
// Handlers append updates, and the commit coalesces them here and nowhere else.
// Coalesced does not change the slices of s.
func (s Set) Coalesced() Set {
	s.ProposalUpdates = lastOfEach(s.ProposalUpdates, func(u *ProposalUpdate) string { return u.ID }, func(before, last *ProposalUpdate) {
		last.Lift = max(last.Lift, before.Lift)
		last.Outside = last.Outside || before.Outside
		last.Expect = earliest(before.Expect, last.Expect)
	})
	s.MemoryUpdates = lastOfEach(s.MemoryUpdates, func(u *MemoryUpdate) string { return u.ID }, func(before, last *MemoryUpdate) {
		last.Lift = max(last.Lift, before.Lift)
		last.Outside = last.Outside || before.Outside
		last.Expect = earliest(before.Expect, last.Expect)
	})
	s.SessionUpdates = lastOfEach(s.SessionUpdates, func(u *SessionUpdate) string { return u.ID }, nil)
	s.RunUpdates = lastOfEach(s.RunUpdates, func(u *RunUpdate) string { return u.ID }, func(before, last *RunUpdate) {
		last.Expect = earliest(before.Expect, last.Expect)
	})
	s.WorkflowUpdates = lastOfEach(s.WorkflowUpdates, func(u *WorkflowUpdate) string { return u.ID }, func(before, last *WorkflowUpdate) {
		last.Expect = earliest(before.Expect, last.Expect)
	})
	type step struct {
		run string
		n   int
	}
	s.RunItems = lastOfEach(s.RunItems, func(i *memory.RunItem) step { return step{i.RunID, i.N} }, nil)
	type source struct{ memory, principal string }
	s.Aggregates = lastOfEach(s.Aggregates, func(a *memory.SignalAggregate) source { return source{a.MemoryID, a.Principal} }, nil)
	s.Learned = lastOfEach(s.Learned, func(l *memory.Learned) string { return l.MemoryID }, nil)
	s.WeightGains = lastOfEach(s.WeightGains, func(g *memory.ProjectWeights) memory.Scope { return g.Scope }, func(before, last *memory.ProjectWeights) {
		last.ExplicitAlpha += before.ExplicitAlpha
		last.ExplicitBeta += before.ExplicitBeta
		last.UsageAlpha += before.UsageAlpha
		last.UsageBeta += before.UsageBeta
		last.OutcomeAlpha += before.OutcomeAlpha
		last.OutcomeBeta += before.OutcomeBeta
	})
	s.CountedServed = lastOfEach(s.CountedServed, func(c *Served) Served { return *c }, nil)
	s.ScopeLinks = lastOfEach(s.ScopeLinks, func(l *memory.ScopeLink) memory.Scope { return l.Scope }, nil)
	type assignment struct {
		principal string
		scope     memory.Scope
	}
	s.Reviewers = lastOfEach(s.Reviewers, func(r *memory.Reviewer) assignment { return assignment{r.Principal, r.Scope} }, nil)
	return s
}

// earliest returns the version that the first update expects, or that of the last
// when the first expects none.
func earliest(before, last int64) int64 {
	if before != 0 {
		return before
	}
	return last
}

// lastOfEach returns the last row of each key, at the position of the first. carry
// copies accumulating fields from the previous row of the key; nil copies none.
func lastOfEach[R any, K comparable](rows []R, key func(*R) K, carry func(before, last *R)) []R {
	if len(rows) < 2 {
		return rows
	}
	at := make(map[K]int, len(rows))
	out := make([]R, 0, len(rows))
	for i := range rows {
		row := rows[i]
		j, seen := at[key(&row)]
		if !seen {
			at[key(&row)] = len(out)
			out = append(out, row)
			continue
		}
		if carry != nil {
			carry(&out[j], &row)
		}
		out[j] = row
	}
	return out
}
