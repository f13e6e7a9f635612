package restate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// class is what a unit is.
type class uint8

const (
	word   class = iota // a word of meaning, or several that mean what one does
	name                // an identifier, or a word written as a name
	number              // a number, date or amount
	denial              // a word that denies; it has no weight and is like any other
)

// unit is one thing that a statement says.
type unit struct {
	class  class
	text   string // in lower case
	head   string // the stem in the text's language
	groups []int  // of synonyms
	stem   string // in English; empty of names and numbers
	weight float64
	amount float64 // of a number, in the smallest unit of its kind
	kind   byte    // of the amount; 0 of a plain number
	at     int     // token
	clause int
	vector []float32 // nil of what is no word that vectors know
	bare   string    // text without its signs
	fixed  bool      // written in one way only
	// Whether the word can be the contrary of any: most are not.
	sided, polar, antonym, prefixed bool
}

// settle notes what comparisons ask of a unit beside each unit of the other statement.
func (u *unit) settle() {
	u.bare, u.fixed = plain(u.text), fixed(u.text)
	u.sided, u.polar, u.antonym, u.prefixed = memory.Sided(u.text), wording.Polar(u.text), hasAntonym(u.stem), hasPrefix(u.text)
}

// statement is a text taken apart for one comparison.
type statement struct {
	text    string
	tokens  []memory.Token
	units   []unit
	denials int // words that deny
	german  bool
	// agents has the token of "by" for each participle of a passive, -1 without one.
	agents map[int]int
}

// Weights of units.
const (
	weightName   = 1.5
	weightRare   = 1.1
	weightCommon = 0.5
)

// read returns a text taken apart, which it remembers while the text has been scanned.
func read(t *wording.Text) *statement {
	kept := t.Kept()
	if kept == nil {
		return take(t)
	}
	s, ok := (*kept).(*statement)
	if !ok {
		s = take(t)
		*kept = s
	}
	return s
}

// take takes a text apart.
func take(t *wording.Text) *statement {
	tokens, stamps := t.Scanned()
	s := &statement{german: t.Doc.German, tokens: tokens, text: t.Clean, units: make([]unit, 0, len(tokens)/2)}
	clause, used := 0, -1
	for i := range tokens {
		tok := &tokens[i]
		if stamps[i] || i <= used || tok.Class == memory.TokenArrow {
			continue
		}
		if i > 0 && (tok.Sep != 0 || conjunctions[tok.Value]) {
			clause++
		}
		if tok.Class == memory.TokenWord && !tok.Code && memory.Negates(tok.Value) {
			if bounding(tokens, i) {
				continue
			}
			s.denials++
			s.units = append(s.units, unit{class: denial, at: i, clause: clause})
			continue
		}
		u := unit{text: tok.Value, head: tok.Value, at: i, clause: clause, weight: 1}
		end, ok := u.read(t, tokens, i)
		used = end
		if !ok {
			continue
		}
		if u.class == denial {
			s.denials++
		}
		if s.compound(&u, t.Doc.German) {
			continue
		}
		if denied := privative(u.text); u.class == word && denied != "" && tok.Class == memory.TokenWord {
			s.denials++
			s.units = append(s.units, unit{class: denial, at: i, clause: clause})
			u.text, u.weight = denied, weightOf(denied)
			u.head, u.stem, u.groups = stem(denied, t.Doc.German), stem(denied, false), groupsOf(denied, t.Doc.German)
		}
		s.units = append(s.units, u)
	}
	s.readPassives()
	words, known := make([]string, 0, len(s.units)), make([]int, 0, len(s.units))
	for i := range s.units {
		u := &s.units[i]
		u.settle()
		// Of words that the table only spells, vectors compare the pieces.
		if u.class < number && !u.fixed && language.Known(u.text) {
			words, known = append(words, u.text), append(known, i)
		}
	}
	for i, v := range t.Meanings(words) {
		s.units[known[i]].vector = v
	}
	return s
}

// read takes in what begins at token i, and returns its last token; it is false for what
// says nothing of its own.
func (u *unit) read(t *wording.Text, tokens []memory.Token, i int) (end int, ok bool) {
	tok := &tokens[i]
	switch {
	case tok.Class == memory.TokenDate:
		u.class = number
	case tok.Class == memory.TokenNumber:
		if memory.CountsNothing(tokens, i) {
			if tok.Value == "0" { // "zero links" denies
				u.class, u.weight = denial, 0
				return i, true
			}
			return i, false
		}
		return u.count(tokens, i), true
	case tok.Class != memory.TokenWord, tok.Code:
		u.class, u.weight = name, weightName
	default:
		return u.word(t, tokens, i)
	}
	return i, true
}

