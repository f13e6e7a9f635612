package vector

import "slices"

// LeadsTo is the memory that a hit stands for: that of an archived document is its
// successor, as far along the chain as the index knows, or empty.
func (h *Hit) LeadsTo() string {
	switch {
	case h.State != Archived:
		return h.ID
	case h.Original != nil:
		return h.Original.ID
	}
	return h.Successor
}

// FollowRedirects replaces hits on archived documents by their successor, so
// that a specific which a merge left out still leads to the memory in force
// (SPEC §9). Each memory stays once, at its best rank; order is kept.
//
// A hit that was followed has the successor's id and nothing else but its score
// and the Original that the index found at the end of the way, if it did; without
// that the caller reads the row, and follows further if that one has been archived
// since. Archived hits without a successor are dropped.
func FollowRedirects(hits []Hit) []Hit {
	redirect := func(h Hit) bool { return h.State == Archived }
	if !slices.ContainsFunc(hits, redirect) {
		return hits // as an index gives them: each once
	}
	seen := make(map[string]bool, len(hits))
	kept := make([]Hit, 0, len(hits))
	for _, h := range hits {
		if h.State == Archived {
			h = Hit{ID: h.LeadsTo(), Score: h.Score, Original: h.Original}
		}
		if h.ID == "" || seen[h.ID] {
			continue
		}
		seen[h.ID] = true
		kept = append(kept, h)
	}
	return kept
}
