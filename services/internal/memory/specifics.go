package memory

import (
	"slices"
	"strconv"
	"strings"
)

// Specifics are the details of a text that must never be lost or altered:
// numbers, versions, names that machines read, quotations, URLs, negations, modal
// verbs and words of direction or state (SPEC §1, D3).
//
// Two texts can share every other word and differ in their specifics only.
// Observation stamps are not specifics.
type Specifics struct {
	Values []Detail // numbers, versions and dates that are content
	Idents []Detail
	URLs   []Detail
	Quotes []Detail // quotations of several words; a quoted word is an ident

	negated []Detail // stems of negated words
	nevers  []string // the words of negated that a "never" denies
	// withouts are the words of negated that a "without" denies.
	withouts []string
	denied   []denial // the same negations with the words near them
	implied  []denial // what is denied in other words
	excepts  bool     // has a word that makes an exception
	// requires are the words without which something fails.
	requires []string
	fails    bool // states a failure
	lists    int  // members of the longest list of the text
	modals   modal
	sides    []side
	roles    roles
	words    wordSet  // every word, for look-ups by the other text
	stamped  []string // dates of the stamps, which are no specifics
}

// wordSet is a set of words by their hashes, sorted. A lane holds one for each text:
// without pointers, so that the garbage collector does not read it. Two of the words of
// all texts ever compared share a hash with a chance of one in millions.
type wordSet []uint64

func (l wordSet) has(word string) bool {
	_, ok := slices.BinarySearch(l, hashWord(word))
	return ok
}

// sorted returns the set of the appended hashes, in an array of its length.
func (l wordSet) sorted() wordSet {
	slices.Sort(l)
	l = slices.Compact(l)
	return append(make(wordSet, 0, len(l)), l...)
}

// hashWord returns the FNV-1a hash of a word.
func hashWord(word string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(word) {
		h = (h ^ uint64(word[i])) * 1099511628211
	}
	return h
}

// Detail is one specific with the word that names its slot.
type Detail struct {
	Text string
	Unit string // of a number
	Slot string // stem of the nearest preceding word of content; may be empty
	// Spelled says that a number is written as a word.
	Spelled bool
}

// Len returns the number of specifics, to choose the more specific of two texts.
func (s *Specifics) Len() int {
	n := len(s.Values) + len(s.Idents) + len(s.URLs) + len(s.Quotes) + len(s.negated) + len(s.sides)
	return n + s.modals.count()
}

// Obliges reports whether the text obliges, advises, allows or forbids something.
func (s *Specifics) Obliges() bool { return s.modals != 0 }

// Extract returns the specifics of a text.
func Extract(text string) *Specifics {
	text = Clean(text)
	tokens := Scan(text)
	return ExtractFrom(text, tokens, Stamps(text, tokens))
}

// ExtractFrom is [Extract] for a cleaned and scanned text.
func ExtractFrom(text string, tokens []Token, stamps []bool) *Specifics {
	s := &Specifics{words: make(wordSet, 0, 2*len(tokens))}
	slot := ""
	for i, t := range tokens {
		if stamps[i] {
			if t.Class == TokenDate {
				s.stamped = append(s.stamped, t.Value)
			}
			continue
		}
		s.addWord(t)
		d := Detail{Text: t.Value, Slot: slot}
		switch t.Class {
		case TokenNumber:
			if conjunction(text, tokens, i) {
				continue
			}
			spelled := !isDigit(text[t.Start])
			if spelled && CountsNothing(tokens, i) {
				if !pronoun(tokens, i) {
					s.deny(tokens, i)
				}
				continue
			}
			d.Spelled = spelled
			d.Unit = t.Unit
			if d.Unit == "" && i+1 < len(tokens) && tokens[i+1].Class == TokenWord && tokens[i+1].Sep == 0 && !fillers[tokens[i+1].Value] {
				d.Unit = Stem(tokens[i+1].Value)
			}
			d.Unit = unitOf(d.Unit)
			s.Values = append(s.Values, d)
		case TokenDate:
			d.Unit = "date"
			s.Values = append(s.Values, d)
		case TokenURL:
			s.URLs = append(s.URLs, d)
		case TokenIdent:
			s.Idents = append(s.Idents, d)
			slot = t.Value
		case TokenWord:
			if t.Quote != 0 {
				s.quote(tokens, i, d)
			}
			s.word(tokens, i)
			if !fillers[t.Value] {
				slot = Stem(t.Value)
			}
		}
	}
	s.roles = rolesOf(tokens, stamps)
	s.addDenials(tokens, stamps)
	s.lists = longestList(tokens)
	s.modals |= phraseModals(tokens)
	if s.modals&modalNever != 0 {
		s.modals &^= modalMust // "must never" forbids; it is not two obligations
	}
	s.words = s.words.sorted()
	sortDetails(s.Values)
	sortDetails(s.Idents)
	sortDetails(s.URLs)
	sortDetails(s.Quotes)
	sortDetails(s.negated)
	return s
}

