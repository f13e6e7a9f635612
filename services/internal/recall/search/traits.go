package search

import (
	"slices"
	"strings"
	"unicode"

	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// textTraits are what a search looks at in a text beside its words.
type textTraits struct {
	asks     bool // it ends with a question
	dated    bool // it has a word of time: a month, a day of the week, "ago", a year
	counted  bool // it has a number
	placed   bool // it has a path, the name of a file or an address
	reasoned bool // it has a word that gives a reason
	// pairs are the hashes of words that follow each other, ascending, each once.
	pairs []uint32
}

// maxPairs bounds the pairs of one text.
const maxPairs = 512

func traitsOf(text string, words []string) textTraits {
	t := textTraits{asks: strings.HasSuffix(strings.TrimSpace(text), "?")}
	for _, w := range words {
		t.dated = t.dated || ofTime[w] || year(w) || ordinal(w)
		t.counted = t.counted || ofNumber[w] || digits(w)
		t.reasoned = t.reasoned || ofReason[w]
	}
	t.placed = hasPlace(text)
	for _, p := range pairsOf(words) {
		t.pairs = append(t.pairs, p)
		if len(t.pairs) == maxPairs {
			break
		}
	}
	slices.Sort(t.pairs)
	t.pairs = slices.Clip(slices.Compact(t.pairs))
	return t
}

// pairsOf returns a hash for each word and the one after it, in order.
func pairsOf(words []string) []uint32 {
	if len(words) < 2 {
		return nil
	}
	out := make([]uint32, 0, len(words)-1)
	before := vector.TokenOf(words[0])
	for _, w := range words[1:] {
		now := vector.TokenOf(w)
		out = append(out, before*31+now)
		before = now
	}
	return out
}

// sought is what kind of answer a question asks for.
type sought struct {
	time, number, place, reason bool
	german                      bool // it is asked in German
	pairs                       []uint32
}

// seeks recognises the kind of answer by the question's words, English and German.
func seeks(question string) sought {
	words := plainWords(bounded(question))
	s := sought{pairs: pairsOf(words), german: language.OfWords(words) == language.German}
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch w {
		case "when", "wann":
			s.time = true
		case "where", "wo", "wohin", "woher":
			s.place = true
		case "why", "warum", "weshalb", "wieso", "weswegen":
			s.reason = true
		case "what", "which", "seit", "an", "in", "welche", "welcher", "welches", "welchem":
			s.time = s.time || askedTime[next]
			s.place = s.place || askedPlace[next]
			s.reason = s.reason || askedReason[next]
		case "how":
			s.time = s.time || next == "long"
			s.number = s.number || next == "many" || next == "much" || next == "often"
		case "wie":
			s.time = s.time || next == "lange"
			s.number = s.number || strings.HasPrefix(next, "viel") || next == "oft"
		case "wieviel", "wieviele":
			s.number = true
		}
	}
	return s
}

// askedTime are the words that make "what …" a question for a time.
var askedTime = memory.WordSet(`date day month year time week wann welchem welcher`)

// askedPlace and askedReason are the words that make "which …" a question for a place in a
// file system or on a network, and for a reason.
var (
	askedPlace  = memory.WordSet(`file files folder directory path page url address endpoint datei dateien ordner verzeichnis pfad seite adresse`)
	askedReason = memory.WordSet(`reason reasons cause caused purpose grund gründe ursache zweck`)
)

// ofReason are words that give a reason, English and German.
var ofReason = memory.WordSet(`because due since reason cause caused causes causing therefore why weil denn damit deshalb daher wegen grund ursache`)

// hasPlace reports whether a text has a path, the name of a file or an address: letters
// around a slash, or an ending of one to four letters after a dot.
func hasPlace(text string) bool {
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("`'\"()[]{}<>,;", r) }) {
		w = strings.TrimRight(w, ".:!?")
		if at := strings.IndexByte(w, '/'); at >= 0 && len(w) > 3 && strings.ContainsFunc(w, unicode.IsLetter) && !strings.ContainsAny(w, "%$€") {
			return true
		}
		dot := strings.LastIndexByte(w, '.')
		if end := len(w) - dot - 1; dot > 0 && end > 0 && end <= 4 && letters(w[dot+1:]) {
			return true
		}
	}
	return false
}

// letters reports whether a word is of lower-case letters alone.
func letters(w string) bool {
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return false
		}
	}
	return w != ""
}

// ofTime are words that say when something happened, English and German.
var ofTime = memory.WordSet(`yesterday today tomorrow tonight ago last next week weekend month year morning recently since
 monday tuesday wednesday thursday friday saturday sunday
 january february march april may june july august september october november december
 gestern heute morgen letzte letzten letzter nächste nächsten woche wochenende monat jahr seit kürzlich
 montag dienstag mittwoch donnerstag freitag samstag sonntag
 januar februar märz mai juni juli oktober dezember`)

// ofNumber are words that say how many, English and German.
var ofNumber = memory.WordSet(`one two three four five six seven eight nine ten once twice several couple
 eins zwei drei vier fünf sechs sieben acht neun zehn einmal zweimal mehrere`)

func digits(w string) bool {
	for i := range len(w) {
		if w[i] < '0' || w[i] > '9' {
			return false
		}
	}
	return w != ""
}

func year(w string) bool { return len(w) == 4 && digits(w) }

// ordinal reports whether a word is one of 1st, 22nd and so on.
func ordinal(w string) bool {
	n := len(w) - 2
	return n > 0 && digits(w[:n]) && (w[n:] == "st" || w[n:] == "nd" || w[n:] == "rd" || w[n:] == "th")
}
