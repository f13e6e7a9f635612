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
// and a second place another value, it is another line. Where the other name is the
// subject's own, before the verb, the value may be a name, too: "desk A uses the layout
// X", "desk B uses the layout Y".

const (
	// maxEntry bounds the words that are aligned; a longer text tells more than one line.
	maxEntry = 40
	// maxGap is how many words one place has at most, on either side.
	maxGap = 3
	// maxLoose is how many words may stand in one of the texts alone.
	maxLoose = 2
)

// OtherEntry reports whether two texts say the same of two entries: word for word alike
// except that one place has another name and another place another number, or that the
// subject has another name or number and what is said of it another value of any kind.
// Dates tell no entry from another, unless they name it as a number does ("run 2026-03").
// german is the language of both texts. It is symmetric, and false of texts with more than
// 40 words.
func OtherEntry(a, b *Entry, german bool) bool {
	x, y := a.tokens, b.tokens
	if len(x) > maxEntry || len(y) > maxEntry {
		return false
	}
	var room [maxEntry + 1][2]int
	pairs := append(alignEntries(a, b, room[:0]), [2]int{len(x), len(y)})
	common := len(pairs) - 1
	if common*2 < min(len(x), len(y)) || !oneLine(pairs) {
		return false
	}
	weighty := 0
	for _, p := range pairs[:common] {
		if w := x[p[0]].Value; !empty[w] && !prepositions[w] {
			weighty++
		}
	}
	if weighty < 2 {
		return false
	}
	d := differing{x: a, y: b, verbX: a.finite(german), verbY: b.finite(german)}
	for _, p := range pairs[:common] {
		d.event = d.event || happens(x, p[0])
	}
	i, j := 0, 0
	for _, p := range pairs {
		if !d.place(i, p[0], j, p[1]) {
			return false
		}
		i, j = p[0]+1, p[1]+1
	}
	return d.keys > 0 && d.values > 0 || d.subjects > 0 && d.said > 0
}

// oneLine reports whether two texts differ as two lines of a table do: by few words at one
// place, and by hardly any that stand in one of them alone. pairs are the places of the
// words that both have, and last the ends of both.
func oneLine(pairs [][2]int) bool {
	i, j, loose := 0, 0, 0
	for _, p := range pairs {
		switch n, m := p[0]-i, p[1]-j; {
		case n == 0 || m == 0:
			loose += n + m
		case n > maxGap || m > maxGap:
			return false
		}
		i, j = p[0]+1, p[1]+1
	}
	return loose <= maxLoose
}

