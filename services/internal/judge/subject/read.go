package subject

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// reader finds the subject in the tokens of one text.
type reader struct {
	tokens []memory.Token
	stamps []bool
	german bool
	id     func(word string, ident bool) uint64
	keys   []key
}

// read collects the keys of the first statement.
func (r *reader) read() {
	end := r.end()
	verb := r.verb(end)
	switch {
	case verb == end:
		r.object(0, end) // "Port of billing: 8081"
		return
	case r.measured(verb):
		r.phrase(0, verb)
		r.object(verb+1, end)
	case r.inverted(verb):
		r.phrase(0, verb)
		r.phrase(verb+1, r.phraseEnd(verb+1, end))
	default:
		r.phrase(0, verb)
		if len(r.keys) == 0 {
			r.object(verb+1, end)
		}
	}
	r.topics(verb+1, end)
}

// end returns where the first sentence with a word of meaning ends.
func (r *reader) end() int {
	seen := false
	for i, t := range r.tokens {
		if seen && (t.Sep == '.' || t.Sep == '\n' || t.Sep == ';') {
			return i
		}
		seen = seen || !r.stamps[i] && r.content(i)
	}
	return len(r.tokens)
}

// content reports a word that may belong to a subject.
func (r *reader) content(i int) bool {
	t := r.tokens[i]
	switch t.Class {
	case memory.TokenArrow:
		return false
	case memory.TokenDate:
		return numbering(r.tokens, i) && len(t.Value) == len("2026-03")
	case memory.TokenNumber:
		return r.instance(i)
	case memory.TokenWord:
		return t.Code || t.Quote > 0 || lettered(r.tokens, i) || !empty[t.Value] && !prepositions[t.Value] && !pronouns[t.Value]
	default:
		return true
	}
}

// instance reports a number that tells one thing of its class from the others:
// "worker 3", "release 4.2", "class 7b". A number behind a word of measure is a
// value.
func (r *reader) instance(i int) bool {
	t := r.tokens[i]
	if i == 0 || t.Sep != 0 || r.stamps[i-1] || t.Unit != "" && (len(t.Unit) > 1 || strings.Contains(shortUnits, t.Unit)) {
		return false
	}
	before := r.tokens[i-1]
	if ordinalWords[before.Value] {
		return true // "no. 11"
	}
	if before.Class != memory.TokenWord || before.Code || empty[before.Value] || prepositions[before.Value] || measures[before.Value] || isVerb(before) {
		return false
	}
	return true
}

// shortUnits are the units of one letter.
const shortUnits = "%smhdkxgtw"

// verb returns the place of the finite verb, else end.
func (r *reader) verb(end int) int {
	guess := end
	seen, dated := false, false
	for i := range end {
		t := r.tokens[i]
		if r.stamps[i] {
			dated = true
			continue
		}
		if dated && !seen && r.german && auxiliaries[t.Value] && t.Class == memory.TokenWord {
			return i // "Am 30.03.2026 wurde …"
		}
		if seen && t.Class == memory.TokenArrow {
			return min(i, guess)
		}
		if t.Class == memory.TokenWord && !t.Code && t.Quote == 0 && (seen || r.elliptic(i)) {
			switch {
			case auxiliaries[t.Value]:
				return r.guessed(guess, i)
			case r.certain(i, end):
				return r.guessed(guess, i)
			case guess == end && r.inflected(i, end):
				guess = i
			}
		}
		seen = seen || r.content(i) || pronouns[t.Value] || t.Class == memory.TokenNumber || t.Class == memory.TokenDate
	}
	return guess
}

// guessed chooses between a word that only looks like a verb and the verb that
// the lists know behind it: "the export lists are", "billing retries and is".
func (r *reader) guessed(guess, verb int) int {
	if guess+1 < verb && !r.plural(guess, verb) {
		return guess
	}
	return verb
}

// plural reports that the word at guess is the plural noun of the verb behind it, with a
// part of its own between them: "readings from the river come in".
func (r *reader) plural(guess, verb int) bool {
	if !prepositions[r.tokens[guess+1].Value] || !strings.HasSuffix(r.tokens[guess].Value, "s") {
		return false
	}
	for i := guess + 1; i <= verb; i++ {
		if r.tokens[i].Sep != 0 || r.tokens[i].Class == memory.TokenArrow {
			return false
		}
	}
	switch w := r.tokens[verb].Value; w {
	case "are", "were", "have":
		return true
	default:
		return finite[w]
	}
}

