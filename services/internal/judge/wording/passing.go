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

// narrated returns the first verb of a text that only tells what somebody looked at:
// "opened `main.go` and read it". Nothing in it is true of the project, so it is of no
// use to anybody. A text with a finding, a number, a cause or any other verb in the
// past is more than that.
func narrated(t *Text) string {
	verb, words := "", 0
	for i := range t.Tokens {
		tok := &t.Tokens[i]
		if t.Stamps[i] || tok.Class == memory.TokenDate {
			continue
		}
		words++
		switch {
		case tok.Class == memory.TokenNumber, tok.Class == memory.TokenArrow, words > headline:
			return ""
		case tok.Class != memory.TokenWord || tok.Code:
		case looks[tok.Value]:
			if verb == "" {
				if !narrator(t, i) {
					return ""
				}
				verb = tok.Value
			}
		case finds[tok.Value], reasons[tok.Value] && tok.Value != "before" && tok.Value != "after", past(*tok), finiteVerbs[tok.Value], tok.Value == "not", tok.Value == "no", tok.Value == "nicht":
			return ""
		}
	}
	return verb
}

// narrator reports that the verb at token i has no subject, or the teller.
func narrator(t *Text, i int) bool {
	for j := range i {
		if t.Stamps[j] || t.Tokens[j].Class == memory.TokenDate {
			continue
		}
		switch t.Tokens[j].Value {
		case "i", "we", "ich", "wir", "habe", "haben", "then", "first", "today", "also", "agent", "assistant", "the", "dann", "zuerst", "have", "just":
		default:
			return lookedInGerman[t.Tokens[i].Value]
		}
	}
	return true
}

var (
	// looks are verbs of looking, in the past. EN and DE.
	looks = wordSet(`opened read looked viewed inspected browsed searched grepped listed navigated scrolled examined skimmed explored visited studied reviewed checked discussed asked consulted started continued began
 geöffnet gelesen angesehen angeschaut durchgesehen durchsucht gesucht besprochen geprüft betrachtet öffnete las`)
	lookedInGerman = wordSet(`geöffnet gelesen angesehen angeschaut durchgesehen durchsucht gesucht besprochen geprüft betrachtet`)
	// finds are words of a result. EN and DE.
	finds = wordSet(`found shows showed reveals revealed confirms confirmed proves proved means that because so which works fails missing unused identical same only all none ergab zeigt dass weil gefunden fehlt`)
)
