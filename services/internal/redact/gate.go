package redact

import (
	"math"
	"regexp/syntax"
	"unicode"
)

// gate is a cheap necessary condition for a library rule to fire: the secret
// it captures consists of bytes of one class, so the text must hold a run of
// such bytes that is long enough and varied enough. It is derived from the
// rule's own expression and entropy bound and hence never costs recall.
type gate struct {
	class    [256]bool
	shortest int  // bytes the secret has at least
	distinct int  // different bytes it has at least, from the entropy bound
	nonAlpha bool // it has a byte other than letters, '_', '.' and '-'
	reach    int  // bytes a whole match has at most, -1 when unbounded
}

// unbounded is the reach of expressions with * or +.
const unbounded = -1

// newGate derives the condition. The secret is the only capture group when
// there is exactly one, else any part of the match.
func newGate(expr string, entropy float64, nonAlpha bool) gate {
	g := gate{nonAlpha: nonAlpha, shortest: 1, reach: unbounded}
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		// The standard library compiled it before; a gate that is always open
		// is the safe answer all the same.
		for i := range g.class {
			g.class[i] = true
		}
		return g
	}
	g.reach = longest(re)
	secret := re
	if groups := captures(re, nil); len(groups) == 1 && !optional(re, groups[0]) {
		secret = groups[0]
	}
	g.shortest = max(1, shortestMatch(secret))
	addClass(&g.class, secret)
	if entropy > 0 && asciiOnly(&g.class) {
		// Entropy is at most log2 of the number of different symbols.
		g.distinct = int(math.Floor(math.Exp2(entropy))) + 1
	}
	return g
}

// runs calls visit with every run that fulfils the condition, until visit
// returns false.
func (g *gate) runs(text string, visit func(start, end int) bool) {
	for i := 0; i < len(text); {
		if !g.class[text[i]] {
			i++
			continue
		}
		start := i
		var seen [4]uint64
		distinct, nonAlpha := 0, false
		for ; i < len(text) && g.class[text[i]]; i++ {
			c := text[i]
			if bit := uint64(1) << (c & 63); seen[c>>6]&bit == 0 {
				seen[c>>6] |= bit
				distinct++
				nonAlpha = nonAlpha || !isWordByte(c)
			}
		}
		if i-start >= g.shortest && distinct >= g.distinct && (nonAlpha || !g.nonAlpha) && !visit(start, i) {
			return
		}
	}
}

func isWordByte(c byte) bool {
	return isLetter(rune(c)) || c == '_' || c == '.' || c == '-'
}

func asciiOnly(class *[256]bool) bool {
	for _, in := range class[0x80:] {
		if in {
			return false
		}
	}
	return true
}

// captures lists the capture groups of an expression, outermost first.
func captures(re *syntax.Regexp, into []*syntax.Regexp) []*syntax.Regexp {
	if re.Op == syntax.OpCapture {
		into = append(into, re)
	}
	for _, sub := range re.Sub {
		into = captures(sub, into)
	}
	return into
}

// optional says that a match can come about without the group taking part;
// the secret is then the whole match.
func optional(re, group *syntax.Regexp) bool {
	if re == group {
		return false
	}
	switch re.Op {
	case syntax.OpCapture, syntax.OpPlus:
		return optional(re.Sub[0], group)
	case syntax.OpRepeat:
		return re.Min == 0 || optional(re.Sub[0], group)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if !optional(sub, group) {
				return false
			}
		}
	}
	return true
}

// shortestMatch is the least number of bytes the expression consumes.
func shortestMatch(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1
	case syntax.OpCapture, syntax.OpPlus:
		return shortestMatch(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min * shortestMatch(re.Sub[0])
	case syntax.OpConcat:
		n := 0
		for _, sub := range re.Sub {
			n += shortestMatch(sub)
		}
		return n
	case syntax.OpAlternate:
		n := shortestMatch(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			n = min(n, shortestMatch(sub))
		}
		return n
	}
	return 0
}

// longest is the greatest number of bytes the expression consumes, or
// unbounded. A character is counted with the four bytes it may take.
func longest(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral:
		return 4 * len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 4
	case syntax.OpStar, syntax.OpPlus:
		return unbounded
	case syntax.OpCapture, syntax.OpQuest:
		return longest(re.Sub[0])
	case syntax.OpRepeat:
		one := longest(re.Sub[0])
		if re.Max < 0 || one < 0 {
			return unbounded
		}
		return re.Max * one
	case syntax.OpConcat, syntax.OpAlternate:
		n := 0
		for _, sub := range re.Sub {
			one := longest(sub)
			if one < 0 {
				return unbounded
			}
			if re.Op == syntax.OpConcat {
				n += one
			} else {
				n = max(n, one)
			}
		}
		return n
	}
	return 0
}

// addClass marks every byte the expression can consume. Characters beyond
// ASCII open the gate for all their possible bytes.
func addClass(class *[256]bool, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			addRune(class, r)
			if re.Flags&syntax.FoldCase != 0 {
				for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
					addRune(class, f)
				}
			}
		}
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1] && r < 0x80; r++ {
				addRune(class, r)
			}
			// The two signs that fold to ASCII letters come with every (?i)
			// class; secrets do not hold them, and counting them would open
			// the gate to all accented text.
			if hi := re.Rune[i+1]; hi >= 0x80 && hi != 'ſ' && hi != '\u212a' {
				addRune(class, hi)
			}
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		for i := range class {
			class[i] = true
		}
	}
	for _, sub := range re.Sub {
		addClass(class, sub)
	}
}

func addRune(class *[256]bool, r rune) {
	switch {
	case r < 0x80:
		class[r] = true
	case r == 'ſ' || r == '\u212a':
	default:
		for i := 0x80; i < len(class); i++ {
			class[i] = true
		}
	}
}
