package wording

import "strings"

// kinds is a set of what the parts of a word are for [signs].
type kinds uint8

const (
	ofProtection kinds = 1 << iota
	ofCredential
	ofHiding
	ofSource
	ofAccess
	ofPower
	ofHolding
)

// kindsOfParts finds the parts of all kinds in one pass over a word, so that compounds
// of German and of identifiers count: "zertifikatsprüfung", "ssl_verify". A search for
// each part was a tenth of what a verdict costs.
var kindsOfParts = newPartTable(map[kinds][]string{
	ofProtection: protections, ofCredential: credentials, ofHiding: hidings, ofSource: sources,
	ofAccess: accesses, ofPower: powers, ofHolding: holdings,
})

// partTable holds parts of words by their first byte.
type partTable [256][]part

type part struct {
	text string
	of   kinds
}

func newPartTable(lists map[kinds][]string) *partTable {
	var t partTable
	for of, parts := range lists {
		for _, p := range parts {
			t[p[0]] = append(t[p[0]], part{p, of})
		}
	}
	return &t
}

// in returns the kinds of all parts that the word contains.
func (t *partTable) in(word string) kinds {
	var found kinds
	for i := range len(word) {
		for _, p := range t[word[i]] {
			if found&p.of == 0 && strings.HasPrefix(word[i:], p.text) {
				found |= p.of
			}
		}
	}
	return found
}

// pairs are terms of two words, by the first byte of the second.
type pairs [256][][2]string

func newPairs(terms ...string) *pairs {
	var p pairs
	for _, term := range terms {
		first, second, _ := strings.Cut(term, " ")
		p[second[0]] = append(p[second[0]], [2]string{first, second})
	}
	return &p
}

// in reports whether a word ends in the first part of a term and the next word begins
// with the second.
func (p *pairs) in(word, next string) bool {
	if next == "" {
		return false
	}
	for _, pair := range p[next[0]] {
		if strings.HasPrefix(next, pair[1]) && strings.HasSuffix(word, pair[0]) {
			return true
		}
	}
	return false
}
