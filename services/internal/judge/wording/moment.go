package wording

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// progressing returns the words by which a text says what is being done at the moment:
// "I am bisecting", "is currently being rebuilt". It is over when the text is read.
func progressing(t *Text) string {
	seen := 0
	for i := 0; i+1 < len(t.Tokens) && seen < headline; i++ {
		if t.Stamps[i] {
			continue
		}
		seen++
		tok := &t.Tokens[i]
		if tok.Code || tok.Quote != 0 || tok.Class != memory.TokenWord {
			continue
		}
		switch tok.Value {
		case "i'm", "we're", "i’m", "we’re":
			if gerund(t.Tokens, i+1) {
				return tok.Value
			}
		case "am", "are", "is":
			own := i > 0 && (t.Tokens[i-1].Value == "i" || t.Tokens[i-1].Value == "we")
			now := momentary[t.Tokens[i+1].Value]
			if own && gerund(t.Tokens, i+1) || now && gerund(t.Tokens, i+2) {
				return tok.Value
			}
		case "will":
			if first(t, i) {
				return tok.Value // "Will implement as …": a plan without its subject
			}
		}
	}
	return ""
}

// momentary are adverbs of the moment. EN.
var momentary = wordSet(`currently now still just presently`)

// gerund reports a verb in -ing at token i, or behind an adverb of the moment.
func gerund(tokens []memory.Token, i int) bool {
	if i < len(tokens) && momentary[tokens[i].Value] {
		i++
	}
	return i < len(tokens) && !tokens[i].Code && len(tokens[i].Value) > 4 && strings.HasSuffix(tokens[i].Value, "ing") && tokens[i].Class == memory.TokenWord && !lasting[tokens[i].Value]
}

// lasting are verbs whose form in -ing says how things are. EN.
var lasting = wordSet(`using relying hosting storing keeping holding having being missing`)

// first reports that only a stamp precedes token i.
func first(t *Text, i int) bool {
	for j := range i {
		if !t.Stamps[j] {
			return false
		}
	}
	return !t.Doc.German
}
