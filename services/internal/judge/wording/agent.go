package wording

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/judge/norm"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// agent is who or what a clause speaks of.
type agent struct{ we, you, people, several bool }

// subject reads the words before the phrase, the nearest noun or pronoun first.
func (c clause) subject() agent {
	var a agent
	for j := c.at - 1; j >= c.start; j-- {
		t := c.tokens[j]
		w := t.Value
		switch {
		case w == "we" || w == "wir" || w == "man" && c.german || w == "our" && a == agent{}:
			a.we = true
			return a
		case w == "uns" && j > c.start && c.tokens[j-1].Value == "bei":
			a.we = true
			return a
		case w == "you" || w == "du" || w == "ihr" && c.german && j == c.start:
			a.you = true
			return a
		case w == "are" || w == "'re" || strings.HasSuffix(w, "'re") || w == "sind" || w == "werden" || w == "have" || w == "haben":
			a.several = true
		case norm.Person(w) && !t.Code && c.main(j):
			a.people = true
			return a
		}
	}
	if !a.several {
		a.several = c.plural()
	}
	return a
}

// main reports that token j is no part of a phrase behind a preposition.
func (c clause) main(j int) bool {
	for k := j - 1; k >= c.start && k >= j-2; k-- {
		if governs[c.tokens[k].Value] {
			return false
		}
	}
	return true
}

// plural reports that the word right before the phrase is a plural noun: "files never
// shrink".
func (c clause) plural() bool {
	if c.at == c.start {
		return false
	}
	t := c.tokens[c.at-1]
	if t.Class != memory.TokenWord || t.Code || c.german {
		return false
	}
	return len(t.Value) > 3 && strings.HasSuffix(t.Value, "s") && !strings.HasSuffix(t.Value, "ss") && !strings.HasSuffix(t.Value, "us") && !strings.HasSuffix(t.Value, "is") && c.at-1-c.start < 4 && !t.Upper
}

// attributed reports that somebody outside says it: "according to RFC 9110 a response
// must not …", "laut Datenblatt". What the team itself says is its own. The cue "reported"
// keeps such a text from being promoted.
func (c clause) attributed() bool {
	from := c.at
	for from > 0 && !sentenceEnd(c.tokens[from].Sep) {
		from--
	}
	for j := from; j < c.at; j++ {
		switch c.tokens[j].Value {
		case "laut", "to", "per", "under", "gemäß":
			if c.tokens[j].Value == "to" && (j == 0 || c.tokens[j-1].Value != "according") {
				continue
			}
			if w := c.tokens[j].Value; (w == "per" || w == "under" || w == "gemäß") && (j != from || c.subject().we) {
				continue
			}
			for k := j + 1; k < c.at && k <= j+4; k++ {
				if strangers[c.tokens[k].Value] {
					return true
				}
			}
		case "says", "say", "said", "states", "claims", "zufolge", "sagt":
			for k := max(from, j-3); k < j; k++ {
				if strangers[c.tokens[k].Value] {
					return true
				}
			}
		case "told", "instructed", "asked", "angewiesen":
			if j > from && (c.tokens[j-1].Value == "was" || c.tokens[j-1].Value == "were" || c.tokens[j-1].Value == "wurde") {
				return true // "was told never to …": whether it obeyed is the story
			}
		}
	}
	return false
}

// strangers are sources that do not make the team's rules. EN and DE.
var strangers = memory.WordSet(`eu directive act statute treaty verordnung dsgvo posix ieee ietf osha fda rfc spec specification vendor vendor's supplier provider manufacturer datasheet sheet documentation docs standard support changelog readme law contract regulator regulation
 bank gdpr iso hersteller datenblatt anbieter lieferant norm gesetz vertrag handbuch spezifikation doku dokumentation`)

// office reports a person by their work before the phrase: "skippers must …".
func (c clause) office() bool {
	for j := c.start; j < c.at; j++ {
		if norm.Role(c.tokens[j].Value) && !c.tokens[j].Code && c.main(j) {
			return true
		}
	}
	return false
}

