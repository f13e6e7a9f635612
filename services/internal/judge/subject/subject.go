package subject

import (
	"slices"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Subject is what one text is about. The zero value is that of a text without a
// subject. It is immutable.
type Subject struct {
	keys []key
}

// key is a word or name of the subject.
type key struct {
	id      uint64   // as in lexical.Term
	parts   []uint64 // of a compound name: all of them together are the name
	name    bool     // names one thing: an identifier, a proper name, a numbered instance
	number  bool     // a number that names, and is no value elsewhere
	version bool     // names only where something else is measured of it
	kind    bool     // the noun right before a name, that says of what kind it is
}

// maxKeys bounds a subject. A longer one is a sentence without a verb that the
// lists know.
const maxKeys = 12

// Bytes estimates the memory of s.
func (s Subject) Bytes() int {
	n := 0
	for _, k := range s.keys {
		n += 40 + 8*len(k.parts)
	}
	return n
}

// Of returns the subject of the first statement of a scanned text. stamps marks
// the tokens that only say when something was seen, german the language of the
// text; id gives the id that the comparison of words has for a word.
func Of(tokens []memory.Token, stamps []bool, german bool, id func(word string, ident bool) uint64) Subject {
	r := reader{tokens: tokens, stamps: stamps, german: german, id: id}
	r.read()
	return Subject{keys: slices.Clip(r.keys)}
}

// Relation is how the subjects of two texts stand to each other.
type Relation uint8

// The relations of subjects.
const (
	Unclear   Relation = iota // one text names what the other leaves open
	Same                      // all that either subject names, the other text has too
	Different                 // each subject names something that the other text lacks
)

const (
	// sharedShare is the share of the remaining words that two sentences have in
	// common when one is the other with its subject exchanged.
	sharedShare = 0.5
	// namedShare is the same where both subjects have names of their own.
	namedShare = 0.25
)

// Relate compares the subjects of two texts; x and y are all words of the first
// and of the second text. It is symmetric.
func Relate(a, b Subject, x, y *lexical.Doc) Relation {
	if len(a.keys) == 0 || len(b.keys) == 0 {
		return Unclear
	}
	measured := (a.versions() || b.versions()) && a.measures(x, y) && b.measures(y, x)
	ownA, ownB := own(a, b, y, measured), own(b, a, x, measured)
	switch {
	case ownA.n == 0 && ownB.n == 0:
		return Same
	case ownA.n == 0 || ownB.n == 0:
		return Unclear
	case ownA.names > 0 && ownB.names > 0 && shared(a, b, x, y) >= namedShare:
		return Different
	case ownA.onlyNamed() && ownB.onlyNamed() && ownA.kept > 0:
		return Different // "field type A", "field type B"
	case alike(ownA, ownB) && shared(a, b, x, y) >= sharedShare:
		return Different
	}
	return Unclear
}

// Apart reports whether each subject has a word or name that the other text lacks, so that
// the two may be about different things although that is not certain.
func Apart(a, b Subject, x, y *lexical.Doc) bool {
	return own(a, b, y, false).n > 0 && own(b, a, x, false).n > 0
}

// Kinds reports whether all that one of two subjects has of its own are nouns right before
// a name that both have, and say of what kind it is: "topic `x`" beside "the retention of
// `x`". The first is the thing as a whole.
func Kinds(a, b Subject) bool { return kindsOnly(a, b) || kindsOnly(b, a) }

func kindsOnly(s, other Subject) bool {
	named, own := false, 0
	for _, k := range s.keys {
		switch {
		case other.has(k.id):
			named = named || k.name && !k.number
		case !k.kind:
			return false
		default:
			own++
		}
	}
	return named && own > 0
}

// Named reports whether a text has a name of the subject in it.
func (s Subject) Named(words *lexical.Doc) bool {
	return slices.ContainsFunc(s.keys, func(k key) bool { return k.name && k.in(words) })
}

// Within reports whether a text has every word of the subject, and there are two at least.
func (s Subject) Within(words *lexical.Doc) bool {
	return len(s.keys) > 1 && !slices.ContainsFunc(s.keys, func(k key) bool { return !k.in(words) })
}

// owned is what one subject has of its own.
type owned struct {
	n, names int
	kept     int // what the other subject has too
	moved    int // what the other text has, and not as its subject
}

// own counts the keys that the other text lacks.
func own(s, other Subject, words *lexical.Doc, measured bool) owned {
	var o owned
	for i := range s.keys {
		k := &s.keys[i]
		switch {
		case k.version && !measured:
		case other.has(k.id):
			o.kept++
		case k.in(words):
			o.moved++
		default:
			o.n++
			if k.name {
				o.names++
			}
		}
	}
	return o
}

// onlyNamed reports that names are all that the subject has of its own.
func (o owned) onlyNamed() bool { return o.n > 0 && o.n == o.names && o.moved == 0 }

// alike reports that the exchange left the form of the subject as it is: as many
// words on either side, or a word or two beside others that stayed. A subject
// that moved to another place of the sentence was reworded, not exchanged.
func alike(a, b owned) bool {
	if a.moved+b.moved > 0 {
		return false
	}
	return a.n == b.n || a.kept > 0 && b.kept > 0 && max(a.n, b.n) <= 2
}

// in reports that a text has the word or name.
func (k *key) in(d *lexical.Doc) bool {
	if k.number {
		return false
	}
	if has(d.Terms, k.id) {
		return true
	}
	for _, p := range k.parts {
		if !has(d.Terms, p) {
			return false
		}
	}
	return len(k.parts) > 0
}

// Numbered reports whether the subject is one of several things of a kind, told apart by
// its number: "room 112", "release 4.2".
func (s Subject) Numbered() bool {
	return slices.ContainsFunc(s.keys, func(k key) bool { return k.number })
}

func (s Subject) versions() bool {
	return slices.ContainsFunc(s.keys, func(k key) bool { return k.version })
}

// measures reports that the text states a value of its subject that the other
// text lacks.
func (s Subject) measures(own, other *lexical.Doc) bool {
	for _, t := range own.Terms {
		if t.Value && !s.has(t.ID) && !has(other.Terms, t.ID) {
			return true
		}
	}
	return false
}

// shared is the share, 0–1, of the weight of the words outside the subjects and
// the values that the text with fewer of them has in common with the other.
func shared(a, b Subject, x, y *lexical.Doc) float32 {
	all, more := weight(a, x), weight(b, y)
	if more < all {
		a, x, y, all, more = b, y, x, more, all
	}
	if more == 0 {
		return 1
	}
	if all == 0 {
		return 0
	}
	var both float32
	for _, t := range x.Terms {
		if !t.Value && !a.has(t.ID) && has(y.Terms, t.ID) {
			both += t.Weight
		}
	}
	return both / all
}

func weight(s Subject, d *lexical.Doc) float32 {
	var sum float32
	for _, t := range d.Terms {
		if !t.Value && !s.has(t.ID) {
			sum += t.Weight
		}
	}
	return sum
}

func (s Subject) has(id uint64) bool {
	for _, k := range s.keys {
		if k.id == id || slices.Contains(k.parts, id) {
			return true
		}
	}
	return false
}

// has searches sorted terms.
func has(terms []lexical.Term, id uint64) bool {
	i, j := 0, len(terms)
	for i < j {
		if m := int(uint(i+j) >> 1); terms[m].ID < id {
			i = m + 1
		} else {
			j = m
		}
	}
	return i < len(terms) && terms[i].ID == id
}
