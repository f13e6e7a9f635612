package wording

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// quantifiers begin a sentence about every case, present and future. EN and DE.
var quantifiers = wordSet(`every each all any no nobody only everyone everything anything whoever jeder jede jedes alle kein keine niemand nur`)

// normVerbs make a norm of a sentence about every case: the author has not seen every
// case, so the sentence is not an observation. EN and DE.
var normVerbs = wordSet(`need needs require requires get gets go goes carry carries have has use uses live lives follow follows come comes run runs pass passes
 merge merges push pushes may can include includes contain contains start starts end ends ship ships bear bears stay stays deploy deploys
 braucht brauchen benötigt benötigen bekommt bekommen hat haben steht stehen kommt kommen`)

// generic returns the word by which a text speaks about all cases instead of what was
// seen: "every endpoint needs a test", "no SQL in handlers". A text that reports an
// event is an observation all the same.
func generic(t *Text) string {
	first := true
	for i, tok := range t.Tokens {
		if t.Stamps[i] {
			continue
		}
		if !first {
			return ""
		}
		first = false
		if tok.Code || tok.Class != memory.TokenWord || !quantifiers[tok.Value] || happened(t.Tokens[i:]) {
			return ""
		}
		for j := i + 1; j < len(t.Tokens) && j < i+12; j++ {
			if s := t.Tokens[j].Sep; s == '.' || s == ';' || s == '\n' {
				break
			}
			if normVerbs[t.Tokens[j].Value] && !t.Tokens[j].Code {
				return tok.Value
			}
		}
		if tok.Value == "no" || tok.Value == "only" || tok.Value == "kein" || tok.Value == "keine" {
			return tok.Value
		}
	}
	return ""
}

// observes reports whether a text reports an event, a measure or a cause. A text
// without any of these, such as "`x` is the place for redirects", may be an opinion
// in any wording, and no list of opinions would ever be complete.
//
// It is the last gate before a promotion without a person.
func observes(t *Text) bool {
	names := 0
	for i, tok := range t.Tokens {
		if tok.Class == memory.TokenIdent {
			names++
		}
		switch {
		case t.Stamps[i]:
		case names == manyNames:
			return true
		case tok.Class == memory.TokenNumber, tok.Class == memory.TokenDate, tok.Class == memory.TokenArrow:
			return true
		case strings.ContainsAny(tok.Value, "0123456789"):
			return true
		case tok.Class == memory.TokenWord && !tok.Code && (evidence[tok.Value] || past(tok)):
			return true
		}
	}
	return false
}

// manyNames is how many names of files, flags and keys in one note are details of a
// thing and not an opinion of it.
const manyNames = 3

// evidence are words of time, measure and cause. EN and DE.
var evidence = wordSet(`now since because until after when whenever while again already gone second seconds minute minutes hour hours hourly day days daily week weeks weekly month months year years nightly
 listens returns answers shows prints exits fails caches expires crashes hangs times throws logs emits keeps holds reads writes takes starts runs uses breaks supports lives contains defaults
 seit weil nachdem jetzt nun wenn sekunden minuten stunden tage wochen monate liefert zeigt läuft liegt speichert schlägt braucht bringt nutzt`)

var pasts = wordSet(`was were had did got went fell took ran broke hit came became began grew rose made found left lost kept set put built sent held read wrote
 met lay led gave knew threw drew chose sat stood won cut split shut war waren hatte wurde wurden seit`)

// happened reports whether a token is a verb in the past tense.
func happened(tokens []memory.Token) bool {
	for _, t := range tokens {
		if t.Class == memory.TokenWord && !t.Code && past(t) {
			return true
		}
	}
	return false
}

func past(t memory.Token) bool {
	w := t.Value
	return pasts[w] || len(w) > 4 && strings.HasSuffix(w, "ed") || len(w) > 5 && strings.HasPrefix(w, "ge") && (strings.HasSuffix(w, "t") || strings.HasSuffix(w, "en"))
}