// property reports what a thing that nobody here makes has to be, have or reach by its nature,
// with the reason: "must have an even number of threads, an odd one leaves a gap", "must reach
// 1,100 °C before the glaze melts", "has to swap because …". Without a reason it may be a rule.
func (c clause) property() bool {
	if s := c.subject(); s.we || s.you || s.people || c.at == c.start || c.office() || quantifiers[c.tokens[c.start].Value] {
		return false
	}
	switch c.tokens[c.start].Value {
	case "because", "weil", "da":
		return true // the reason of what follows
	}
	if c.passive() || norm.Made(c.tokens[c.at-1].Value) {
		return false
	}
	i := c.at + 1
	if i < c.end && c.tokens[i].Value == "to" {
		i++
	}
	forced := i > c.at+1
	if !c.german && !forced && (i >= c.end || !stative[c.tokens[i].Value]) {
		return false
	}
	for j := i + 1; j+1 < c.end; j++ {
		w, next := c.tokens[j].Value, c.tokens[j+1].Value
		switch {
		case w == "because" || w == "since" || w == "weil" || w == "da" && c.tokens[j].Sep == ',':
			return next != "we" && next != "wir"
		case w == "before" || w == "bevor":
			return articles[next]
		case c.tokens[j].Sep == ',' && (articles[w] && w != "our" || w == "else") && !c.german:
			for k := j; k < c.end; k++ {
				if checkings[c.tokens[k].Value] {
					return false
				}
			}
			return true
		}
	}
	return false
}

// stative are verbs of being, having and reaching, of which a thing is not told. EN.
var stative = memory.WordSet(`be have reach contain hold fit match exceed touch cover lie span overlap exist occur appear differ remain come`)

// contrary reports a counterexample behind what ought to be: "has to be online; ours was not".
func (c clause) contrary() bool {
	if s := c.subject(); s.we || s.you || s.people || c.office() {
		return false
	}
	for j := c.at + 1; j+2 < len(c.tokens) && !sentenceEnd(c.tokens[j].Sep); j++ {
		if c.tokens[j].Sep == 0 && c.tokens[j].Value != "but" {
			continue
		}
		for k := j; k+2 < len(c.tokens) && k < j+4; k++ {
			switch c.tokens[k].Value {
			case "ours", "mine", "it", "this", "they", "practice":
			default:
				continue
			}
			if w := c.tokens[k+1].Value; strings.HasSuffix(w, "n't") || auxiliaries[w] && c.tokens[k+2].Value == "not" || c.tokens[k].Value == "practice" && c.tokens[k-1].Value == "in" {
				return true
			}
		}
	}
	return false
}

// gatedAt reports that what fails at token j is a check of people's work, so that the sentence
// obliges those who would fail it: "must not import it, the boundary test fails otherwise".
func (c clause) gatedAt(j int) bool {
	for k := j - 1; k > c.at && c.tokens[k+1].Sep == 0; k-- {
		t := c.tokens[k]
		if checkings[t.Value] || t.Code && (strings.HasPrefix(t.Value, "test") || strings.HasPrefix(t.Value, "check") || strings.HasPrefix(t.Value, "lint") || strings.HasSuffix(t.Value, "_test")) {
			return true
		}
	}
	return false
}

// checkings are what looks at the work of people and stops it.
var checkings = memory.WordSet(`test tests ci linter lint check checks hook pre-commit codeowners review suite gate`)

// saidBehind reports that somebody outside is named behind what they say: "…, says the Search
// Console help", "…, so das Datenblatt". What the team's own papers say is its own.
func (c clause) saidBehind() bool {
	for j := c.at + 1; j+1 < len(c.tokens) && !sentenceEnd(c.tokens[j].Sep); j++ {
		w := c.tokens[j].Value
		if c.tokens[j].Sep != ',' || w != "says" && w != "say" && w != "states" && w != "according" && w != "sagt" && w != "so" && w != "laut" && w != "schreibt" {
			continue
		}
		for k := j + 1; k < len(c.tokens) && k <= j+5 && !sentenceEnd(c.tokens[k].Sep); k++ {
			switch w := c.tokens[k].Value; {
			case w == "our" || w == "we" || strings.HasPrefix(w, "unser"):
				return false
			case strangers[w] || w == "help" || w == "hilfe":
				return true
			}
		}
	}
	return false
}

// demanded reports what somebody outside requires: "the vendor's tool requires that each key
// must be …", "the law says that …".
func (c clause) demanded() bool {
	for j := c.start + 1; j < c.at; j++ {
		switch c.tokens[j].Value {
		case "requires", "require", "demands", "demand", "insists", "expects", "verlangt", "fordert", "schreibt":
			for k := max(c.start, j-3); k < j; k++ {
				if t := c.tokens[k]; strangers[t.Value] || t.Class == memory.TokenIdent && k == j-1 {
					return true
				}
			}
		}
	}
	return false
}

// byOutsider reports a recommendation with its giver: "recommended by the vendor", "vom
// Hersteller empfohlen".
func (c clause) byOutsider() bool {
	for j := max(c.start, c.at-4); j < min(c.end, c.at+5); j++ {
		if w := c.tokens[j].Value; ((w == "by" || w == "of" || w == "from") && j > c.at || w == "vom" || w == "von") && j+1 < c.end {
			for k := j + 1; k < c.end && k <= j+2; k++ {
				if strangers[c.tokens[k].Value] {
					return true
				}
			}
		}
	}
	return false
}