func (u *unit) word(t *wording.Text, tokens []memory.Token, i int) (end int, ok bool) {
	tok := &tokens[i]
	if head, end := phraseAt(tokens, i); end > i {
		if head == "" {
			return end, false // bounds are compared as such
		}
		u.text, u.head, u.stem, u.groups = head, stem(head, false), stem(head, false), groupsOf(head, false)
		return end, true
	}
	if head := partedAt(tokens, i); head != "" {
		u.text, u.head, u.stem, u.groups = head, stem(head, false), stem(head, false), groupsOf(head, false)
		return i, true
	}
	if end, ok := u.part(tokens, i); ok {
		return end, true
	}
	if clock, ok := clocks[u.text]; ok {
		u.class, u.text, u.head = number, clock, clock
		return i, true
	}
	if n, ok := numerals[u.text]; ok {
		return u.measured(tokens, i, n), true
	}
	if n, ok := fractions[u.text]; ok {
		u.class, u.amount, u.kind = number, n, 'f'
		for j := i + 1; j < min(len(tokens), i+3) && n < 2; j++ {
			if m, ok := measures[tokens[j].Value]; ok && m.kind == 't' { // "half an hour"
				u.amount, u.kind = n*m.scale, 't'
				return j, true
			}
		}
		return i, true
	}
	if n, ok := spans[u.text]; ok && (u.text != "tag" || t.Doc.German) {
		u.class, u.amount, u.kind = number, n, 't'
		return u.andHalf(tokens, i), true
	}
	if n, ok := ordinals[u.text]; ok {
		u.class, u.amount, u.kind = number, n, 'o'
		return i, true
	}
	if language.Function(u.text, language.Open) || fillers[u.text] {
		return i, false
	}
	if u.text == "longer" && i > 0 && (tokens[i-1].Value == "no" || tokens[i-1].Value == "any") {
		return i, false
	}
	if tok.Upper && i > 0 && tok.Sep == 0 && !t.Doc.German {
		u.class = name
	}
	b := base(u.text)
	u.head, u.stem, u.groups, u.weight = stem(b, t.Doc.German), stem(b, false), groupsOf(u.text, t.Doc.German), weightOf(u.text)
	if len(u.groups) == 0 && b != u.text {
		u.groups = groupsOf(b, t.Doc.German)
	}
	return i, true
}

// weightOf returns how much a word says: rare ones say most.
func weightOf(w string) float64 {
	switch p := language.Place(w); {
	case p < 2600:
		return weightCommon
	case p < 5000:
		return 0.8
	case p < 30_000:
		return 1
	}
	return weightRare
}

// count reads the number at i with its unit and returns the last token of both.
func (u *unit) count(tokens []memory.Token, i int) int {
	u.class = number
	if end, ok := u.part(tokens, i); ok {
		return end
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(tokens[i].Value, ",", ""), 64)
	if err != nil {
		return i
	}
	return u.measured(tokens, i, n)
}

// measured makes u the number n at token i with the unit behind it, and returns the last token of
// both.
func (u *unit) measured(tokens []memory.Token, i int, n float64) int {
	u.class, u.amount = number, n
	measured, end := tokens[i].Unit, i
	if measured == "" && i+1 < len(tokens) && tokens[i+1].Class == memory.TokenWord && tokens[i+1].Sep == 0 {
		measured, end = tokens[i+1].Value, i+1
	}
	if m, ok := measures[measured]; ok {
		u.kind, u.amount = m.kind, n*m.scale
		if n == 1 {
			return u.andHalf(tokens, end)
		}
		return end
	}
	if n == 1 {
		u.weight = weightCommon
	}
	return i
}

