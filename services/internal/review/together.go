package review

import (
	"fmt"

	"github.com/winnowhq/winnow/services/internal/change"
)

// Together joins changes that were decided independently into one, so that all
// take effect or none. Two changes of the same row are refused, because the second
// would undo the first. The error is ErrState and names the row.
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
		all.Append(s)
	}
	return all, nil
}
