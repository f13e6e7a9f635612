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
type ledTo struct{ lead, word string }

// leadWords are the words of direction that mark one role each. EN and DE.
var leadWords = fillerSet(`to into onto from on upon over behind than against auf von zu in aus hinter als gegen`)

// joins are words that list names, where the order has no meaning.
var joins = fillerSet(`and or und oder plus`)

// markers are words before a name whose role does not depend on its position.
var markers = fillerSet(`to into onto from on upon over behind than against in at by with via for of under through per using as within inside
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
			if leadWords[t.Value] {
				if w := ledWord(tokens, i); w != "" {
					r.led = append(r.led, ledTo{t.Value, w})
				}
			}
		}
		if t.Class == TokenIdent && !marked(tokens, i) {
			r.bare = append(r.bare, bareName{t.Value, clause})
		}
	}
	return r
}

// ledWord returns the first word of content of the three after a word of
// direction.
func ledWord(tokens []Token, i int) string {
	for j := i + 1; j < len(tokens) && j <= i+3; j++ {
		t := tokens[j]
		if t.Sep != 0 && t.Sep != '(' {
			return ""
		}
		switch {
		case t.Class == TokenIdent:
			return t.Value
		case t.Class != TokenWord:
			return ""
		case !fillers[t.Value]:
			return Stem(t.Value)
		}
	}
	return ""
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

// turned adds a conflict for two texts with the same names in exchanged roles:
// one name leads to the other in the first text and the reverse in the second.
func (c *comparer) turned(a, b *Specifics) {
	if c.conflicting >= maxShown {
		return
	}
	for _, x := range a.roles.led {
		if !b.Names(x.word) || slices.Contains(b.roles.led, x) {
			continue
		}
		for _, y := range b.roles.led {
			if y.lead == x.lead && y.word != x.word && a.Names(y.word) && !slices.Contains(a.roles.led, y) {
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
