package wording

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Detector finds one kind of wording. Its phrases are data, so that people can read
// and extend them.
type Detector struct {
	ID       string
	Sentence string // what it means when it fires, for people
	EN, DE   []string
	AtStart  bool // only where a sentence or clause begins
}

// phraseBook finds the phrases of many detectors in one pass over the tokens. It maps
// the first word of a phrase to the phrases that begin with it.
type phraseBook struct {
	detectors []Detector
	first     map[string][]phrase
}

type phrase struct {
	detector int
	rest     []string
	text     string
	german   bool
}

func newPhraseBook(detectors []Detector) *phraseBook {
	b := &phraseBook{detectors: detectors, first: make(map[string][]phrase)}
	for d := range detectors {
		for _, list := range []struct {
			words  []string
			german bool
		}{{detectors[d].EN, false}, {detectors[d].DE, true}} {
			for _, text := range list.words {
				words := strings.Fields(text)
				b.first[words[0]] = append(b.first[words[0]], phrase{detector: d, rest: words[1:], text: text, german: list.german})
			}
		}
	}
	return b
}

// match calls found for each phrase in the text, with the detector's index, the
// token's index and the phrase. Words in backticks and URLs never begin a match,
// because code is no language.
func (b *phraseBook) match(tokens []memory.Token, german bool, found func(detector, at int, text string)) {
	for i := range tokens {
		t := &tokens[i]
		if t.Code || t.Class == memory.TokenURL {
			continue
		}
		for _, p := range b.first[t.Value] {
			if p.german && !german && (ambiguous[p.text] || len(p.rest) == 0 && language.Known(p.text)) {
				continue
			}
			if b.detectors[p.detector].AtStart && !clauseStart(tokens, i) {
				continue
			}
			if follows(tokens[i+1:], p.rest) {
				found(p.detector, i, p.text)
			}
		}
	}
}

// ambiguous are German phrases that are also English words.
var ambiguous = map[string]bool{"will": true, "gut": true, "mag": true, "hat": true, "man": true, "an": true, "dir": true}

func follows(tokens []memory.Token, words []string) bool {
	if len(tokens) < len(words) {
		return false
	}
	for i, w := range words {
		if tokens[i].Value != w || tokens[i].Code || tokens[i].Sep == '.' || tokens[i].Sep == '\n' {
			return false
		}
	}
	return true
}

// clauseStart reports whether token i begins a sentence or clause: after a full stop,
// a colon, a semicolon or a line break.
func clauseStart(tokens []memory.Token, i int) bool {
	if i == 0 {
		return true
	}
	switch tokens[i].Sep {
	case '.', ';', ':', '\n':
		return true
	}
	return false
}
