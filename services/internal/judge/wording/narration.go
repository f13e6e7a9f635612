package wording

import "github.com/winnowhq/winnow/services/internal/memory"

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