// elliptic reports a sentence without its first person: "bumped axios to 1.7".
func (r *reader) elliptic(i int) bool {
	t := r.tokens[i]
	return participle(t.Value) && isVerb(t) && i+1 < len(r.tokens) && !prepositions[r.tokens[i+1].Value]
}

// certain reports a verb of the lists that stands where no noun can.
func (r *reader) certain(i, end int) bool {
	t := r.tokens[i]
	if !isVerb(t) && !(verbs[t.Value] && r.behindPlural(i)) || t.Upper && i > 0 && t.Sep == 0 {
		return false
	}
	if i > 0 && (articles[r.tokens[i-1].Value] || prepositions[r.tokens[i-1].Value]) || r.labels(i, end) {
		return false
	}
	return i+1 == end || !r.nounBefore(i+1, end)
}

// labels reports that the base form at i is the noun of the name or number behind it, as it
// stands behind a singular: "the crater run pr-9311 ended".
func (r *reader) labels(i, end int) bool {
	if !verbs[r.tokens[i].Value] || i == 0 || i+1 >= end || r.behindPlural(i) {
		return false
	}
	before, next := r.tokens[i-1], r.tokens[i+1]
	return before.Class == memory.TokenWord && !auxiliaries[before.Value] && !pronouns[before.Value] && next.Sep == 0 && (next.Class != memory.TokenWord || next.Code)
}

// behindPlural reports that the word follows a plural or a pronoun, so that a
// base form is a finite verb: "the nodes publish".
func (r *reader) behindPlural(i int) bool {
	for i--; i >= 0 && r.tokens[i].Class == memory.TokenWord && empty[r.tokens[i].Value]; i-- {
	}
	return i >= 0 && (pronouns[r.tokens[i].Value] || r.tokens[i].Class == memory.TokenWord && strings.HasSuffix(r.tokens[i].Value, "s"))
}

// nounBefore reports that the word at i is itself a verb, so that the one before
// it is a noun: "the service logs are".
func (r *reader) nounBefore(i, end int) bool {
	t := r.tokens[i]
	return i < end && t.Sep == 0 && t.Class == memory.TokenWord && !t.Code && (auxiliaries[t.Value] || isVerb(t) && !participle(t.Value))
}

// inflected reports a word that has the ending of a verb and stands behind a
// singular noun, before something that a verb governs.
func (r *reader) inflected(i, end int) bool {
	t := r.tokens[i]
	if i == 0 || i+1 >= end || t.Upper || t.Sep != 0 || len(t.Value) < 4 || verbs[t.Value] || empty[t.Value] || prepositions[t.Value] {
		return false
	}
	before, next := r.tokens[i-1], r.tokens[i+1]
	if articles[before.Value] || prepositions[before.Value] || empty[before.Value] {
		return false
	}
	if before.Class == memory.TokenWord && !r.content(i-1) || before.Class == memory.TokenDate || before.Class == memory.TokenNumber && !r.instance(i-1) {
		return false
	}
	governs := articles[next.Value] || prepositions[next.Value] || next.Class != memory.TokenWord || next.Code
	third := strings.HasSuffix(t.Value, "s") && !strings.HasSuffix(t.Value, "ss") && !strings.HasSuffix(before.Value, "s")
	past := strings.HasSuffix(t.Value, "ed")
	german := r.german && before.Upper && (strings.HasSuffix(t.Value, "t") || strings.HasSuffix(t.Value, "te") || strings.HasSuffix(t.Value, "ten"))
	return governs && (!r.german && (third || past) || german)
}

// phrase adds the words from i to end.
func (r *reader) phrase(i, end int) {
	for ; i < end; i++ {
		if !r.stamps[i] && r.content(i) {
			r.add(i)
		}
	}
}

