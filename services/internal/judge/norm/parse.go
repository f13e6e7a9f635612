package norm

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// sentence is a sentence and the little that is known of its grammar.
type sentence struct {
	t      []memory.Token // without stamps before it
	german bool
	main   int // where the main clause begins, behind an opening condition or time
	head   int // the last noun of the subject, -1 without one
	verb   int // the finite verb, -1 without one
	tense  tense
	plural bool // the subject is of several
	dated  bool // the text has a date
	nth    int  // which sentence of the text it is, from 0
	among  int  // how many sentences the text has
	// begins has the first two letters of each word, once a phrase was asked for.
	begins [4]uint64
}

type tense uint8

const (
	none tense = iota
	present
	past
	imperative
)

// parse reads the tokens of one sentence.
func parse(t []memory.Token, german bool) sentence {
	s := sentence{t: t, german: german, head: -1, verb: -1}
	s.main = s.opening()
	if s.order(s.main) {
		s.verb, s.tense = s.main, imperative
		return s
	}
	if s.reported() {
		s.verb, s.tense = s.main, past
		return s
	}
	s.finite()
	return s
}

// reported reports a sentence without its first person, "explored how …", or with only
// a gerund, "building a parser": it tells what was done.
func (s *sentence) reported() bool {
	w := s.word(s.main)
	if strings.HasSuffix(w, "ed") && len(w) > 4 && !articles[s.word(s.main+1)] && several(s.word(s.main+1)) {
		return false // "generated files are …"
	}
	return strings.HasSuffix(w, "ed") && len(w) > 4 && !function(w) && s.next(s.main, auxiliary) < 0
}

// next returns the place of the first of the words behind i in the same clause, -1
// without one.
func (s *sentence) next(i int, words map[string]bool) int {
	for i++; i < len(s.t) && (s.t[i].Sep == 0 || s.t[i].Sep == '('); i++ {
		w := s.word(i)
		if subordinates[w] {
			return -1
		}
		if words[w] {
			return i
		}
	}
	return -1
}

// word returns the token at i as a plain word, empty for code, numbers and what lies
// outside.
func (s *sentence) word(i int) string {
	if i < 0 || i >= len(s.t) || s.t[i].Code || s.t[i].Class != memory.TokenWord {
		return ""
	}
	return s.t[i].Value
}

// opening returns where the main clause begins. What precedes it is a condition, a
// purpose or a time: it has a comma, or is of the kind "in June".
func (s *sentence) opening() int {
	if !openers[s.word(0)] && !(s.german && germanOpeners[s.word(0)]) {
		return 0
	}
	for i := 1; i < len(s.t); i++ {
		if s.t[i].Sep == ',' {
			return i
		}
	}
	if circumstances[s.word(1)] && len(s.t) > 3 {
		return 2 // "wherever possible avoid …"
	}
	if s.word(0) == "to" && s.word(3) == "the" && several(s.word(2)) {
		return 3 // "to avoid seams the tool …"
	}
	return 0
}

// finite finds the subject and the finite verb of the main clause.
func (s *sentence) finite() {
	nouns := 0
	stopped := false // the subject's own noun is found: what follows belongs to it
	for i := s.main; i < len(s.t); i++ {
		if i = s.aside(i); i >= len(s.t) {
			return
		}
		t := s.t[i]
		w := s.word(i)
		if i > s.main && t.Sep != 0 && t.Sep != ',' {
			return
		}
		if w == "" {
			if s.head < 0 || !stopped {
				s.head = i
			}
			nouns++
			continue
		}
		switch {
		case w == "may" && t.Upper && i > s.main && prepositions[s.word(i-1)], w == "may" && t.Upper && s.word(i-1) == "last":
			continue // the month
		case auxiliary[w] || s.german && germanAuxiliary[w]:
			s.verb, s.tense = i, present
			if pastAuxiliary[w] {
				s.tense = past
			}
			return
		case s.german:
			if germanVerbs[w] && (!t.Upper || i == s.main) {
				s.verb, s.tense = i, present
				if germanPasts[w] {
					s.tense = past
				}
				return
			}
		case i == s.main && !pronouns[w]:
		case s.inflects(i, nouns, stopped):
			return
		}
		switch {
		case prepositions[w] || relatives[w]:
			stopped = stopped || s.head >= 0
		case function(w):
		default:
			if !stopped {
				s.head = i
			}
			nouns++
		}
	}
}