// conjunction reports whether token i is a "once" that means "as soon as" and
// counts nothing. Such a "once" opens a clause and is not followed by a rate.
func conjunction(text string, tokens []Token, i int) bool {
	if t := tokens[i]; t.End-t.Start != 4 || !strings.EqualFold(text[t.Start:t.End], "once") || i+1 == len(tokens) {
		return false
	}
	switch next := tokens[i+1]; next.Value {
	case "a", "an", "per", "every", "each", "daily", "in", "at", "on", "and", "or", "by":
		return false
	default:
		return next.Sep == 0
	}
}

func sortDetails(d []Detail) {
	slices.SortStableFunc(d, func(a, b Detail) int { return strings.Compare(a.Text, b.Text) })
}

func (s *Specifics) addWord(t Token) {
	s.words = append(s.words, hashWord(t.Value))
	if t.Class == TokenWord {
		s.words = append(s.words, hashWord(Stem(t.Value)))
	}
	if t.Class == TokenIdent || strings.IndexByte(t.Value, '-') > 0 {
		for _, part := range strings.FieldsFunc(t.Value, func(r rune) bool { return strings.ContainsRune("./_-@#:$", r) }) {
			s.words = append(s.words, hashWord(part))
		}
	}
}

// quote records a quotation at its first word.
func (s *Specifics) quote(tokens []Token, i int, d Detail) {
	if i > 0 && tokens[i-1].Quote == tokens[i].Quote {
		return
	}
	j := i
	words := []string{}
	for j < len(tokens) && tokens[j].Quote == tokens[i].Quote {
		words = append(words, tokens[j].Value)
		j++
	}
	if len(words) > 12 { // reported speech, not a literal
		return
	}
	d.Text = strings.Join(words, " ")
	if len(words) == 1 {
		s.Idents = append(s.Idents, d)
		return
	}
	s.Quotes = append(s.Quotes, d)
}

// costs reports that the "needs" at i tells an amount and obliges nobody: "needs 22 minutes".
func costs(tokens []Token, i int) bool {
	if w := tokens[i].Value; w != "needs" && w != "need" {
		return false
	}
	for j := i + 1; j < len(tokens) && j <= i+4 && tokens[j].Sep == 0; j++ {
		switch tokens[j].Value {
		case "about", "around", "roughly", "some", "up", "to", "only", "just":
		default:
			return tokens[j].Class == TokenNumber
		}
	}
	return false
}

