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

// words are the whole words of [Vocabulary] with their places in it.
var words = sync.OnceValue(func() map[string]int32 {
	places := make(map[string]int32, 24_000)
	place := int32(0)
	for line := range strings.Lines(Vocabulary) {
		if word := strings.TrimSuffix(line, "\n"); !strings.HasPrefix(word, "##") {
			places[word] = place
		}
		place++
	}
	return places
})

// Place returns how common a word in lower case is in English: the lower, the more common,
// up to 30,522 for words that are not in the vocabulary.
func Place(word string) int {
	if p, ok := words()[word]; ok {
		return int(p)
	}
	return 30_522
}

// Known reports whether a word in lower case is common in English, in just this form. A
// word that is not is rare: a name, a term of a trade, or of another language. The first
// call reads the vocabulary (a few milliseconds).
func Known(word string) bool {
	_, ok := words()[word]
	return ok
}
