package wording

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// choiceLead are words before a choice that are not part of it.
var choiceLead = wordSet(`remember please that this we i use prefer our team note denk merke merk dir bitte wir ich nutze nutzen verwenden`)

// choicePivot are the words between the chosen thing and the other.
var choicePivot = map[string]bool{
	"never": true, "not": true, "over": true, "instead of": true, "rather than": true,
	"nie": true, "niemals": true, "nicht": true, "kein": true, "statt": true, "anstatt": true, "anstelle von": true,
}

// choice returns the words of a bare choice between two things, such as "pnpm, never
// npm". It forbids nothing and states a preference. Longer texts are left to the
// other detectors.
func choice(t *Text) string {
	var words []string
	lead := true
	for i, tok := range t.Tokens {
		if t.Stamps[i] || tok.Quote != 0 {
			return ""
		}
		if lead && choiceLead[tok.Value] && tok.Class == memory.TokenWord {
			continue
		}
		lead = false
		words = append(words, tok.Value)
	}
	if len(words) < 3 || len(words) > 4 {
		return ""
	}
	pivot := strings.Join(words[1:len(words)-1], " ")
	if !choicePivot[pivot] {
		return ""
	}
	return strings.Join(words, " ")
}
