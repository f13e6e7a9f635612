package memory

import (
	"fmt"
	"slices"
)

// roles describes the agents and objects of a text, as far as that is possible
// without a grammar: the targets of words of direction, and the names without such
// a word, in order. "`a` passes the token to `b`" and "`b` passes the token to
// `a`" have every word in common but different roles.
type roles struct {
	led   []ledTo
	bare  []bareName // unmarked names in order
	byWho bool       // a "by" marks the agent, so that the order is free
}

// bareName is a name without a word of direction, with the number of its clause.
type bareName struct {
	name   string
	clause int
}

// ledTo is a word of direction with the word of content that it leads to.
// next is the word of content behind that one, because "the model name" is "the name of
// the model".
type ledTo struct{ lead, word, next string }

// leadWords are the words of direction that mark one role each. EN and DE.
var leadWords = WordSet(`to into onto from on upon over behind than against auf von zu in aus hinter als gegen`)

// joins are words that list names, where the order has no meaning.
var joins = WordSet(`and or und oder plus`)

// markers are words before a name whose role does not depend on its position.
var markers = WordSet(`to into onto from on upon over behind than against in at by with via for of under through per using as within inside
 auf von zu aus hinter als gegen im am bei mit für unter durch über`)

func rolesOf(tokens []Token, stamps []bool) roles {
	var r roles
	clause := 0
	for i, t := range tokens {
		if t.Sep != 0 && t.Sep != '(' {
			clause++
		}
		if stamps[i] {
			continue
		}
		if t.Class == TokenWord && !t.Code {
			if t.Value == "by" || t.Value == "von" {
				r.byWho = true
			}
			if leadWords[t.Value] && (t.Value != "in" || leadsInto(tokens, i)) && !infinitive(tokens, i) {
				if w, next := ledWord(tokens, i); w != "" {
					r.led = append(r.led, ledTo{t.Value, w, next})
				}
			}
		}
		if t.Class == TokenIdent && !marked(tokens, i) {
			r.bare = append(r.bare, bareName{t.Value, clause})
		}
	}
	return r
}

// leadsInto reports a German "in" that leads somewhere: before an accusative. Any other
// "in" only says where.
func leadsInto(tokens []Token, i int) bool {
	if i+1 == len(tokens) {
		return false
	}
	switch tokens[i+1].Value {
	case "die", "den", "das", "eine", "einen", "ein":
		return true
	}
	return false
}

// infinitive reports a "to" that only belongs to a verb: "to add an index".
func infinitive(tokens []Token, i int) bool {
	if tokens[i].Value != "to" || i+2 >= len(tokens) || tokens[i+1].Class != TokenWord || tokens[i+1].Sep != 0 || tokens[i+2].Sep != 0 {
		return false
	}
	switch tokens[i+2].Value {
	case "the", "a", "an", "its", "their", "our", "it", "them":
		return !fillers[tokens[i+1].Value]
	}
	return false
}

// ledWord returns the first word of content of the three after a word of direction, and
// the next one behind it.
func ledWord(tokens []Token, i int) (word, next string) {
	for j := i + 1; j < len(tokens) && (j <= i+3 || word != "" && j <= i+6); j++ {
		t := tokens[j]
		if t.Sep != 0 && t.Sep != '(' {
			return word, ""
		}
		w := ""
		switch {
		case t.Class == TokenIdent:
			w = t.Value
		case t.Class != TokenWord:
			return word, ""
		case !fillers[t.Value]:
			w = Stem(t.Value)
		}
		switch {
		case w != "" && word != "":
			return word, w
		case t.Class == TokenIdent:
			return w, ""
		case w != "":
			word = w
		}
	}
	return word, ""
}

// marked reports whether the name at token i follows a marker or is in a list.
func marked(tokens []Token, i int) bool {
	if tokens[i].Sep == ',' || i+1 < len(tokens) && (tokens[i+1].Sep == ',' || joins[tokens[i+1].Value]) {
		return true
	}
	for j := i - 1; j >= 0 && j >= i-2; j-- {
		if w := tokens[j].Value; markers[w] || joins[w] {
			return true
		}
		if tokens[j+1].Sep != 0 {
			return false
		}
	}
	return false
}

// ordered reports whether s has a "before" or "after"; [comparer.axis] compares
// the ordered words.
func ordered(s *Specifics) bool {
	return slices.ContainsFunc(s.sides, func(x side) bool { return x.axis == orderAxis })
}

// leads reports whether a word of direction leads to x here too, or to a phrase that has
// its word: "to npm 10.9", "to the format of npm".
func (r roles) leads(x ledTo) bool {
	return slices.ContainsFunc(r.led, func(y ledTo) bool {
		return y.lead == x.lead && (y.word == x.word || y.next == x.word || x.next != "" && x.next == y.word)
	})
}

// turned adds a conflict for two texts with the same names in exchanged roles:
// one name leads to the other in the first text and the reverse in the second.
func (c *comparer) turned(a, b *Specifics) {
	if c.conflicting >= maxShown {
		return
	}
	for _, x := range a.roles.led {
		if !b.Names(x.word) || b.roles.leads(x) {
			continue
		}
		for _, y := range b.roles.led {
			if y.lead == x.lead && y.word != x.word && a.Names(y.word) && !a.roles.leads(y) {
				if c.conflict() {
					c.conflicts = append(c.conflicts, fmt.Sprintf("%s %s → %s %s", x.lead, x.word, y.lead, y.word))
				}
				return
			}
		}
	}
	p, q := a.roles.bare, b.roles.bare
	if len(p) != 2 || len(q) != 2 || a.roles.byWho != b.roles.byWho || ordered(a) || ordered(b) {
		return
	}
	if p[0].clause != p[1].clause || q[0].clause != q[1].clause {
		return // whole clauses are exchanged, not the names
	}
	if p[0].name == q[1].name && p[1].name == q[0].name && p[0].name != p[1].name && c.conflict() {
		c.conflicts = append(c.conflicts, fmt.Sprintf("%s and %s changed places", p[0].name, p[1].name))
	}
}
