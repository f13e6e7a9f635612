package subject

import (
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// A statement is often one line of a table that nobody wrote down: "the exporter showed
// group A three minutes behind", "the exporter showed group B 41 seconds behind". The
// subject of both sentences is the exporter, and yet they are about two groups: what the
// line is about stands in the object. Such a pair is known by its differences. Where one
// place has another value, the line was written anew; where one place has another name
// and a second place another value, it is another line.

const (
	// maxEntry bounds the words that are aligned; a longer text tells more than one line.
	maxEntry = 40
	// maxGap is how many words one place has at most, on either side.
	maxGap = 3
	// maxLoose is how many words may stand in one of the texts alone.
	maxLoose = 2
)

// OtherEntry reports whether two texts say the same of two entries: word for word alike
// except that one place has another name and another place another number. Dates tell no
// entry from another, unless they name it as a number does ("run 2026-03"). It is
// symmetric, and false of texts with more than 40 words.
func OtherEntry(a, b string) bool {
	x, y := entryOf(a), entryOf(b)
	if len(x) > maxEntry || len(y) > maxEntry {
		return false
	}
	d := differing{}
	i, j, common, weighty := 0, 0, 0, 0
	pairs := alignEntries(x, y)
	for _, p := range pairs {
		d.event = d.event || happens(x, p[0])
	}
	for _, p := range append(pairs, [2]int{len(x), len(y)}) {
		if !d.place(x, y, i, p[0], j, p[1]) {
			return false
		}
		if p[0] < len(x) {
			common++
			if w := x[p[0]]; !empty[w.Value] && !prepositions[w.Value] {
				weighty++
			}
		}
		i, j = p[0]+1, p[1]+1
	}
	return d.keys > 0 && d.values > 0 && d.loose <= maxLoose && weighty >= 2 && common*2 >= min(len(x), len(y))
}

// entryOf returns the tokens of a text without its stamps and the dates that say when.
func entryOf(text string) []memory.Token {
	tokens := memory.Scan(text)
	stamps := memory.Stamps(text, tokens)
	out := make([]memory.Token, 0, len(tokens))
	for i, t := range tokens {
		switch {
		case stamps[i], t.Class == memory.TokenDate && !numbering(tokens, i):
			for len(out) > 0 && t.Class == memory.TokenDate && dating[out[len(out)-1].Value] {
				out = out[:len(out)-1]
			}
		default:
			out = append(out, t)
		}
	}
	return out
}

// dating are words that stand before a date and belong to it.
var dating = memory.WordSet(`on as of since in from until am seit vom im ab bis the`)

// numbering reports a date that names one thing of its kind as a number does, right
// behind the noun: "invoice run 2026-03 ended".
func numbering(tokens []memory.Token, i int) bool {
	if i == 0 || tokens[i].Sep != 0 || tokens[i].Quote > 0 {
		return false
	}
	t := tokens[i-1]
	return t.Class == memory.TokenWord && !t.Code && !empty[t.Value] && !prepositions[t.Value] && !pronouns[t.Value] && !auxiliaries[t.Value] && !certainVerb(tokens, i-1)
}

// certainVerb reports a word that is a verb and no noun where it stands.
func certainVerb(tokens []memory.Token, i int) bool {
	w := tokens[i].Value
	return irregular[w] || inflections[w] && strings.HasSuffix(w, "ed") || germanVerbs[w]
}

// differing counts the places at which two entries differ.
type differing struct {
	keys, values, loose int
	event               bool // it happened or was measured once, and states nothing that stays
}

// happens reports a word by which a statement tells what happened: "were purged", "ended".
func happens(tokens []memory.Token, i int) bool {
	t := tokens[i]
	if t.Class != memory.TokenWord || t.Code || !certainVerb(tokens, i) || germanVerbs[t.Value] {
		return false
	}
	if i == 0 {
		return true
	}
	before := tokens[i-1].Value
	return before != "is" && before != "are" && before != "be" && before != "been"
}

// place reads the words x[i:p] and y[j:q], which stand at one place. It is false where
// they make another statement, or cannot be told.
func (d *differing) place(x, y []memory.Token, i, p, j, q int) bool {
	a, b := x[i:p], y[j:q]
	if len(a) == 0 || len(b) == 0 {
		for _, t := range slices.Concat(a, b) {
			if states(t) {
				return false
			}
		}
		d.loose += len(a) + len(b)
		return true
	}
	if len(a) > maxGap || len(b) > maxGap {
		return false
	}
	namesA, numbersA, ok := kinds(x, i, p)
	namesB, numbersB, other := kinds(y, j, q)
	if !ok || !other {
		return false
	}
	if p == i+1 && q == j+1 && numbered(x, i) && numbered(y, j) {
		d.keys++
		return true
	}
	if numbersA > 0 && numbersB > 0 {
		d.values++
	}
	if namesA > 0 && namesB > 0 && d.chosen(x, i, p) && d.chosen(y, j, q) && !named(a, y) && !named(b, x) {
		d.keys++
	}
	return true
}

// chosen reports that the words from i to p tell one thing of its kind from the others:
// the noun of the kind stands beside them, or they begin the sentence, or a preposition
// makes them the place. What only follows a verb or a word of being is said of the subject
// and chooses nothing; nor does what a preposition leads to, except where the text tells
// what happened once.
func (d *differing) chosen(tokens []memory.Token, i, p int) bool {
	start := i
	for start > 0 && articles[tokens[start-1].Value] {
		start--
	}
	if start == 0 || strings.IndexByte(".;:\n", tokens[start].Sep) >= 0 {
		return true
	}
	before := tokens[start-1]
	switch {
	case beings[before.Value]:
		return false
	case valuePrepositions[before.Value] && before.Value != "with", before.Value == "on", before.Value == "onto":
		return d.event
	case prepositions[before.Value]:
		return true
	}
	return noun(tokens, start-1) || p < len(tokens) && tokens[p].Sep == 0 && noun(tokens, p)
}

// numbered reports a number before the verb that tells one thing of its kind from the
// others, as it stands behind the noun and counts nothing: "zoom level 11 shows".
func numbered(tokens []memory.Token, i int) bool {
	t := tokens[i]
	if i == 0 || t.Class != memory.TokenNumber || t.Unit != "" || t.Sep != 0 || !noun(tokens, i-1) || i+1 < len(tokens) && memory.IsUnit(tokens[i+1].Value) {
		return false
	}
	for j := range i {
		if w := tokens[j]; w.Class == memory.TokenWord && !w.Code && (auxiliaries[w.Value] || certainVerb(tokens, j) || inflections[w.Value] && j+1 < i) || w.Sep == ':' && j > 0 {
			return false
		}
	}
	return i+1 < len(tokens)
}

// noun reports a plain word that is neither a verb nor a small word.
func noun(tokens []memory.Token, i int) bool {
	t := tokens[i]
	if t.Class != memory.TokenWord || t.Code || empty[t.Value] || prepositions[t.Value] || pronouns[t.Value] || auxiliaries[t.Value] || certainVerb(tokens, i) || len(t.Value) > 4 && strings.HasSuffix(t.Value, "ed") {
		return false
	}
	return !inflections[t.Value] || i > 0 && (articles[tokens[i-1].Value] || tokens[i-1].Code)
}

// named reports that one of the words stands in the other text too, whole or as a part.
func named(words, other []memory.Token) bool {
	for _, t := range words {
		if t.Class == memory.TokenNumber || empty[t.Value] || prepositions[t.Value] {
			continue
		}
		for _, o := range other {
			if memory.Stem(t.Value) == memory.Stem(o.Value) || part(t.Value, o.Value) || part(o.Value, t.Value) {
				return true
			}
		}
	}
	return false
}

// part reports that a compound has the word as one of its parts: "restic-backup".
func part(compound, word string) bool {
	return len(word) > 2 && strings.IndexByte(compound, '-') > 0 && slices.Contains(strings.Split(compound, "-"), word)
}

// kinds counts the words from start to end that may name an entry, and the numbers that
// are measured of it. It is false of words that say what happens or on which side
// something is.
func kinds(tokens []memory.Token, start, end int) (names, numbers int, ok bool) {
	for i := start; i < end; i++ {
		switch t := tokens[i]; {
		case states(t), t.Class == memory.TokenArrow, versioned(t):
			return 0, 0, false
		case t.Class == memory.TokenNumber:
			if i == start || counts(tokens, i) {
				numbers++ // else part of the name before it: "AlmaLinux 8"
			}
		case i > start && tokens[i-1].Class == memory.TokenNumber && t.Sep == 0 && t.Class == memory.TokenWord:
			// the unit of the number, or what it counts
		case t.Class == memory.TokenWord && !t.Code && (empty[t.Value] || prepositions[t.Value]):
		default:
			names++
		}
	}
	return names, numbers, true
}

// counts reports a number with a unit, or before the thing that it counts.
func counts(tokens []memory.Token, i int) bool {
	if tokens[i].Unit != "" {
		return true
	}
	if i+1 == len(tokens) || tokens[i+1].Sep != 0 {
		return false
	}
	t := tokens[i+1]
	return t.Class == memory.TokenWord && !t.Code && !t.Upper && !prepositions[t.Value] && !empty[t.Value] && !auxiliaries[t.Value] && !certainVerb(tokens, i+1)
}

// versioned reports a name that has its version in itself: "api:1.4.2". It is a value.
func versioned(t memory.Token) bool {
	if t.Class != memory.TokenIdent {
		return false
	}
	_, version, ok := strings.Cut(t.Value, ":")
	if !ok {
		_, version, ok = strings.Cut(t.Value, "@")
	}
	return ok && version != "" && strings.ContainsAny(version[:1], "0123456789v")
}

// states reports a word that denies, or says on which side of a pair something is: no
// name of anything.
func states(t memory.Token) bool {
	if t.Class != memory.TokenWord || t.Code || t.Quote > 0 {
		return false
	}
	return memory.Negates(t.Value) || auxiliaries[t.Value] && !t.Upper || sides[t.Value] || !t.Upper && (irregular[t.Value] || inflections[t.Value])
}

// sides are the words of states that exclude each other, EN and DE.
var sides = memory.WordSet(`on off enabled disabled active inactive open closed true false yes no allowed forbidden optional mandatory required
 before after with without always never only also still already again now
 an aus aktiv inaktiv offen geschlossen ja nein erlaubt verboten immer nie nur auch noch schon wieder jetzt`)

// beings are forms of being, becoming and being called, EN and DE.
var beings = memory.WordSet(`is are was were be been become becomes became called named ist sind war waren wird werden wurde wurden heißt heißen lautet`)

// alignEntries returns the pairs of positions of a longest common subsequence.
func alignEntries(x, y []memory.Token) [][2]int {
	var length [maxEntry + 1][maxEntry + 1]uint8
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if sameWord(&x[i], &y[j]) {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var pairs [][2]int
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case sameWord(&x[i], &y[j]):
			pairs = append(pairs, [2]int{i, j})
			i++
			j++
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

func sameWord(a, b *memory.Token) bool {
	if a.Class == memory.TokenWord && b.Class == memory.TokenWord && !a.Code && !b.Code {
		return memory.Stem(a.Value) == memory.Stem(b.Value)
	}
	return a.Value == b.Value && a.Unit == b.Unit && (a.Class == memory.TokenNumber) == (b.Class == memory.TokenNumber)
}
