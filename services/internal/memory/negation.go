package memory

// Negations returns the stems of the words that the text denies, sorted; a negation
// that denies no word is an empty stem.
func (s *Specifics) Negations() []string {
	out := make([]string, len(s.negated))
	for i, d := range s.negated {
		out[i] = d.Text
	}
	return out
}

// Denies reports whether the text denies a word, given by its stem.
func (s *Specifics) Denies(stem string) bool { return denies(s, stem) }

// Duties names what the text obliges, advises, allows or forbids: a subset of must,
// should, may and never, in this order.
func (s *Specifics) Duties() []string { return s.modals.names() }

// IsMeasure reports whether u is a unit that changes a number's meaning, such as ms or
// %. The word that happens to follow a number is none.
func IsMeasure(u string) bool { return isMeasure(u) }

// Opposite reports whether two words, in lower case, are opposite ends of one axis, such
// as before and after.
func Opposite(a, b string) bool {
	x, known := axes[a]
	y, other := axes[b]
	return known && other && x.axis == y.axis && x.positive != y.positive
}
