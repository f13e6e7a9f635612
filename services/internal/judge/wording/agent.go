package wording

import (
	"strings"

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
		case people[w] && !t.Code && c.main(j):
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
