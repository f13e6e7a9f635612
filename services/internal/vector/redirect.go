package vector

import "slices"

// LeadsTo returns the memory that a hit stands for: its own id, or for an archived
// document the successor, as far along the chain as the index knows, or "".
func (h *Hit) LeadsTo() string {
	switch {
	case h.State != Archived:
		return h.ID
	case h.Original != nil:
		return h.Original.ID
	}
	return h.Successor
}

// FollowRedirects replaces hits on archived documents by their successors, so that a
// detail which a merge left out still leads to the active memory (SPEC §9). Each memory
// stays once, at its best rank, in order.
//
// A followed hit has only the successor's id, its score, and the Original that the
// index found at the end of the chain, if any. Without an Original the caller reads the
// row, and follows further if that row has been archived since. Archived hits without a
// successor are dropped.
func FollowRedirects(hits []Hit) []Hit {
	redirect := func(h Hit) bool { return h.State == Archived }
	if !slices.ContainsFunc(hits, redirect) {
		return hits // as an index gives them: each once
	}
	seen := make(map[string]bool, len(hits))
	kept := make([]Hit, 0, len(hits))
	for _, h := range hits {
		if h.State == Archived {
			h = Hit{ID: h.LeadsTo(), Score: h.Score, Original: h.Original, Row: h.Row}
		}
		if h.ID == "" || seen[h.ID] {
			continue
		}
		seen[h.ID] = true
		kept = append(kept, h)
	}
	return kept
}
