package poison

import (
	"regexp"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/keywords"
)

// detector is one pattern, tried only where one of its words begins a word.
type detector struct {
	id       string
	class    Class
	language string // "en", "de", or "any"
	sentence string // what it looks for, for people
	words    []string
	// expr begins with ^ and is matched on the normalised text from the
	// beginning of the word on, over at most reach bytes.
	expr *regexp.Regexp
	// needs, when set, lists literals of which the text matched by expr holds at
	// least one: a cheap test that spares the expression.
	needs []string
	// left, when set, must match what precedes the word, over at most reach
	// bytes; it ends with $.
	left *regexp.Regexp
	// not, when set, must not match what precedes the word: negations and
	// reports ("never", "we used to").
	not *regexp.Regexp
	// accept, when set, makes the final decision on a match.
	accept func(n *normal, start, end int) bool
	// inside lets the word begin within another word or after a sign.
	inside bool
}

// reach bounds in bytes how far a pattern looks around its word.
const reach = 260

// Detector describes a detector for documentation.
type Detector struct {
	ID       string
	Class    Class
	Language string // "en", "de", or "any"
	Sentence string
}

// Detectors lists all detectors in the order in which they are tried.
func Detectors() []Detector {
	var out []Detector
	for _, d := range compiled.detectors {
		out = append(out, Detector{d.id, d.class, d.language, d.sentence})
	}
	for _, d := range []*detector{hiddenCharacters, hiddenMessage, mixedScript, encodedPayload} {
		out = append(out, Detector{d.id, d.class, d.language, d.sentence})
	}
	return out
}

// set is a list of detectors with the automaton that finds their words.
type set struct {
	detectors []detector
	words     *keywords.Matcher
	owner     []int // keyword id → index into detectors
}

// compiled never changes after initialisation.
var compiled = newSet(slices.Concat(englishDetectors(), germanDetectors(), neutralDetectors()))

func newSet(detectors []detector) *set {
	s := &set{detectors: detectors}
	var words []string
	for i, d := range detectors {
		for _, w := range d.words {
			words = append(words, w)
			s.owner = append(s.owner, i)
		}
	}
	s.words = keywords.New(words)
	return s
}

// scan adds the hits of a text, at most one per detector.
func (s *set) scan(n *normal, hits []Hit) []Hit {
	s.words.Each(n.text, func(w, start, _ int) {
		d := &s.detectors[s.owner[w]]
		if !d.inside && start > 0 && wordByte(n.text[start-1]) {
			return
		}
		if slices.ContainsFunc(hits, func(h Hit) bool { return h.Detector == d.id }) {
			return
		}
		if end := d.match(n, start); end > start {
			phrase := n.text[start:min(end, start+maxPhrase)]
			hits = append(hits, Hit{Detector: d.id, Class: d.class, Span: n.span(start, end), Phrase: phrase})
		}
	})
	return hits
}

// match returns the end of the detector's match at start, or 0.
func (d *detector) match(n *normal, start int) int {
	ahead := n.text[start:min(len(n.text), start+reach)]
	if d.needs != nil && !slices.ContainsFunc(d.needs, func(w string) bool { return strings.Contains(ahead, w) }) {
		return 0
	}
	m := d.expr.FindStringIndex(ahead)
	if m == nil {
		return 0
	}
	before := n.text[max(0, start-reach):start]
	if d.left != nil && !d.left.MatchString(before) || d.not != nil && d.not.MatchString(tail(before, 60)) {
		return 0
	}
	end := start + m[1]
	if d.accept != nil && !d.accept(n, start, end) {
		return 0
	}
	return end
}

// tail returns the last n bytes of s.
func tail(s string, n int) string { return s[max(0, len(s)-n):] }

func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_'
}
