package search

// Empty says why a search found nothing.
type Empty string

// The reasons, the first that holds.
const (
	EmptyStore    Empty = "nothing_stored"   // the scopes hold no memory
	EmptyMatch    Empty = "nothing_matches"  // no memory shares a word or a meaning with the query
	EmptyUnsure   Empty = "below_confidence" // all that matched are less certain than asked for
	EmptyFiltered Empty = "all_filtered"     // all that matched are of another outcome, kind or scope
)

// Why is the reason for an empty pool, or empty when the pool is not. stored is
// how many memories the asker's scopes hold.
func (p Pool) Why(stored int) Empty {
	switch {
	case len(p.Scored) > 0:
		return ""
	case stored == 0:
		return EmptyStore
	case p.Matched == 0:
		return EmptyMatch
	case p.Unsure > 0:
		return EmptyUnsure
	}
	return EmptyFiltered
}
