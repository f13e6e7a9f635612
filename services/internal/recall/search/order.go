package search

// order are the weights of the signs in the order inside the pool (ADR 38). They were
// fitted by listwise logistic regression: of the passages of a pool those that answer
// the question come first. zero lifts the sum, so that few are cut off at 0.
var order = struct {
	fused, near, own, back, title, pairs, beside, short, long, asks, when, count, zero float64
}{
	fused: 2.4, near: 6.07, own: 0.59, back: 4.58, title: 5.6, pairs: 2.81, beside: 2.13,
	short: 1.4, long: -3.6, asks: -1.45, when: 1.99, count: 2.55, zero: 3,
}

// scale brings the sum to about 0–1.
const scale = 1 / 16.0

// Relevance is how well a passage with these signs answers the query, 0–1, given its
// fused score.
func (s *Signs) Relevance(fused float64) float64 {
	o := &order
	sum := o.zero + o.fused*fused + o.near*s.Near + o.own*s.Own + o.back*s.Back + o.title*s.Title + o.pairs*s.Pairs +
		o.beside*s.Beside + o.short*s.Short + o.long*s.Long + o.asks*s.Asks + o.when*s.When + o.count*s.Count
	return min(1, max(0, sum*scale))
}

// The floor of relevance (SPEC §9), of the shipped table of words and of words alone.
// Of ten questions that no memory answers seven fall below it, of 50 that one answers in
// other words one does, of 495 about conversations and 18 about a chat none.
const (
	floorBack  = 0.065
	floorMatch = 0.2
)

// Unrelated reports whether no passage of a pool has anything to do with the query: none
// has a word of it, and none comes near it in words. Without signs it is false.
func Unrelated(pool []Signs) bool {
	for i := range pool {
		if s := &pool[i]; s.Exact || s.Back >= floorBack || s.Match >= floorMatch {
			return false
		}
	}
	return len(pool) > 0
}