// word records the negation, obligation or direction of one plain word.
func (s *Specifics) word(tokens []Token, i int) {
	w := tokens[i].Value
	switch {
	case bounds(tokens, i) != "":
		a := axes[bounds(tokens, i)]
		s.sides = append(s.sides, side{axis: a.axis, positive: a.positive, word: boundWord})
	case (w == "without" || w == "unless") && failsNear(tokens, i):
		s.modals |= modalMust // "fails without X" obliges to have X
		s.requires = append(s.requires, negatedWord(tokens, i))
	case w == "not" && i+1 < len(tokens) && notOne(tokens, i+1):
	case (negates(w) || contrasts(tokens, i)) && !notOnly(tokens, i):
		about := negatedWord(tokens, i)
		s.negated = append(s.negated, Detail{Text: about})
		if wordModals[w] == modalNever {
			s.nevers = append(s.nevers, about)
		}
		if w == "without" || w == "ohne" {
			s.withouts = append(s.withouts, about)
		}
	}
	if m := wordModals[w]; (m&modalMust == 0 || !frees(tokens, i)) && !costs(tokens, i) {
		s.modals |= m
	}
	if a, ok := axes[w]; ok && !bounded(tokens, i) && (a.axis != switchAxis || switched(tokens, i)) {
		sd := side{axis: a.axis, positive: a.positive, word: w}
		if a.axis == orderAxis {
			sd.left, sd.right = neighbours(tokens, i)
		}
		s.sides = append(s.sides, sd)
	}
}

// unitOf returns the canonical spelling of a unit.
func unitOf(u string) string {
	if c, ok := units[u]; ok {
		return c
	}
	return u
}

var units = map[string]string{
	"second": "s", "seconds": "s", "sec": "s", "secs": "s", "sekund": "s", "sekunden": "s",
	"minute": "min", "minutes": "min", "minut": "min", "minuten": "min", "mins": "min", "m": "min",
	"hour": "h", "hours": "h", "hrs": "h", "stund": "h", "stunden": "h",
	"millisecond": "ms", "milliseconds": "ms", "msec": "ms",
	"year": "year", "years": "year", "jahre": "jahr", "jahren": "jahr", "months": "month", "monate": "monat", "monaten": "monat", "weeks": "week", "wochen": "woch",
	"day": "d", "days": "d", "tag": "d", "tage": "d", "tagen": "d",
	"percent": "%", "prozent": "%", "char": "char", "character": "char", "chars": "char", "zeichen": "char",
	"line": "line", "lines": "line", "zeil": "line", "zeilen": "line",
	"mb": "mb", "mib": "mib", "gb": "gb", "gib": "gib", "kb": "kb", "gi": "gi", "mi": "mi",
	"×": "x", "mal": "x", "time": "x",
}

// Names reports whether the text has this word, number or name, in the canonical
// form of [Token.Value].
func (s *Specifics) Names(word string) bool {
	return s.words.has(word)
}

// pronoun reports whether the spelled number at token i is a "one" that counts nothing:
// "one can", "one sees", "the old one", "no one". A counted noun follows "one" in the
// singular, so it does not end in s.
func pronoun(tokens []Token, i int) bool {
	if n := tokens[i].End - tokens[i].Start; tokens[i].Value != "1" || n == len("once") || n == len("einmal") {
		return false // "runs once on merges" counts
	}
	if i+1 == len(tokens) || tokens[i+1].Sep != 0 {
		return true
	}
	next := tokens[i+1].Value
	if next == "of" || next == "at" || next == "by" {
		return false // "one of the workers", "one at a time", "one by one"
	}
	return fillers[next] || negates(next) || tokens[i+1].Class == TokenWord && strings.HasSuffix(next, "s") && !strings.HasSuffix(next, "ss") && !strings.HasSuffix(next, "us")
}

// notOne reports "not one" at the number i, which is none.
func notOne(tokens []Token, i int) bool {
	return tokens[i].Value == "1" && tokens[i].Class == TokenNumber && tokens[i].Sep == 0 && i > 0 && tokens[i-1].Value == "not"
}

// CountsNothing reports whether the number at token i is a word that is no number of
// something: a pronoun ("one can"), or a negation ("zero links", "not one link").
func CountsNothing(tokens []Token, i int) bool {
	t := &tokens[i]
	if t.Class != TokenNumber || len(t.Value) > 1 || t.Unit != "" || t.End-t.Start < 3 {
		return false // "one", "zero" and "null" are longer than their digit
	}
	return pronoun(tokens, i) || (t.Value == "0" || notOne(tokens, i)) && i+1 < len(tokens) && tokens[i+1].Sep == 0 && negatedWord(tokens, i) != ""
}

