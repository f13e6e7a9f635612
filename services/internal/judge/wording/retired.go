package wording

import (
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Term is a term of the registry, prepared for the search in tokens.
type Term struct {
	term   string
	joined string // lower case, without blanks, hyphens and leading zeros
	words  int
}

// Terms prepares the terms of a registry for [Extract].
func Terms(registry []string) []Term {
	out := make([]Term, 0, len(registry))
	for _, t := range registry {
		out = append(out, newTerm(t))
	}
	return out
}

func newTerm(term string) Term {
	return Term{term: term, joined: squash(term), words: len(strings.FieldsFunc(term, isJoiner)) + 1}
}

func isJoiner(r rune) bool { return r == ' ' || r == '-' || r == '_' }

// squash makes "ADR-0003", "adr 3" and "ADR 003" equal, and "mock engine",
// "mock-engine" and "mockEngine".
func squash(s string) string {
	var b strings.Builder
	digit := false
	for _, r := range strings.ToLower(s) {
		switch {
		case isJoiner(r):
			digit = false
			continue
		case r == '0' && !digit:
			continue
		case r >= '0' && r <= '9':
			digit = true
		default:
			digit = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// findRetired returns the retired terms that the text names, and whether the text
// names all of them only to announce their end.
func findRetired(terms []Term, t *Text, announce []int) (named []string, announced bool) {
	announced = true
	for _, term := range terms {
		at := findTerm(term, t.Tokens)
		if at < 0 {
			continue
		}
		named = append(named, term.term)
		if !nearby(withoutActs(announce, t.Tokens, at+term.words-1), at, term.words) || refers(t.Tokens, at) {
			announced = false
		}
	}
	return named, announced && len(named) > 0
}

// withoutActs returns the announcing words without one that tells, right behind a term, what
// the thing did to something else: "the bridge dropped field 62" is not its end.
func withoutActs(announce []int, tokens []memory.Token, behind int) []int {
	if behind+2 >= len(tokens) || tokens[behind+1].Sep != 0 || tokens[behind].Sep != 0 {
		return announce
	}
	next, after := tokens[behind+1], tokens[behind+2]
	counted := next.Class == memory.TokenWord && !slight[next.Value] && after.Class == memory.TokenNumber && after.Sep == 0
	if !counted && !next.Code && next.Value != "the" && next.Value != "a" {
		return announce
	}
	return slices.DeleteFunc(slices.Clone(announce), func(at int) bool { return at == behind })
}

// findTerm returns the token at which a term begins, or -1. A term matches a run of
// tokens, a part of an identifier (karma in karma.conf.js), and its plural.
func findTerm(term Term, tokens []memory.Token) int {
	for i := range tokens {
		joined := ""
		for j := i; j < len(tokens) && j < i+term.words; j++ {
			if j > i && (tokens[j].Sep == '.' || tokens[j].Sep == ';') {
				break
			}
			joined += squash(tokens[j].Value)
			if sameTerm(joined, term.joined) {
				return i
			}
			if !strings.HasPrefix(term.joined, joined) {
				break
			}
		}
		if tokens[i].Class == memory.TokenIdent {
			for _, part := range strings.FieldsFunc(tokens[i].Value, func(r rune) bool { return strings.ContainsRune("./:@", r) }) {
				if sameTerm(squash(part), term.joined) {
					return i
				}
			}
		}
	}
	return -1
}

func sameTerm(got, term string) bool {
	return got == term || got == term+"s" || got == term+"es" || got+"s" == term
}

// refers reports that the term at a token is what something else follows or came after:
// "after ADR 12 the folders were removed" says nothing of the end of ADR 12.
func refers(tokens []memory.Token, at int) bool {
	if at == 0 {
		return false
	}
	switch tokens[at-1].Value {
	case "after", "since", "per", "under", "following", "nach", "seit", "gemäß", "laut":
		return true
	}
	return false
}

// nearby reports whether an announcing word is within five tokens before the term or
// six after it.
func nearby(announce []int, at, words int) bool {
	for _, a := range announce {
		if a < at && at-a <= 5 || a > at && a-at <= words+5 {
			return true
		}
	}
	return false
}
