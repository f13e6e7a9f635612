package review

import (
	"cmp"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/change"
)

// Together makes one change of several that were decided side by side, so that
// all take effect or none. Two that change the same row cannot be one: the
// second would undo the first. The error is ErrState and names the row.
func Together(sets ...change.Set) (change.Set, error) {
	var all change.Set
	touched := map[string]bool{}
	for _, s := range sets {
		for _, u := range s.ProposalUpdates {
			if touched[u.ID] {
				return change.Set{}, fmt.Errorf("%w: two answers change %s; give them one after the other", ErrState, u.ID)
			}
			touched[u.ID] = true
		}
		for _, u := range s.MemoryUpdates {
			if touched[u.ID] {
				return change.Set{}, fmt.Errorf("%w: two answers change %s; give them one after the other", ErrState, u.ID)
			}
			touched[u.ID] = true
		}
		if s.Slot != nil && all.Slot != nil {
			return change.Set{}, fmt.Errorf("%w: two slots in one change", ErrState)
		}
		all.Slot = cmp.Or(all.Slot, s.Slot)
		appendRows(&all, s)
	}
	return all, nil
}

func appendRows(all *change.Set, s change.Set) {
	all.Proposals = append(all.Proposals, s.Proposals...)
	all.Memories = append(all.Memories, s.Memories...)
	all.Decisions = append(all.Decisions, s.Decisions...)
	all.Evidence = append(all.Evidence, s.Evidence...)
	all.Links = append(all.Links, s.Links...)
	all.ProposalUpdates = append(all.ProposalUpdates, s.ProposalUpdates...)
	all.MemoryUpdates = append(all.MemoryUpdates, s.MemoryUpdates...)
	all.DroppedLinks = append(all.DroppedLinks, s.DroppedLinks...)
	all.DroppedEvidence = append(all.DroppedEvidence, s.DroppedEvidence...)
	all.Sessions = append(all.Sessions, s.Sessions...)
	all.Traces = append(all.Traces, s.Traces...)
	all.SessionUpdates = append(all.SessionUpdates, s.SessionUpdates...)
	all.Retired = append(all.Retired, s.Retired...)
	all.RetiredRemoved = append(all.RetiredRemoved, s.RetiredRemoved...)
	all.BootFiles = append(all.BootFiles, s.BootFiles...)
	all.BootRemoved = append(all.BootRemoved, s.BootRemoved...)
	all.Principals = append(all.Principals, s.Principals...)
	all.Policies = append(all.Policies, s.Policies...)
	all.Reviews = append(all.Reviews, s.Reviews...)
	all.Reviewers = append(all.Reviewers, s.Reviewers...)
	all.ReviewersGone = append(all.ReviewersGone, s.ReviewersGone...)
	all.Digests = append(all.Digests, s.Digests...)
	all.DigestReplies = append(all.DigestReplies, s.DigestReplies...)
	all.Events = append(all.Events, s.Events...)
	all.Audit = append(all.Audit, s.Audit...)
}
