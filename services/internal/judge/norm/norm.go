package norm

import (
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Reading is what was read of a text.
type Reading struct {
	Score float64  // sum of the weights of the signs of its most obliging sentence
	Signs []string // ids of those signs
	Words string   // words of the sentence, for people
}

// Norm reports that the text obliges, advises or plans.
func (r Reading) Norm() bool { return r.Score > 0 }

// Of reads a text and returns the reading of its most obliging sentence. stamps are the
// tokens that date or number an entry.
func Of(tokens []memory.Token, stamps []bool, german bool) Reading {
	best := Reading{Score: bias}
	for _, s := range sentences(tokens, stamps, german) {
		if r := s.read(); r.Score > best.Score || best.Signs == nil {
			best = r
		}
	}
	return best
}

// sentences parses the sentences of a text that are no quotation and have at least
// fewWords.
func sentences(tokens []memory.Token, stamps []bool, german bool) []sentence {
	var all []sentence
	dated := slices.ContainsFunc(tokens, func(t memory.Token) bool { return t.Class == memory.TokenDate })
	start := 0
	for i := 1; i <= len(tokens); i++ {
		if i < len(tokens) && !ends(tokens, i) {
			continue
		}
		from := start
		for from < i && stamps[from] {
			from++
		}
		start = i
		if i-from < fewWords || tokens[from].Quote != 0 && tokens[i-1].Quote != 0 {
			continue
		}
		s := parse(tokens[from:i], german)
		s.dated, s.nth = dated, len(all)
		all = append(all, s)
	}
	for i := range all {
		all[i].among = len(all)
	}
	return all
}

// fewWords is how many words a sentence needs to be one.
const fewWords = 3

// ends reports that a new sentence begins at token i.
func ends(tokens []memory.Token, i int) bool {
	if tokens[i].Sep == '.' && len(tokens[i-1].Value) < 4 && abbreviations[tokens[i-1].Value] {
		return false
	}
	return tokens[i].Sep == '.' || tokens[i].Sep == '\n' || tokens[i].Sep == ';'
}

// read sums the weights of the signs.
func (s *sentence) read() Reading {
	r := Reading{Score: bias}
	for i := range signs {
		if signs[i].found(s) {
			r.Score += signs[i].weight
			r.Signs = append(r.Signs, signs[i].id)
		}
	}
	var words []string
	for i := s.main; i < len(s.t) && len(words) < 5; i++ {
		words = append(words, s.t[i].Value)
	}
	r.Words = strings.Join(words, " ")
	return r
}

// Says reports that the first sentence has a finite verb, so that it is no heading.
func Says(tokens []memory.Token, german bool) bool {
	s := parse(tokens, german)
	return s.verb >= 0
}

// Past reports that the verb of the first sentence is in the past tense.
func Past(tokens []memory.Token, german bool) bool {
	s := parse(tokens, german)
	return s.tense == past
}

// Role reports whether a word, in lower case, is one for a person by their work or office, as
// Person does and beyond it: "skipper", "archivist". EN and DE.
func Role(word string) bool { return role(word) }

// Made reports whether a word, in lower case, is one for what a team makes, so that it may have
// agreed about it: a branch, a test. EN and DE.
func Made(word string) bool { return artefacts[word] }

// Person reports whether a word, in lower case, is one for those whom a norm addresses: a
// role, an agent, or everybody. EN and DE.
func Person(word string) bool { return people[word] }