// aside returns where the main clause goes on behind what begins at i: words in brackets,
// and a German clause inside ("die Regel, dass …, galt"), whose verb is another one.
func (s *sentence) aside(i int) int {
	if i == s.main {
		return i
	}
	bracket := s.t[i].Sep == '('
	if !bracket && !(s.german && s.t[i].Sep == ',' && germanRelatives[s.word(i)]) {
		return i
	}
	for i++; i < len(s.t); i++ {
		if s.t[i].Sep == ',' || bracket && s.t[i].Sep != 0 {
			break
		}
	}
	return i
}

// inflects reports that the word at i is the finite verb, and notes it.
func (s *sentence) inflects(i, nouns int, stopped bool) bool {
	w, before, next := s.word(i), s.word(i-1), s.word(i+1)
	if nouns == 0 && !pronouns[before] && !quantifierPronoun[before] && before != "only" || s.t[i].Upper || articles[before] || prepositions[before] && !s.t[i-1].Code {
		return false
	}
	s.plural = s.severalBefore(i)
	switch {
	case samePast[w] && (before == "we" || before == "you" || before == "they") && !s.dated && s.has(0, pastAuxiliary) < 0:
		s.verb, s.tense = i, present // "we put the code first"
		return true
	case irregularPast[w], strings.HasSuffix(w, "ed") && len(w) > 4 && !prepositions[before]:
		if shaped[w] && prepositions[next] && !articles[s.word(s.main)] && s.main == 0 && !s.dated {
			return false // "one class per file, file named after the class"
		}
		// "files generated by protoc live …": the participle belongs to the noun.
		if next == "by" || (next == "with" || next == "in" || next == "from" || next == "for" || next == "under") && s.laterVerb(i+2) {
			return false
		}
		s.verb, s.tense = i, past
		return true
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss"):
		// "names its owner": after one thing, before something that it governs.
		named := before == "" && s.t[i].Sep == 0 && s.word(i+1) == "" || before == "" && i+1 < len(s.t) && s.t[i+1].Sep != 0
		if s.plural && !stopped && s.word(s.head) != "data" || !named && !verbal(strings.TrimSuffix(w, "s"), w) || !s.governs(i+1) || next == "of" {
			return false
		}
		// "message names between popup and worker are": a verb of the plural follows.
		if s.next(i, auxiliary) > 0 || s.next(i, placingPlural) > 0 {
			return false
		}
		s.verb, s.tense, s.plural = i, present, false
		return true
	case (s.plural || plurals[before]) && verbal(w, w) && (pronouns[before] || s.governs(i+1) || placing[w] && strings.HasSuffix(next, "ing")):
		s.verb, s.tense = i, present
		return true
	}
	return false
}

// governs reports that what stands at i can follow a verb and seldom a noun: the end, a
// comma, an article, a preposition, an adverb, code, a number or a name.
func (s *sentence) governs(i int) bool {
	if i >= len(s.t) || s.t[i].Sep != 0 {
		return true
	}
	w := s.word(i)
	if auxiliary[w] || placing[w] && !function(w) && s.word(i+1) != "" && function(s.word(i+1)) {
		return false // "error codes are", "public functions come first"
	}
	return w == "" || function(w) || governed[w] || strings.HasSuffix(w, "ly") || !strings.HasSuffix(w, "ing") && !placing[w] && s.word(i+1) != "" && !auxiliary[s.word(i+1)]
}

func (s *sentence) laterVerb(i int) bool {
	for ; i < len(s.t); i++ {
		if auxiliary[s.word(i)] || placing[s.word(i)] {
			return true
		}
	}
	return false
}

// severalBefore reports that the subject before i is of several things.
func (s *sentence) severalBefore(i int) bool {
	if pronouns[s.word(i-1)] {
		return s.word(i-1) == "we" || s.word(i-1) == "you" || s.word(i-1) == "they"
	}
	if s.head < 0 {
		return false
	}
	w := s.word(s.head)
	if w == "" {
		return false
	}
	return several(w) && !articlesOfOne[s.word(s.main)]
}

