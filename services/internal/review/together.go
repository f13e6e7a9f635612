package review

import (
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
		all.Proposals = append(all.Proposals, s.Proposals...)
		all.Memories = append(all.Memories, s.Memories...)
		all.Decisions = append(all.Decisions, s.Decisions...)
		all.Evidence = append(all.Evidence, s.Evidence...)
		all.Links = append(all.Links, s.Links...)
		all.ProposalUpdates = append(all.ProposalUpdates, s.ProposalUpdates...)
		all.MemoryUpdates = append(all.MemoryUpdates, s.MemoryUpdates...)
		all.DroppedLinks = append(all.DroppedLinks, s.DroppedLinks...)
		all.DroppedEvidence = append(all.DroppedEvidence, s.DroppedEvidence...)
		all.Reviews = append(all.Reviews, s.Reviews...)
		all.Events = append(all.Events, s.Events...)
		all.Audit = append(all.Audit, s.Audit...)
	}
	return all, nil
}
