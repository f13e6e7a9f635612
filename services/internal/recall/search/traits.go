package search

import (
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/vector"
)

// textTraits are what a search looks at in a text beside its words.
type textTraits struct {
	asks  bool  // it ends with a question
	kinds Kinds // of answer that it has
	// pairs are the hashes of words that follow each other, ascending, each once.
	pairs []uint32
}

// maxPairs bounds the pairs of one text.
const maxPairs = 512

func traitsOf(text string, words []string) textTraits {
	t := textTraits{asks: strings.HasSuffix(strings.TrimSpace(text), "?"), kinds: kindsOf(text, words)}
	for _, p := range pairsOf(words) {
		t.pairs = append(t.pairs, p)
		if len(t.pairs) == maxPairs {
			break
		}
	}
	slices.Sort(t.pairs)
	t.pairs = slices.Clip(slices.Compact(t.pairs))
	return t
}

// pairsOf returns a hash for each word and the one after it, in order.
func pairsOf(words []string) []uint32 {
	if len(words) < 2 {
		return nil
	}
	out := make([]uint32, 0, len(words)-1)
	before := vector.TokenOf(words[0])
	for _, w := range words[1:] {
		now := vector.TokenOf(w)
		out = append(out, before*31+now)
		before = now
	}
	return out
}