// appendEntry appends the tokens of a text without its stamps and the dates that say when.
func appendEntry(out []memory.Token, text string, tokens []memory.Token, stamps []bool) []memory.Token {
	for i := range tokens {
		t := &tokens[i]
		switch {
		case stamps[i], t.Class == memory.TokenDate && !numbering(tokens, i):
			for len(out) > 0 && t.Class == memory.TokenDate && dating[out[len(out)-1].Value] {
				out = out[:len(out)-1]
			}
		case coded(text, t):
			out = append(out, *t)
			o := &out[len(out)-1]
			o.Class, o.Value, o.Unit = memory.TokenIdent, t.Value+t.Unit, ""
		case dimensions(t):
			out = append(out, *t)
			out[len(out)-1].Class = memory.TokenNumber
		default:
			out = append(out, *t)
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
	x, y           *Entry
	keys, values   int
	subjects, said int // places before the verb that choose, and places behind it with another value
	verbX, verbY   int
	counted        int  // behind the last number of x that differs; 0 for none
	event          bool // it happened or was measured once, and states nothing that stays
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
func (d *differing) place(i, p, j, q int) bool {
	x, y := d.x.tokens, d.y.tokens
	a, b := x[i:p], y[j:q]
	if len(a) == 0 || len(b) == 0 {
		return !slices.ContainsFunc(a, states) && !slices.ContainsFunc(b, states)
	}
	if assigned(a) && assigned(b) {
		d.keys, d.values = d.keys+1, d.values+1 // `maxAgents: 12`, `maxRetries: 3`
		return true
	}
	namesA, numbersA, ok := kinds(x, i, p)
	namesB, numbersB, other := kinds(y, j, q)
	if !ok || !other {
		return false
	}
	before, behind := p <= d.verbX && q <= d.verbY, i > d.verbX && j > d.verbY && d.verbX > 0 && d.verbY > 0
	switch {
	case before && namesA+namesB == 0 && (numbered(x, i, p) && numbered(y, j, q) || twice(x, i, p, y, j, q)):
		d.keys, d.subjects = d.keys+1, d.subjects+1
		return true
	case numbersA > 0 && numbersB > 0:
		d.values++
	}
	if behind {
		d.said++
	}
	counted := d.counted > 0 && oneClause(x[d.counted:i])
	if namesA > 0 && namesB > 0 && d.chosen(x, i, p, counted) && d.chosen(y, j, q, counted) && !named(a, d.y) && !named(b, d.x) {
		d.keys++
		if before {
			d.subjects++
		}
	}
	if numbersA > 0 && numbersB > 0 {
		d.counted = p
	}
	return true
}

// numbered reports that a bare number from i to p, before the verb, says which of several
// things is meant: "zoom level 11", "the import of 1987". A version is a value.
func numbered(tokens []memory.Token, i, p int) bool {
	t := tokens[i]
	if p != i+1 || i == 0 || t.Class != memory.TokenNumber || t.Unit != "" || t.Sep != 0 || strings.Contains(t.Value, ".") {
		return false
	}
	before := tokens[i-1]
	if before.Class == memory.TokenIdent && strings.HasPrefix(before.Value, "-") || ordinalWords[before.Value] {
		return true // "with `--level 9`", "sensor no. 11"
	}
	if articles[before.Value] && i+1 < len(tokens) && prepositions[tokens[i+1].Value] && tokens[i+1].Sep == 0 {
		return true // "an 0420 without a field"
	}
	if narrows[before.Value] {
		return i > 1 && len(t.Value) == len("1987") && (t.Value[:2] == "19" || t.Value[:2] == "20")
	}
	return noun(tokens, i-1) && before.Value != "to"
}

// ordinalWords stand before the number of one thing of its kind.
var ordinalWords = memory.WordSet(`no nr number nummer`)

// assigned reports a name in code with its value behind it, and nothing else.
func assigned(tokens []memory.Token) bool {
	return len(tokens) == 2 && tokens[0].Class == memory.TokenIdent && tokens[1].Class == memory.TokenNumber && tokens[0].Code && tokens[1].Code
}

// lettered reports a letter that tells one thing from others of its kind: "hall A".
func lettered(tokens []memory.Token, i int) bool {
	t := &tokens[i]
	return i > 0 && t.Class == memory.TokenWord && len(t.Value) == 1 && t.Upper && t.Sep == 0 && tokens[i-1].Class == memory.TokenWord && !empty[tokens[i-1].Value] && !prepositions[tokens[i-1].Value]
}

// twice reports that what differs from i to p and from j to q is a number that each text
// has a second time in a name, at one place: "the job for GDAL 3.8 … `job-38.yml`".
func twice(x []memory.Token, i, p int, y []memory.Token, j, q int) bool {
	if p != i+1 || q != j+1 || x[i].Class != memory.TokenNumber || y[j].Class != memory.TokenNumber || i == 0 || x[i].Sep != 0 {
		return false
	}
	bare := strings.NewReplacer(".", "", "-", "", "_", "")
	m, n := bare.Replace(x[i].Value), bare.Replace(y[j].Value)
	if len(m) < 2 || len(n) < 2 {
		return false
	}
	for _, s := range x {
		for _, t := range y {
			if s.Class == memory.TokenIdent && t.Class == memory.TokenIdent && strings.Contains(bare.Replace(s.Value), m) &&
				strings.Replace(bare.Replace(s.Value), m, n, 1) == bare.Replace(t.Value) {
				return true
			}
		}
	}
	return false
}

// oneClause reports that the words are part of one clause.
func oneClause(tokens []memory.Token) bool {
	return !slices.ContainsFunc(tokens, func(t memory.Token) bool { return t.Sep != 0 || t.Value == "and" || t.Value == "und" })
}

// chosen reports that the words from i to p tell one thing of its kind from the others:
// the noun of the kind stands beside them, or they begin the sentence, or a preposition
// makes them the place. What only follows a verb or a word of being is said of the subject
// and chooses nothing; nor does what a preposition leads to, except where the text tells
// what happened once, or where a number was counted before it in the clause: "costs 3 %
// battery on the Pixel 4a".
func (d *differing) chosen(tokens []memory.Token, i, p int, counted bool) bool {
	start := i
	for start > 0 && articles[tokens[start-1].Value] {
		start--
	}
	if start == 0 || strings.IndexByte(".;:\n", tokens[start].Sep) >= 0 {
		return true
	}
	before := tokens[start-1]
	switch {
	case counted && counting[before.Value]:
		return true
	case beings[before.Value]:
		return false
	case valuePrepositions[before.Value] && before.Value != "with", before.Value == "on", before.Value == "onto":
		return d.event
	case prepositions[before.Value]:
		return true
	}
	return noun(tokens, start-1) || p < len(tokens) && tokens[p].Sep == 0 && noun(tokens, p)
}

// counting are prepositions that name the place where something was counted.
var counting = memory.WordSet(`on onto at from to auf`)

// noun reports a plain word that is neither a verb nor a small word.
func noun(tokens []memory.Token, i int) bool {
	t := tokens[i]
	if t.Class != memory.TokenWord || t.Code || empty[t.Value] || prepositions[t.Value] || pronouns[t.Value] || auxiliaries[t.Value] || certainVerb(tokens, i) || len(t.Value) > 4 && strings.HasSuffix(t.Value, "ed") {
		return false
	}
	return !inflections[t.Value] || i > 0 && (articles[tokens[i-1].Value] || tokens[i-1].Code)
}

// named reports that one of the words stands in the other text too, whole or as a part.
func named(words []memory.Token, other *Entry) bool {
	for i := range words {
		t := &words[i]
		if t.Class == memory.TokenNumber || empty[t.Value] || prepositions[t.Value] {
			continue
		}
		stem := memory.Stem(t.Value)
		for j := range other.tokens {
			o := &other.tokens[j]
			if stem == other.stem(j) || part(t.Value, o.Value) || part(o.Value, t.Value) {
				return true
			}
		}
	}
	return false
}

// part reports that a compound has the word as one of its parts: "restic-backup".
func part(compound, word string) bool {
	if len(word) <= 2 || len(word) >= len(compound) || strings.IndexByte(compound, '-') <= 0 {
		return false
	}
	for p := range strings.SplitSeq(compound, "-") {
		if p == word {
			return true
		}
	}
	return false
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
		case t.Class == memory.TokenWord && !t.Code && (empty[t.Value] || prepositions[t.Value]) && !lettered(tokens, i):
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
