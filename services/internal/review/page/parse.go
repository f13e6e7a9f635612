package page

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// longestReply is the most bytes of a reply that are parsed. A mail that quotes a
	// few digests is shorter.
	longestReply = 64 << 10
	// longestRest is the most characters of a part not understood that an error
	// repeats.
	longestRest = 80
)

// Parse reads a reply: ok, ok except 3n 5n, 1y 2n, 1-3y, all n, 4: new text,
// p2n, later, undo, in English or German, with or without the digest's code in
// front or behind. Pieces may be combined, on one line or on several; a new
// text ends with its line. Quoted lines and the quoted digest are skipped.
//
// A reply with any part that is not understood gives a [*NotUnderstoodError], and
// nothing of it may be done.
func Parse(text string) (Reply, error) {
	if len(text) > longestReply {
		return Reply{}, &NotUnderstoodError{Rest: shorten(text), Why: WhyLong}
	}
	lines := ownLines(text)
	p := parser{answers: map[int]Answer{}, spots: map[int]Answer{}}
	p.code, lines = cutCode(lines)
	for _, line := range lines {
		if why, at := p.line(line); why != "" {
			return Reply{}, p.fail(why, line[at:])
		}
	}
	return p.finish(strings.Join(lines, "\n"))
}

// cutCode removes the code from the begin of the message, or else from its end.
func cutCode(lines []string) (string, []string) {
	if len(lines) == 0 {
		return "", nil
	}
	first, rest := firstWord(lines[0])
	if isCodeLabel(first) {
		first, rest = firstWord(rest)
	}
	if code, is := codeShaped(bare(first)); is {
		return code, append([]string{rest}, lines[1:]...)
	}
	end := len(lines) - 1
	rest, last := lastWord(lines[end])
	code, is := codeShaped(bare(last))
	if !is {
		return "", lines
	}
	if before, label := lastWord(rest); isCodeLabel(label) {
		rest = before
	}
	return code, append(append([]string(nil), lines[:end]...), rest)
}

func firstWord(line string) (word, rest string) {
	if i := strings.IndexFunc(line, unicode.IsSpace); i >= 0 {
		return line[:i], strings.TrimSpace(line[i:])
	}
	return line, ""
}

func lastWord(line string) (rest, word string) {
	if i := strings.LastIndexFunc(line, unicode.IsSpace); i >= 0 {
		return strings.TrimSpace(line[:i]), strings.TrimSpace(line[i:])
	}
	return "", line
}

func isCodeLabel(word string) bool { return strings.EqualFold(bare(word), "code") }

// bare returns a word without the punctuation around it.
func bare(word string) string {
	return strings.TrimFunc(word, func(r rune) bool { return separates(r) || r == ':' || r == '#' })
}

// parser collects the pieces of one reply.
type parser struct {
	code           string
	base           Base
	except         bool // an except was read
	excepted       bool // and an answer after it
	plain          bool // an answer stood without an except
	later, undo    bool
	answers, spots map[int]Answer
	understood     []string
}

// finish checks the reply as a whole.
func (p *parser) finish(whole string) (Reply, error) {
	r := Reply{Code: p.code, Base: p.base, Later: p.later, Undo: p.undo, Answers: sorted(p.answers), Spots: sorted(p.spots)}
	others := p.base != BaseNone || len(r.Answers)+len(r.Spots) > 0
	switch {
	case (p.later || p.undo) && (others || p.later && p.undo):
		return Reply{}, p.fail(WhyAlone, whole)
	case p.base != BaseNone && p.plain:
		return Reply{}, p.fail(WhyExcept, whole)
	case p.except && !p.excepted:
		return Reply{}, p.fail(WhyNoChoice, whole)
	case !others && !p.later && !p.undo:
		return Reply{}, p.fail(WhyEmpty, whole)
	}
	return r, nil
}

func sorted(by map[int]Answer) []Answer {
	var out []Answer
	for n := 1; n <= maxNumber && len(out) < len(by); n++ {
		if a, is := by[n]; is {
			out = append(out, a)
		}
	}
	return out
}

func (p *parser) fail(why Why, rest string) error {
	return &NotUnderstoodError{Code: p.code, Understood: p.understood, Rest: shorten(rest), Why: why}
}

func shorten(s string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
	if utf8.RuneCountInString(s) > longestRest {
		s = string([]rune(s)[:longestRest]) + "…"
	}
	return s
}
