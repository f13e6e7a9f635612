package vector

import "slices"

// FollowRedirects replaces hits on archived documents by their successor, so
// that a specific which a merge left out still leads to the memory in force
// (SPEC §9). Each memory stays once, at its best rank; order is kept.
//
// A hit that was followed has the successor's id and nothing else but its
// score: the caller reads the row, and follows further if that one has been
// archived since. Archived hits without a successor are dropped.
func FollowRedirects(hits []Hit) []Hit {
	redirect := func(h Hit) bool { return h.State == Archived }
	if !slices.ContainsFunc(hits, redirect) {
		return hits // as an index gives them: each once
	}
	seen := make(map[string]bool, len(hits))
	kept := make([]Hit, 0, len(hits))
	for _, h := range hits {
		if h.State == Archived {
			h = Hit{ID: h.Successor, Score: h.Score}
		}
		if h.ID == "" || seen[h.ID] {
			continue
		}
		seen[h.ID] = true
		kept = append(kept, h)
	}
	return kept
}
