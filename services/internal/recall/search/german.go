package search

import (
	_ "embed" // the dictionary
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/language"
)

// germanWords are the everyday words of German notes with their English ones, a line for a
// meaning: forms of a German word, "=", English words. The table of vectors spells German
// from pieces, so without it a German question meets an English text by names alone. It was
// written by the alphabet, by somebody who had read four of the sets of questions.
//
//go:embed german.txt
var germanWords string

// dictionary are the lines that stems are in. A word has a number in german or in english,
// or in both; the number says where its lines stand.
type dictionary struct {
	german, english map[string]uint16
	lines           [][]uint16 // ascending; none first
}

var germanEnglish = sync.OnceValue(func() *dictionary {
	d := &dictionary{german: map[string]uint16{}, english: map[string]uint16{}, lines: [][]uint16{nil}}
	add := func(of map[string]uint16, words string, l language.Language, n uint16) {
		for w := range strings.FieldsSeq(words) {
			s := stem(w, l)
			at := of[s]
			if at == 0 {
				at = uint16(len(d.lines))
				of[s], d.lines = at, append(d.lines, nil)
			}
			if lines := d.lines[at]; len(lines) == 0 || lines[len(lines)-1] != n {
				d.lines[at] = append(lines, n)
			}
		}
	}
	n := uint16(0)
	for line := range strings.Lines(germanWords) {
		n++
		german, english, _ := strings.Cut(line, "=")
		add(d.german, german, language.German, n)
		add(d.english, english, language.English, n)
	}
	return d
})

// asGerman returns the number of a word in a text of a language, 0 for a word that is not in
// the dictionary. A compound has that of its last part, which says what it is: a
// Zonenschlüssel is a Schlüssel. In a text of no certain language a word that English has is
// English.
func (d *dictionary) asGerman(word string, l language.Language) uint16 {
	if l == language.English || l == language.Open && language.Known(word) {
		return 0
	}
	s := stem(word, language.German)
	if n := d.german[s]; n > 0 {
		return n
	}
	for i := range s {
		if rest := s[i:]; i >= leastModifier && utf8.RuneCountInString(rest) >= leastHead && d.german[rest] > 0 {
			return d.german[rest]
		}
	}
	return 0
}

// The least letters of the parts of a compound.
const (
	leastModifier = 3
	leastHead     = 4
)

// translatedLikeness is how much a word resembles its translation, 0–1.
const translatedLikeness = 0.9

// translated reports whether two words are translations of each other.
func (d *dictionary) translated(a, b *entry) bool {
	return a.german > 0 && b.english > 0 && exchanged(d.lines[a.german], d.lines[b.english]) ||
		a.english > 0 && b.german > 0 && exchanged(d.lines[a.english], d.lines[b.german])
}
