package redact

import (
	"regexp"

	"github.com/winnowhq/winnow/services/internal/guard/redact/keywords"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// anchoredRule is one of Winnow's own rules: an expression tried only where one
// of its words stands, and a check of what it captured. Anchoring makes the
// cost proportional to the number of words found, not to the length of the
// text.
type anchoredRule struct {
	id, description string
	rank            int
	words           []string
	// expr begins with ^ and is matched from the beginning of the word on. Its
	// last capture group is the secret. nil when find is set.
	expr *regexp.Regexp
	// reach bounds how far after the word's beginning expr may look, in bytes.
	reach int
	// starts means that the word must begin a token: after a letter or a digit
	// expr is not tried, which bounds the cost of a text that repeats the word.
	starts bool
	// accept checks a match; nil accepts all.
	accept func(candidate) bool
	// find replaces expr for shapes that extend to the left of the word, or
	// that hold several secrets.
	find func(text string, start, end int, emit func(from, to int))
}

// candidate is what an anchored expression captured.
type candidate struct {
	text       string // the whole segment
	word       int    // where the rule's word begins
	name       string // first capture group when there are two or more, else empty
	start, end int    // the secret
}

func (c candidate) value() string { return c.text[c.start:c.end] }

// before returns the byte left of the word, or 0 at the beginning of the text.
func (c candidate) before() byte { return byteBefore(c.text, c.word) }

// after returns the byte right of the secret, or 0 at the end of the text.
func (c candidate) after() byte {
	if c.end == len(c.text) {
		return 0
	}
	return c.text[c.end]
}

func byteBefore(text string, at int) byte {
	if at == 0 {
		return 0
	}
	return text[at-1]
}

// anchored runs a set of anchored rules.
type anchored struct {
	rules []anchoredRule
	words *keywords.Matcher
	owner []int // keyword id → index into rules
}

func newAnchored(rules []anchoredRule) *anchored {
	a := &anchored{rules: rules}
	var words []string
	for i, r := range rules {
		for _, w := range r.words {
			words = append(words, w)
			a.owner = append(a.owner, i)
		}
	}
	a.words = keywords.New(words)
	return a
}

func (a *anchored) scan(segment string, emit func(span)) {
	var r *anchoredRule
	report := func(from, to int) { emit(span{rule: r.id, rank: r.rank, start: from, end: to}) }
	a.words.Each(segment, func(w, start, end int) {
		r = &a.rules[a.owner[w]]
		if r.find != nil {
			r.find(segment, start, end, report)
			return
		}
		if b := byteBefore(segment, start); r.starts && b != '.' && plausible.IsWordByte(b) {
			return
		}
		m := r.expr.FindStringSubmatchIndex(segment[start:min(len(segment), start+r.reach)])
		if m == nil {
			return
		}
		c := candidate{text: segment, word: start}
		c.start, c.end = start+m[len(m)-2], start+m[len(m)-1]
		if len(m) > 4 && m[2] >= 0 {
			c.name = segment[start+m[2] : start+m[3]]
		}
		if m[len(m)-2] >= 0 && (r.accept == nil || r.accept(c)) {
			emit(span{rule: r.id, rank: r.rank, start: c.start, end: c.end})
		}
	})
}
