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
}

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
	case w[len(w)-1] != '*':
		l.end[bare[len(bare)-1]] = append(l.end[bare[len(bare)-1]], p)
	default:
		l.part[bare[0]] = append(l.part[bare[0]], p)
	}
}

// of returns the classes of one word, terms apart.
func (l *lexicon) of(word string) class {
	if word == "" {
		return 0
	}
	found := l.exact[word]
	for _, p := range l.start[word[0]] {
		if found&p.of == 0 && strings.HasPrefix(word, p.text) {
			found |= p.of
		}
	}
	for _, p := range l.end[word[len(word)-1]] {
		if found&p.of == 0 && strings.HasSuffix(word, p.text) {
			found |= p.of
		}
	}
	for i := range len(word) {
		for _, p := range l.part[word[i]] {
			if found&p.of == 0 && strings.HasPrefix(word[i:], p.text) {
				found |= p.of
			}
		}
	}
	return found
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
