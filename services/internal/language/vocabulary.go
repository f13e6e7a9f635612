package language

import (
	_ "embed" // the vocabulary
	"strings"
	"sync"
)

// Vocabulary holds the tokens of the static table of vectors, one a line, in the order
// of its rows: the common words of English by falling frequency, and pieces of words,
// which begin with ##. Its source and licence are in the NOTICE of the table.
//
//go:embed vocab.txt
var Vocabulary string

// words is the set of whole words of [Vocabulary].
var words = sync.OnceValue(func() map[string]struct{} {
	set := make(map[string]struct{}, 24_000)
	for line := range strings.Lines(Vocabulary) {
		if word := strings.TrimSuffix(line, "\n"); !strings.HasPrefix(word, "##") {
			set[word] = struct{}{}
		}
	}
	return set
})

// Known reports whether a word in lower case is common in English, in just this form. A
// word that is not is rare: a name, a term of a trade, or of another language. The first
// call reads the vocabulary (a few milliseconds).
func Known(word string) bool {
	_, ok := words()[word]
	return ok
}
