package restate

import (
	_ "embed" // the table
	"slices"
	"strings"
	"sync"
)

// synsetTable holds, by stems, groups of English words that share a meaning, a blank line,
// and pairs of opposites. See NOTICE.
//
//go:embed synsets.txt
var synsetTable string

type synsets struct {
	groups    map[string][]uint16
	opposites map[[2]string]bool
	opposed   map[string]bool // the words of opposites
}

var wordnet = sync.OnceValue(func() *synsets {
	s := &synsets{groups: make(map[string][]uint16, 12_000), opposites: make(map[[2]string]bool, 2000), opposed: make(map[string]bool, 2000)}
	groups, pairs, _ := strings.Cut(synsetTable, "\n\n")
	n := uint16(0)
	for line := range strings.Lines(groups) {
		for w := range strings.FieldsSeq(line) {
			s.groups[w] = append(s.groups[w], n)
		}
		n++
	}
	for line := range strings.Lines(pairs) {
		a, b, _ := strings.Cut(strings.TrimSpace(line), " ")
		s.opposites[[2]string{a, b}] = true
		s.opposed[a], s.opposed[b] = true, true
	}
	return s
})

// synonymous reports whether two stems share a meaning.
func synonymous(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	w := wordnet()
	x, y := w.groups[a], w.groups[b]
	return slices.ContainsFunc(x, func(g uint16) bool { return slices.Contains(y, g) })
}

// antonymous reports whether two stems are antonyms.
func antonymous(a, b string) bool {
	if a > b {
		a, b = b, a
	}
	return wordnet().opposites[[2]string{a, b}]
}

// hasAntonym reports a stem that has an antonym.
func hasAntonym(stem string) bool { return stem != "" && wordnet().opposed[stem] }
