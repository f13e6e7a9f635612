package extract

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Claims returns the details of a text that must be proved: what stands in
// backticks, names that machines read, paths, addresses, numbers with a digit
// and dates, as they are written, except the numbers of steps. Package memory defines them. A word with a
// digit, a slash or an underscore in a doubtful spelling counts too.
func Claims(text string) []string {
	var list []string
	seen := make(map[string]bool)
	take := func(s string) {
		if s = strings.Trim(s, "`"); s != "" && !seen[s] {
			seen[s] = true
			list = append(list, s)
		}
	}
	text = withoutMarks(text)
	for _, m := range CodeSpan.FindAllStringSubmatch(text, -1) {
		take(m[1])
	}
	for _, t := range memory.Scan(text) {
		written := text[t.Start:t.End]
		switch t.Class {
		case memory.TokenIdent, memory.TokenURL:
			take(written)
		case memory.TokenNumber, memory.TokenDate:
			if strings.ContainsAny(written, "0123456789") {
				take(written)
			}
		}
	}
	// A placeholder in prose names nothing: <path>::<test>.
	for word := range strings.FieldsSeq(placeholder.ReplaceAllString(CodeSpan.ReplaceAllString(text, " "), " ")) {
		if word = strings.Trim(word, "`*\"'“”„‘’«»()[]{}<>.,;:!?…→"); doubtful(word) {
			take(word)
		}
	}
	return list
}

// placeholder matches what stands in the place of a value.
var placeholder = regexp.MustCompile(`<[^<>\s]{1,40}>`)

var CodeSpan = regexp.MustCompile("`([^`\n]+)`")

// numbered matches the marks of a numbered list, which claim nothing.
var numbered = regexp.MustCompile(`^\d{1,2}$`)

// doubtful reports whether a strict reader would call a word a name or a
// number.
func doubtful(word string) bool {
	if numbered.MatchString(word) {
		return false // package memory has found those that are no list's
	}
	if strings.ContainsAny(word, "_\\@=") || strings.Contains(word, "::") || strings.Contains(word, "--") {
		return true
	}
	for i, r := range word {
		switch {
		case unicode.IsDigit(r):
			return true
		case r == '.' && i > 0 && i+1 < len(word) && unicode.IsLetter(rune(word[i+1])) && !abbreviation[strings.ToLower(word)]:
			return true
		}
	}
	return false
}

var abbreviation = map[string]bool{"e.g": true, "i.e": true, "z.b": true, "d.h": true, "u.a": true, "o.ä": true, "a.k.a": true}

// evidence is the quotations in which claims are looked up.
type evidence struct {
	texts    []string
	squeezed []string
}

func newEvidence(quotes []Quote) evidence {
	var e evidence
	for _, q := range quotes {
		e.texts = append(e.texts, q.Text)
		e.squeezed = append(e.squeezed, Squeeze(q.Text))
	}
	return e
}

// has reports whether a claim stands in one of the quotations, letter by
// letter. Blanks do not count in a claim that has some, except in a number:
// with blanks elsewhere it is another number.
func (e evidence) has(claim string) bool {
	for i, text := range e.texts {
		if _, _, ok := Within(text, claim); ok {
			return true
		}
		if strings.ContainsFunc(claim, unicode.IsSpace) && strings.Contains(e.squeezed[i], Squeeze(claim)) {
			return true
		}
	}
	return false
}

// missing returns the first claim of a text that no quotation has.
func (e evidence) missing(text string) (string, bool) {
	if list := e.unproved(text); len(list) > 0 {
		return list[0], true
	}
	return "", false
}

// unproved returns the claims of a text that the quotations do not bear out. A
// command in backticks that is borne out as a whole claims nothing else.
func (e evidence) unproved(text string) (list []string) {
	text = withoutMarks(text)
	rest := []byte(text)
	for _, m := range CodeSpan.FindAllStringSubmatchIndex(text, -1) {
		if claim := text[m[2]:m[3]]; !e.has(claim) && e.explained(claim, text) {
			for i := m[0]; i < m[1]; i++ {
				rest[i] = ' '
			}
		}
	}
	for _, claim := range Claims(string(rest)) {
		if !e.has(claim) && !e.explained(claim, text) {
			list = append(list, claim)
		}
	}
	return list
}

// Within finds a claim as a whole word or number: 80 is not in 8080, nor in
// 80.5.
func Within(text, claim string) (start, end int, ok bool) {
	for from := 0; ; {
		i := strings.Index(text[from:], claim)
		if i < 0 {
			return 0, 0, false
		}
		start, end = from+i, from+i+len(claim)
		if bounded(text, start, end) {
			return start, end, true
		}
		_, n := utf8.DecodeRuneInString(text[start:])
		from = start + n
	}
}

func bounded(text string, start, end int) bool {
	first, _ := utf8.DecodeRuneInString(text[start:])
	last, _ := utf8.DecodeLastRuneInString(text[:end])
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, n := utf8.DecodeRuneInString(text[end:])
	if start > 0 && joins(before, first) || end < len(text) && joins(last, after) {
		return false
	}
	if !unicode.IsDigit(first) && !unicode.IsDigit(last) {
		return true
	}
	if start > 1 && unicode.IsDigit(first) && (before == '.' || before == ',') && isDigit(text[start-2]) {
		return false
	}
	return !(unicode.IsDigit(last) && (after == '.' || after == ',') && end+n < len(text) && isDigit(text[end+n]))
}

// joins reports whether two characters belong to one word.
func joins(a, b rune) bool { return wordRune(a) && wordRune(b) }

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
