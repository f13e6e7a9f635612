package change

import "github.com/winnowhq/winnow/services/internal/memory"

// Coalesced returns the set with one update of each row, in the order of the first
// ones: a thousand repeats of one text in a batch are one write of its counter. An
// update gives the whole mutable part of its row, so the last replaces those before
// it, except for what they add up to: the highest Lift, any Outside, and the
// version that the first was decided on, because the row moved since only by this
// set. It is the one place where that is decided; handlers append, and the commit
// coalesces. The slices of s are not changed.
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
	type assignment struct {
		principal string
		scope     memory.Scope
	}
	s.Reviewers = lastOfEach(s.Reviewers, func(r *memory.Reviewer) assignment { return assignment{r.Principal, r.Scope} }, nil)
	return s
}

// earliest is the version that the first of several updates was decided on, where
// it named one.
func earliest(before, last int64) int64 {
	if before != 0 {
		return before
	}
	return last
}

// lastOfEach keeps the last row of each key, at the place of the first. What does
// not replace but adds up, carry takes over from the row before; nil carries
// nothing.
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