// object adds what a sentence with a pronoun before its verb is about, or one
// that begins with its value: the phrase up to the next value.
func (r *reader) object(i, end int) {
	for ; i < end; i++ {
		t := r.tokens[i]
		if r.stamps[i] {
			continue
		}
		if valuePrepositions[t.Value] && t.Class == memory.TokenWord || t.Class == memory.TokenNumber && !r.instance(i) || t.Class == memory.TokenArrow {
			return
		}
		if r.content(i) && !isVerb(t) {
			r.add(i)
		}
	}
}

// measured reports a subject that is only a value: "port 8080 is used by X",
// "6 consumers read X".
func (r *reader) measured(verb int) bool {
	number, words := false, 0
	for i := range verb {
		if r.stamps[i] {
			continue
		}
		switch t := r.tokens[i]; {
		case t.Class == memory.TokenNumber && !r.instance(i):
			number = true
		case r.content(i):
			words++
		}
	}
	return number && words <= 1
}

// inverted reports a sentence that begins with an adverbial and has its verb
// before its subject, as German has.
func (r *reader) inverted(verb int) bool {
	if !germanVerbs[r.tokens[verb].Value] {
		return false
	}
	for i := range verb {
		if r.stamps[i] {
			continue
		}
		return prepositions[r.tokens[i].Value]
	}
	return true
}

// phraseEnd returns where the phrase at i ends: before a preposition, a value or
// a comma.
func (r *reader) phraseEnd(i, end int) int {
	for j := i; j < end; j++ {
		t := r.tokens[j]
		if j > i && (t.Sep != 0 || t.Class == memory.TokenNumber && !r.instance(j) || prepositions[t.Value] && !narrows[t.Value]) {
			return j
		}
	}
	return end
}

// topics adds what "for X" and "of X" behind the verb narrow the subject to.
func (r *reader) topics(i, end int) {
	for ; i < end; i++ {
		t := r.tokens[i]
		if t.Class != memory.TokenWord || !narrows[t.Value] || r.stamps[i] || i > 0 && (r.tokens[i-1].Value == "sake" || ledBy(r.tokens, i-1)) {
			continue
		}
		if i+3 < end && r.tokens[i+2].Value == "sake" || i+2 < end && r.tokens[i+1].Value == "sake" {
			continue // "for the sake of glibc" says why
		}
		for i+1 < end && (articles[r.tokens[i+1].Value] || empty[r.tokens[i+1].Value]) {
			i++
		}
		if i+1 < end && r.tokens[i+1].Class == memory.TokenNumber {
			continue // "of 5 s" is a measure
		}
		stop := r.phraseEnd(i+1, end)
		r.phrase(i+1, min(stop, i+4))
	}
}

// add makes a key of the token at i.
func (r *reader) add(i int) {
	if len(r.keys) == maxKeys {
		return
	}
	t := r.tokens[i]
	word := strings.TrimSuffix(strings.TrimSuffix(t.Value, "'s"), "’s")
	k := key{name: r.named(i)}
	k.kind = !k.name && t.Class == memory.TokenWord && i+1 < len(r.tokens) && r.tokens[i+1].Sep == 0 && r.named(i+1) && r.tokens[i+1].Class != memory.TokenNumber
	switch t.Class {
	case memory.TokenDate:
		k.id, k.number = r.id(word, true), true
	case memory.TokenNumber:
		k.id, k.number = r.id(word+t.Unit, true), true
		k.version = strings.Contains(word, ".") && (i == 0 || !editions[r.tokens[i-1].Value])
	default:
		ident := t.Class != memory.TokenWord
		k.id = r.id(word, ident)
		if ident || strings.IndexByte(word, '-') > 0 {
			for _, p := range strings.FieldsFunc(word, joint) {
				k.parts = append(k.parts, r.id(p, false))
			}
		}
	}
	for _, o := range r.keys {
		if o.id == k.id {
			return
		}
	}
	r.keys = append(r.keys, k)
}

func joint(c rune) bool { return strings.ContainsRune("./_-@#:$*()\\?&=", c) }

// named reports a token that names one thing.
func (r *reader) named(i int) bool {
	t := r.tokens[i]
	switch {
	case t.Class != memory.TokenWord, t.Code, t.Quote > 0:
		return true
	case strings.IndexByte(t.Value, '-') > 0:
		return true
	}
	return false
}
