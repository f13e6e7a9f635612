package redact

import (
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// This file measures parsed expressions: how many bytes they consume, which
// bytes those can be, and what can stand before a capture group. Every answer
// errs towards "could match", so that gates built on them never cost recall.

// unbounded is the length of expressions with * or +.
const unbounded = -1

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

// optional reports whether a match can come about without the group taking part;
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
// unbounded.
func longest(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral:
		n := 0
		for _, r := range re.Rune {
			n += utf8.RuneLen(r)
		}
		return n
	case syntax.OpCharClass:
		n := 1
		for _, r := range re.Rune {
			if !foldSign(r) {
				n = max(n, utf8.RuneLen(r))
			}
		}
		return n
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return utf8.UTFMax
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
	case syntax.OpConcat:
		return total(re.Sub)
	case syntax.OpAlternate:
		n := 0
		for _, sub := range re.Sub {
			one := longest(sub)
			if one < 0 {
				return unbounded
			}
			n = max(n, one)
		}
		return n
	}
	return 0
}

// total is the length of a concatenation.
func total(subs []*syntax.Regexp) int {
	n := 0
	for _, sub := range subs {
		one := longest(sub)
		if one < 0 {
			return unbounded
		}
		n += one
	}
	return n
}

// lastBytes marks every byte a match of the expression can end with.
func lastBytes(class *[256]bool, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpConcat:
		for i := len(re.Sub) - 1; i >= 0; i-- {
			lastBytes(class, re.Sub[i])
			if shortestMatch(re.Sub[i]) > 0 {
				return
			}
		}
	case syntax.OpLiteral:
		last := *re
		last.Rune = re.Rune[len(re.Rune)-1:]
		addClass(class, &last)
	case syntax.OpAlternate, syntax.OpCapture, syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		for _, sub := range re.Sub {
			lastBytes(class, sub)
		}
	default:
		addClass(class, re)
	}
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
			addRune(class, re.Rune[i+1])
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
	case foldSign(r):
	default:
		for i := 0x80; i < len(class); i++ {
			class[i] = true
		}
	}
}

// foldSign reports whether r is one of the two signs that fold to ASCII letters (long
// s and the Kelvin sign). They come with every (?i) class; secrets do not hold
// them, and counting them would open the gates to all accented text.
func foldSign(r rune) bool { return r == '\u017f' || r == '\u212a' }
