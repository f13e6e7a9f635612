package keywords

// Rule is a rule that begins where one of its words stands.
type Rule struct {
	ID          string
	Description string // one sentence
	Words       []string
	// Find calls emit with the byte offsets of each secret that the word at start
	// to end announces.
	Find func(text string, start, end int, emit func(from, to int))
}
