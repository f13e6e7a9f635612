package language

import (
	_ "embed" // the vocabulary
	"math"
	"strings"
	"sync"
)

// Vocabulary holds the tokens of the static table of vectors, one a line, in the order
// of its rows: the common words of English by falling frequency, and pieces of words,
// which begin with ##. Its source and licence are in the NOTICE of the table.
//
//go:embed vocab.txt
var Vocabulary string

// words has the line of each whole word of [Vocabulary], from 1.
var words = sync.OnceValue(func() map[string]int32 {
	lines, n := make(map[string]int32, 24_000), int32(0)
	for line := range strings.Lines(Vocabulary) {
		n++
		if word := strings.TrimSuffix(line, "\n"); !strings.HasPrefix(word, "##") {
			lines[word] = n
		}
	}
	return lines
})

// Place returns how common a word in lower case is in English: the lower, the more common,
// up to 30,523 for words that are not in the vocabulary.
func Place(word string) int {
	if p, ok := words()[word]; ok {
		return int(p)
	}
	return 30_523
}

// Known reports whether a word in lower case is common in English, in just this form. A
// word that is not is rare: a name, a term of a trade, or of another language. The first
// call reads the vocabulary (a few milliseconds).
func Known(word string) bool {
	_, ok := words()[word]
	return ok
}

// Bounds of [Rarity]: about a thousand lines of marks and letters stand before the first
// word of [Vocabulary].
const (
	firstWords = 1_000
	rareWords  = 30_000
	leastRare  = 0.05
)

// Rarity returns how rare a word in lower case is in English by the logarithm of its place
// in [Vocabulary], from 0.05 for "used" to 1 for a word that is not [Known]. What a
// question asks for is in its rare words. The first call reads the vocabulary.
func Rarity(word string) float64 {
	line, ok := words()[strings.TrimSuffix(word, "'s")]
	if !ok {
		return 1
	}
	return min(1, max(leastRare, math.Log(float64(line)/firstWords)/math.Log(rareWords/firstWords)))
}