// several reports the form of a noun in the plural.
func several(w string) bool {
	return plurals[w] || len(w) > 2 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is")
}

// verbal reports that a word, with the base form that is guessed for it, is a form of a
// verb: English has the base form with -ing and -ed too.
func verbal(guess, form string) bool {
	if placing[form] || placing[guess] || irregularVerb[guess] || irregularVerb[strings.TrimSuffix(guess, "e")] {
		return true
	}
	return base(guess, form) || strings.HasSuffix(form, "es") && base(strings.TrimSuffix(form, "es"), form) || strings.HasSuffix(form, "ies") && base(strings.TrimSuffix(form, "ies")+"y", form)
}

// base reports that the word is the base form of a regular verb, by the vocabulary.
func base(w, _ string) bool {
	if len(w) < 2 || function(w) {
		return false
	}
	stem := strings.TrimSuffix(w, "e")
	last := w[len(w)-1:]
	known := language.Known
	ing := known(w+"ing") || known(stem+"ing") || known(w+last+"ing")
	ed := known(w+"ed") || known(w+"d") || known(w+last+"ed") || known(stem+"ed") || strings.HasSuffix(w, "y") && known(w[:len(w)-1]+"ied")
	return ing && ed
}

// order reports that the word at i can be an imperative before what it governs: a base
// form that is followed by an article, a name or a number of things, "flip the order".
func (s *sentence) order(i int) bool {
	w := s.word(i)
	if w == "" || i > 0 && s.t[i].Upper && s.t[i].Sep == 0 || strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
		return false
	}
	if orderLead[w] {
		i++
		w = s.word(i)
	}
	if w == "" || function(w) || !irregularVerb[w] && !base(w, w) {
		return false
	}
	if i+1 >= len(s.t) || s.t[i+1].Sep == '-' {
		return false
	}
	next := s.word(i + 1)
	if next == "" {
		// "try `strace`", but "make 4.4" and "build 512".
		return s.t[i+1].Class != memory.TokenNumber && s.t[i+1].Class != memory.TokenDate
	}
	return orderObject[next] || prepositions[next] && next != "of" && next != "by" && i > 0 && s.main > 0
}

func function(w string) bool {
	return language.Function(w, language.Open) || articles[w] || prepositions[w]
}

// has returns the first of the words in the sentence from i on, and where it is, -1
// without one.
func (s *sentence) has(from int, set map[string]bool) int {
	for i := max(from, 0); i < len(s.t); i++ {
		if w := s.word(i); w != "" && set[w] {
			return i
		}
	}
	return -1
}

// phrase reports that the words stand in a row, and where, -1 when they do not.
func (s *sentence) phrase(words string) int {
	if !s.mayBegin(words) {
		return -1
	}
next:
	for i := range s.t {
		if first := s.word(i); first == "" || !strings.HasPrefix(words, first) {
			continue
		}
		k := i
		for w := range strings.FieldsSeq(words) { // a slice of the words would be a seventh of what a verdict allocates
			if k == len(s.t) || s.word(k) != w || k > i && (s.t[k].Sep == '.' || s.t[k].Sep == '\n') {
				continue next
			}
			k++
		}
		return i
	}
	return -1
}

// mayBegin reports whether any word of the sentence begins as the phrase does. A sentence is
// asked for some hundred phrases, and has the first word of hardly one.
func (s *sentence) mayBegin(words string) bool {
	if s.begins == ([4]uint64{}) {
		s.begins[3] = 1 << 63 // it has been read
		for i := range s.t {
			if w := s.word(i); w != "" {
				b := beginning(w)
				s.begins[b>>6] |= 1 << (b & 63)
			}
		}
	}
	b := beginning(words)
	return s.begins[b>>6]>>(b&63)&1 != 0
}

// beginning folds the first two letters of a word into a byte.
func beginning(words string) byte {
	b := words[0] * 7
	if len(words) > 1 && words[1] != ' ' {
		b += words[1]
	}
	return b
}

// any reports that one of the phrases begins at the word from or behind it.
func (s *sentence) any(from int, phrases ...string) bool {
	for _, p := range phrases {
		if s.phrase(p) >= from {
			return true
		}
	}
	return false
}