// part reads a part of something in words, "three quarters of an hour", "a tenth of the price", "one
// in two", which begins at the count before it, and returns its last token.
func (u *unit) part(tokens []memory.Token, i int) (end int, ok bool) {
	n := 1.0
	if tokens[i].Class == memory.TokenNumber {
		v, err := strconv.ParseFloat(tokens[i].Value, 64)
		if err != nil || tokens[i].Unit != "" {
			return i, false
		}
		if n = v; i+2 < len(tokens) && n == 1 && tokens[i+1].Value == "in" && tokens[i+2].Class == memory.TokenNumber && tokens[i+2].Unit == "" {
			if d, err := strconv.ParseFloat(tokens[i+2].Value, 64); err == nil && d > 1 && (i+3 == len(tokens) || !memory.IsUnit(tokens[i+3].Value)) {
				u.class, u.amount, u.kind = number, 1/d, 'f'
				return i + 2, true
			}
		}
		i++
	} else if i == 0 || tokens[i-1].Value != "a" && tokens[i-1].Value != "an" {
		return i, false
	}
	if i >= len(tokens) || tokens[i].Sep != 0 {
		return i, false
	}
	share, known := parts[tokens[i].Value]
	if !known || i+1 == len(tokens) || tokens[i+1].Value != "of" || tokens[i+1].Sep != 0 {
		return i, false
	}
	u.class, u.amount, u.kind = number, n*share, 'f'
	for j := i + 2; j < min(len(tokens), i+4); j++ {
		if m, ok := measures[tokens[j].Value]; ok && m.kind == 't' {
			u.amount, u.kind = n*share*m.scale, 't'
			return j, true
		}
	}
	return i + 1, true
}

// compound adds the number that a compound begins with, "twelve-digit", "Zehn-Minuten-Takt", to a
// statement, and leaves the rest of the compound in u; false for others.
func (s *statement) compound(u *unit, german bool) bool {
	first, rest, ok := strings.Cut(u.text, "-")
	n, known := numerals[first]
	if !ok || u.class != word || rest == "" || !known {
		return false
	}
	counted := unit{class: number, text: first, head: first, at: u.at, clause: u.clause, weight: 1, amount: n}
	noun, more, _ := strings.Cut(rest, "-")
	if m, ok := measures[noun]; ok {
		counted.kind, counted.amount, rest = m.kind, n*m.scale, more
	}
	s.units = append(s.units, counted)
	if rest == "" {
		return true
	}
	u.text, u.head, u.stem, u.groups, u.weight = rest, stem(rest, german), stem(rest, false), groupsOf(rest, german), weightOf(rest)
	s.units = append(s.units, *u)
	return true
}

// andHalf adds the half of "a minute and a half" behind token i, and returns the last token.
func (u *unit) andHalf(tokens []memory.Token, i int) int {
	if i+3 < len(tokens) && tokens[i+1].Value == "and" && fractions[tokens[i+3].Value] == 0.5 {
		u.amount *= 1.5
		return i + 3
	}
	return i
}

// bounding reports that the denial at i makes a bound: "no more than".
func bounding(tokens []memory.Token, i int) bool {
	for j := i + 1; j+1 < len(tokens) && j <= i+4 && tokens[j].Sep == 0; j++ {
		if v := tokens[j+1].Value; (v == "than" || v == "als") && comparatives[tokens[j].Value] {
			return true
		}
	}
	return false
}

// spelled reports a number that is written as a word.
func (s *statement) spelled(u *unit) bool {
	c := s.text[s.tokens[u.at].Start]
	return c < '0' || c > '9'
}

// behind returns the first unit behind a token, -1 without one.
func (s *statement) behind(token int) int {
	for i := range s.units {
		if s.units[i].at > token {
			return i
		}
	}
	return -1
}

// maxBefore is how far before a participle its "to be" stands, and maxBehind how far behind
// it its "by".
const (
	maxBefore = 4
	maxBehind = 5
)

func (s *statement) readPassives() {
	s.agents = make(map[int]int)
	for i := range s.tokens {
		t := &s.tokens[i]
		if t.Class != memory.TokenWord || !participle(t.Value) && bases[t.Value] == "" {
			continue
		}
		passive := false
		for j := i - 1; j >= max(0, i-maxBefore); j-- {
			passive = passive || auxiliaries[s.tokens[j].Value]
		}
		if !passive {
			continue
		}
		s.agents[i] = -1
		for j := i + 1; j < min(len(s.tokens), i+maxBehind); j++ {
			if v := s.tokens[j].Value; v == "by" || v == "von" {
				s.agents[i] = j
				break
			}
		}
	}
}

func participle(w string) bool {
	return strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "en") || participles[w]
}

// stamped reports that a token is a date which the statement has too, be it only as the
// time of the observation.
func (s *statement) stamped(t *memory.Token) bool {
	return t.Class == memory.TokenDate && slices.ContainsFunc(s.tokens, func(o memory.Token) bool { return o.Class == memory.TokenDate && o.Value == t.Value })
}