// deny records "zero X" and "not one X" at token i as the negation of X, which is how
// others word it.
func (s *Specifics) deny(tokens []Token, i int) {
	about := negatedWord(tokens, i)
	s.negated = append(s.negated, Detail{Text: about})
	s.denied = append(s.denied, denial{text: about, near: around(tokens, i, true, true)})
}

// longestList returns how many members the longest list of a sentence has: its commas
// and words that join, and one. Zero means that there is no list.
func longestList(tokens []Token) int {
	longest, n := 0, 0
	for i, t := range tokens {
		switch {
		case t.Sep == '.' || t.Sep == '\n':
			n = 0
		case i > 0 && (t.Sep == ',' || t.Sep == ';' || joins[t.Value]):
			n++
			longest = max(longest, n+1)
		}
	}
	return longest
}

// scales are how many of the smallest unit of its kind a unit has. Of the units of
// memory both readings of kilo are equal only to themselves.
var scales = map[string]struct {
	kind  byte
	scale float64
}{
	"ms": {'t', 0.001}, "s": {'t', 1}, "min": {'t', 60}, "h": {'t', 3600}, "d": {'t', 86400}, "week": {'t', 7 * 86400}, "woch": {'t', 7 * 86400},
	"kb": {'b', 1}, "mb": {'b', 1000}, "gb": {'b', 1e6}, "tb": {'b', 1e9}, "kib": {'i', 1}, "mib": {'i', 1024}, "gib": {'i', 1024 * 1024}, "mi": {'i', 1024}, "gi": {'i', 1024 * 1024},
	"month": {'m', 1}, "monat": {'m', 1}, "year": {'m', 12}, "jahr": {'m', 12},
}

// Amount returns one spelling for the amount of time at token i, however it is written:
// "300 s" for 5 minutes; empty where there is none. next is how many tokens its unit
// has beside the number: 0 or 1.
func Amount(tokens []Token, i int) (amount string, next int) {
	t := &tokens[i]
	if t.Class != TokenNumber {
		return "", 0
	}
	unit := unitOf(t.Unit)
	if unit == "" && i+1 < len(tokens) && tokens[i+1].Class == TokenWord && tokens[i+1].Sep == 0 {
		unit, next = unitOf(Stem(tokens[i+1].Value)), 1
		if len(tokens[i+1].Value) == 1 && tokens[i+1].Value != "s" && tokens[i+1].Value != "h" {
			return "", 0 // 1.9 M are no minutes
		}
	}
	s, known := scales[unit]
	if !known || s.kind != 't' {
		return "", 0
	}
	n, err := strconv.ParseFloat(t.Value, 64)
	if err != nil {
		return "", 0
	}
	return strconv.FormatFloat(n*s.scale, 'f', -1, 64) + " s", next
}

// sameAmount reports whether two numbers with units are one amount: 5 min and 300 s.
func sameAmount(a, b *Detail) bool {
	x, known := scales[a.Unit]
	y, other := scales[b.Unit]
	if !known || !other || x.kind != y.kind || a.Unit == b.Unit {
		return false
	}
	m, err := strconv.ParseFloat(a.Text, 64)
	if err != nil {
		return false
	}
	n, err := strconv.ParseFloat(b.Text, 64)
	return err == nil && m*x.scale == n*y.scale
}

// unsaid reports whether a number that only one text has says nothing that the other
// does not: "one engine" beside "an engine", "two workers" beside "both workers", and a
// count that introduces a list of as many. Only spelled numbers are said so by the way.
func unsaid(d *Detail, other *Specifics) bool {
	if !d.Spelled && d.Text != "1" {
		return false
	}
	for i := range other.Values {
		if o := &other.Values[i]; o.Unit == d.Unit || o.Slot != "" && o.Slot == d.Slot {
			return false // another number of the same things
		}
	}
	n, err := strconv.Atoi(d.Text)
	switch {
	case err != nil || !d.Spelled && n != 1:
		return false
	case n == 1:
		return d.Unit != "" && other.words.has(d.Unit)
	case n == 2 && (other.words.has("both") || other.words.has("beide") || other.words.has("beiden")):
		return true
	}
	return n > 1 && n <= 9 && n <= other.lists
}
