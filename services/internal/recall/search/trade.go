package search

import (
	_ "embed" // the thesaurus
	"slices"
	"strings"
	"sync"

	"github.com/winnowhq/winnow/services/internal/language"
)

// tradeLikeness is how much two words of one group of the thesaurus resemble each other,
// 0–1: more than most neighbours in the table of vectors, less than the same word.
const tradeLikeness = 0.6

// thesaurus has groups of words that people who write software exchange for each other, a
// group a line, English and German (ADR 56). The table of vectors is of everyday English:
// there a spec is no test, a module no component, and a German word is spelt from pieces. A
// word may be in several groups. The first 160 are the trade's, the others words of data,
// operations, commerce and offices (ADR 69). Whoever wrote them had read the fifty questions
// of the development data, so the gain on those is no measure of it. A word that is only
// sometimes exchanged for the others of its group does little harm, because it is only a
// likeness; one with many senses ("item", "use") stays out.
//
//go:embed trade.txt
var thesaurus string

// groups are the groups of the thesaurus that stems are in.
type groups struct {
	of    map[string]uint32 // of a stem, its list
	lists [][]uint16        // ascending; none first
}

// trade returns the groups of the thesaurus.
var trade = sync.OnceValue(func() groups {
	t := groups{of: map[string]uint32{}, lists: [][]uint16{nil}}
	n := uint16(0)
	for line := range strings.Lines(thesaurus) {
		n++
		for w := range strings.FieldsSeq(line) {
			for _, l := range []language.Language{language.English, language.German} {
				s := stem(w, l)
				at, ok := t.of[s]
				if !ok {
					at = uint32(len(t.lists))
					t.of[s], t.lists = at, append(t.lists, nil)
				}
				if !slices.Contains(t.lists[at], n) {
					t.lists[at] = append(t.lists[at], n)
				}
			}
		}
	}
	return t
})

// exchanged reports whether two words share a group; both lists are ascending.
func exchanged(a, b []uint16) bool {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			return true
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return false
}
