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

// wish reads words of liking: "users who want X" are a group, and nobody's wish.
func (c clause) wish(words string) reading {
	if c.at == 0 {
		return obliges
	}
	if c.device() || c.bygoneWish(words) {
		return describes
	}
	switch w := c.tokens[c.at-1].Value; {
	case w == "who" || w == "that" || w == "which" || w == "if" || w == "whoever":
		return describes
	case words == "will" && c.german && c.thing():
		return describes // "der Drucker will nicht drucken"
	}
	return obliges
}

// thing reports that the German word before or behind the verb has an article and is
// no person, and that the verb is denied: things refuse, and have no wishes.
func (c clause) thing() bool {
	if !c.within("nicht", 10) && !c.within("keine", 10) && !c.within("kein", 10) {
		return false
	}
	for j := max(c.start, c.at-3); j < min(c.end, c.at+3); j++ {
		switch c.tokens[j].Value {
		case "der", "die", "das":
			return j+1 < c.end && !people[c.tokens[j+1].Value]
		}
	}
	return false
}

// device reports that the subject is a program or a machine, which prefers and wants by
// its construction: "the scheduler prefers nodes in zone b".
func (c clause) device() bool {
	for j := c.at - 1; j >= c.start && j >= c.at-6; j-- {
		t := c.tokens[j]
		switch {
		case t.Code, t.Class == memory.TokenIdent, devices[t.Value] || knownTools[t.Value]:
			return true
		case people[t.Value], t.Sep != 0:
			return false
		case c.german && devices[strings.TrimSuffix(t.Value, "s")]:
			return true
		}
	}
	// German has the subject behind the verb too: "seit 2.4 bevorzugt der Scheduler …".
	return c.german && c.at+2 < c.end && (c.tokens[c.at+1].Value == "der" || c.tokens[c.at+1].Value == "die") && devices[c.tokens[c.at+2].Value]
}

// devices are programs and machines by what they do. EN and DE.
var devices = wordSet(`scheduler planner optimizer optimiser compiler linter parser kernel daemon server router balancer proxy cache browser runtime formatter engine driver allocator resolver controller
 importer exporter loader bundler runner worker crawler scanner printer sensor firmware api service job query index database cluster kubelet operator-pod library plugin loader shell gateway firewall hypervisor installer updater
 algorithm heuristic client protocol standard format field form endpoint webhook pump valve thermostat camera board chip drucker kernel planer übersetzer dienst treiber verteiler leser schnittstelle sensor pumpe heizung`)

// bygoneWish reports a wish that is history: it was fulfilled, or what became of it is
// said.
func (c clause) bygoneWish(words string) bool {
	switch words {
	case "wanted", "asked for", "asked that", "asked to", "asked us to", "insisted", "preferred", "wollte", "wollten", "wünschte":
	default:
		return false
	}
	if c.before("originally", "initially", "first", "once", "ursprünglich", "anfangs", "zunächst", "früher") || c.after("originally", "initially", "ursprünglich", "anfangs", "zunächst", "früher") {
		return true
	}
	for j := c.at + 1; j < len(c.tokens); j++ {
		t := c.tokens[j]
		if j+1 < len(c.tokens) && (t.Value == "and" || t.Value == "und") && outcomes[c.tokens[j+1].Value] {
			return true
		}
		if t.Sep == ';' && (t.Value == "since" || t.Value == "seit" || j+1 < len(c.tokens) && happened(c.tokens[j:])) {
			return true
		}
	}
	return false
}

// outcomes are verbs of what became of a wish. EN and DE.
var outcomes = wordSet(`got received has had was were is bekam erhielt hat`)
