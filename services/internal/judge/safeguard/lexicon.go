package safeguard

import "strings"

// lexicon finds the classes of words. It is immutable and safe for concurrent use.
type lexicon struct {
	exact map[string]class
	start [256][]part // words that begin so, by their first byte
	part  [256][]part // words with this in them, by the first byte of the part
	end   [256][]part // words that end so, by the last byte
	terms map[string][]term
	stems [256][]term // terms whose first word may have any ending
	// The letters that any of start and part begin with, and any of end ends with: most
	// places of most words have no such two.
	starts, parted, ends couples
}

// couples is a set of two letters in a row.
type couples [1 << 10]uint64

// add adds the first two bytes of a text, as they stand or turned round.
func (c *couples) add(text string, first, second int) {
	if len(text) == 1 { // whatever stands beside it
		for b := range 256 {
			c.set(text[0], byte(b))
		}
		return
	}
	c.set(text[first], text[second])
}

func (c *couples) set(a, b byte) { c[uint16(a)<<2|uint16(b>>6)] |= 1 << (b & 63) }

func (c *couples) has(a, b byte) bool { return c[uint16(a)<<2|uint16(b>>6)]>>(b&63)&1 != 0 }

type part struct {
	text string
	of   class
}

// term is several words in a row.
type term struct {
	words []string // each may end in a star
	of    class
}

func newLexicon(lists map[class]string) *lexicon {
	l := &lexicon{exact: map[string]class{}, terms: map[string][]term{}}
	for of, list := range lists {
		for _, w := range strings.Fields(list) {
			l.add(w, of)
		}
	}
	return l
}

func (l *lexicon) add(w string, of class) {
	if words := strings.Split(w, "+"); len(words) > 1 {
		t := term{words, of}
		if first, open := strings.CutSuffix(words[0], "*"); open {
			l.stems[first[0]] = append(l.stems[first[0]], t)
		} else {
			l.terms[first] = append(l.terms[first], t)
		}
		return
	}
	bare := strings.Trim(w, "*")
	switch p := (part{bare, of}); {
	case bare == w:
		l.exact[w] |= of
	case w[0] != '*':
		l.start[bare[0]] = append(l.start[bare[0]], p)
		l.starts.add(bare, 0, 1)
	case w[len(w)-1] != '*':
		l.end[bare[len(bare)-1]] = append(l.end[bare[len(bare)-1]], p)
		l.ends.add(bare, len(bare)-1, len(bare)-2)
	default:
		l.part[bare[0]] = append(l.part[bare[0]], p)
		l.parted.add(bare, 0, 1)
	}
}

// of returns the classes of one word, terms apart.
func (l *lexicon) of(word string) class {
	if word == "" {
		return 0
	}
	found := l.exact[word]
	last := len(word) - 1
	if l.starts.has(word[0], at(word, 1)) {
		for _, p := range l.start[word[0]] {
			if found&p.of == 0 && strings.HasPrefix(word, p.text) {
				found |= p.of
			}
		}
	}
	if l.ends.has(word[last], at(word, last-1)) {
		for _, p := range l.end[word[last]] {
			if found&p.of == 0 && strings.HasSuffix(word, p.text) {
				found |= p.of
			}
		}
	}
	for i := range len(word) {
		if !l.parted.has(word[i], at(word, i+1)) {
			continue
		}
		for _, p := range l.part[word[i]] {
			if found&p.of == 0 && strings.HasPrefix(word[i:], p.text) {
				found |= p.of
			}
		}
	}
	return found
}

// at returns a byte of a word, 0 outside of it.
func at(word string, i int) byte {
	if i < 0 || i >= len(word) {
		return 0
	}
	return word[i]
}

// parts returns the classes of the words that an underscore joins in the name of a setting:
// "enforce_mfa". A hyphen joins the names of services, which say little.
func (l *lexicon) parts(name string) class {
	var found class
	for rest, more := name, strings.Contains(name, "_"); more; {
		var word string
		word, rest, more = strings.Cut(rest, "_")
		found |= l.of(word)
	}
	return found &^ (off | less | hard | neutral)
}
