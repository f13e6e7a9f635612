package wording

import (
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Small words that turn a statement into another one. Two sentences that differ by one of
// them share nearly all words and all specifics, so that no similarity tells them apart.

// Families of poles that more than a single word decides; those of [opposites] count
// from 0.
const (
	familyBound = -1 // "less than an hour", "more than an hour", "about an hour"
)

// The members of familyBound.
const (
	boundUpper = iota
	boundLower
	boundAbout
)

// shadePole returns the pole that the words at i stand for together with those around
// them.
func shadePole(tokens []memory.Token, i int) (pole, bool) {
	bound := -1
	switch tokens[i].Value {
	case "than", "als":
		if i == 0 {
			return pole{}, false
		}
		switch before := tokens[i-1].Value; {
		case upperWords[before]:
			bound = boundUpper
		case lowerWords[before]:
			bound = boundLower
		}
		if before := tokens[i-1].Value; versionAt(tokens, i+1) && (before == "older" || before == "newer") {
			bound = boundUpper // "older than 4.2"
			if before == "newer" {
				bound = boundLower
			}
		}
		if bound >= 0 && deniedBound(tokens, i) {
			bound = boundUpper + boundLower - bound
		}
	case "to", "most", "zu":
		if i > 0 && boundLead[tokens[i-1].Value+" "+tokens[i].Value] {
			bound = boundUpper
		}
	case "least":
		if i > 0 && tokens[i-1].Value == "at" {
			bound = boundLower
		}
	case "mindestens":
		bound = boundLower
	case "under", "below", "within", "unter", "binnen", "höchstens", "maximal":
		bound = boundUpper
	case "above", "over", "über", "exceed", "exceeds", "exceeding":
		bound = boundLower
	case "about", "around", "roughly", "approximately", "etwa", "rund", "ungefähr", "circa":
		bound = boundAbout
	}
	if bound < 0 || i+1 == len(tokens) || tokens[i+1].Sep != 0 {
		return pole{}, false
	}
	switch next := tokens[i+1]; {
	case next.Class == memory.TokenNumber, halves[next.Value]:
	case slices.Contains([]string{"a", "an", "one", "ein", "eine", "einer", "einem", "einen"}, next.Value) && i+2 < len(tokens) && memory.IsUnit(tokens[i+2].Value):
	default:
		return pole{}, false
	}
	return pole{familyBound, bound}, true
}

// versionAt reports a number with a dot and without a unit.
func versionAt(tokens []memory.Token, i int) bool {
	return i < len(tokens) && tokens[i].Class == memory.TokenNumber && tokens[i].Unit == "" && strings.Contains(tokens[i].Value, ".") && (i+1 == len(tokens) || !memory.IsUnit(tokens[i+1].Value))
}

// deniedBound reports that the comparison with "than" at i is denied: "no more than", "not take
// longer than". What nobody or nothing does, and what stands before a preposition, denies
// something else: "nothing comes for more than an hour".
func deniedBound(tokens []memory.Token, i int) bool {
	for j := i - 1; j >= max(0, i-4); j-- {
		switch w := tokens[j].Value; {
		case w == "nothing" || w == "nobody" || w == "nichts" || w == "niemand", j < i-1 && spanned[w]:
			return false
		case memory.Negates(w):
			return true
		}
	}
	return false
}

// spanned are prepositions before how long or how far something goes.
var spanned = memory.WordSet(`for in within since over für in seit über`)

var (
	upperWords = memory.WordSet(`less fewer smaller shorter younger lower weniger kleiner kürzer jünger niedriger`)
	lowerWords = memory.WordSet(`more larger greater bigger longer older higher mehr größer länger älter höher`)
	boundLead  = map[string]bool{"up to": true, "at most": true, "bis zu": true}
	halves     = memory.WordSet(`half halb halbe halben`)
)

// plannedAt reports that the words at i announce what has not happened: "is going to be
// moved", "plans to move", "soll umziehen". A German "soll" beside a report ("soll laut
// Anbieter") plans nothing, but says no more surely that it happened.
func plannedAt(words []string, i int) bool {
	next := func(w ...string) bool { return i+1 < len(words) && slices.Contains(w, words[i+1]) }
	switch words[i] {
	case "going", "about", "plan", "plans", "planning", "intend", "intends", "want", "wants", "hope", "hopes":
		return next("to")
	case "planned", "scheduled":
		return next("to", "for")
	case "geplant", "plant", "planen", "vorgesehen", "beabsichtigt":
		return true
	case "soll", "sollen":
		return len(words)-i > 1
	}
	return false
}

// pastAt reports that the words at i speak of a state that is over: "used to strip",
// "formerly", "früher lief". "Is used to" tells a purpose.
func pastAt(words []string, i int) bool {
	switch words[i] {
	case "used":
		if i == 0 || i+1 == len(words) || words[i+1] != "to" {
			return false
		}
		return !slices.Contains([]string{"is", "are", "was", "were", "be", "been", "being", "get", "got", "gets", "can", "often", "not", "also", "and"}, words[i-1])
	case "formerly", "ehemals", "damals", "seinerzeit":
		return true
	case "früher":
		return i+1 < len(words) && words[i+1] != "als"
	}
	return false
}

// unsure are words that leave open whether it is so. "May" is not among them: it also
// permits, and the specifics compare it.
var unsure = memory.WordSet(`might perhaps possibly probably maybe presumably supposedly vielleicht möglicherweise wahrscheinlich vermutlich womöglich könnte könnten`)

// label is a letter that tells things of one kind apart: "hall A", "tenant B".
type label struct{ noun, letter string }

func labelAt(tokens []memory.Token, i int) (label, bool) {
	t := tokens[i]
	if i == 0 || t.Class != memory.TokenWord || len(t.Value) != 1 || !t.Upper || t.Sep != 0 || tokens[i-1].Class != memory.TokenWord || slight[tokens[i-1].Value] {
		return label{}, false
	}
	return label{memory.Stem(tokens[i-1].Value), t.Value}, true
}

// lasts reports that nothing in the text says that its state is over.
func (s *stance) lasts() bool {
	if s.past || s.ends {
		return false
	}
	for i, w := range s.words {
		if w == "was" || w == "were" || w == "had" || w == "did" || w == "war" || w == "waren" || w == "wurde" || w == "hatte" ||
			strings.HasSuffix(w, "ed") && len(w) > 4 && (i == 0 || !presentForms[s.words[i-1]]) {
			return false
		}
	}
	return true
}

var presentForms = memory.WordSet(`is are be been being has have the a an gets get`)

// universal reports that the text speaks of every case: "any empty column".
func universal(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return everyCase[w] })
}

var everyCase = memory.WordSet(`any all every each alle jede jeder jedes jeden irgendein irgendeine`)

// unnamed reports that the second text lacks a name of the first.
func unnamed(s, other *memory.Specifics) bool {
	lacks := func(d memory.Detail) bool { return !other.Names(d.Text) }
	return slices.ContainsFunc(s.Idents, lacks) || slices.ContainsFunc(s.Quotes, lacks)
}

// joined are the words on both sides of each "and" and "or".
type joined struct {
	before, after string
	or            bool
}

func joinedAt(tokens []memory.Token, i int) (joined, bool) {
	var or bool
	switch tokens[i].Value {
	case "and", "und":
	case "or", "oder":
		or = true
	default:
		return joined{}, false
	}
	if i == 0 || tokens[i].Code || tokens[i].Quote != 0 {
		return joined{}, false
	}
	j := i + 1
	for j < len(tokens) && slight[tokens[j].Value] {
		j++
	}
	if j == len(tokens) {
		return joined{}, false
	}
	return joined{memory.Stem(tokens[i-1].Value), memory.Stem(tokens[j].Value), or}, true
}

// rejoined reports whether one text joins with "or" what the other joins with "and".
func rejoined(a, b []joined) bool {
	for _, x := range a {
		for _, y := range b {
			if x.before == y.before && x.after == y.after && x.or != y.or {
				return true
			}
		}
	}
	return false
}

// onlyMoved reports whether one text restricts its first word ("only managers see the
// column") and the other, which begins with the same word, something else ("managers see
// only the column").
func onlyMoved(a, b []string) bool {
	a, b = bare(a), bare(b)
	if len(a) < 3 || len(b) < 3 {
		return false
	}
	if !only[a[0]] {
		a, b = b, a
	}
	return only[a[0]] && !only[b[0]] && a[1] == b[0] && !only[b[1]] && slices.ContainsFunc(b[2:], func(w string) bool { return only[w] })
}

var only = memory.WordSet(`only nur lediglich solely`)

// limited reports whether two sentences are equal but for words that limit what one of them
// is about: "uploads by guests are scanned" and "uploads are scanned" speak of different
// uploads. What follows the verb is a detail and limits nothing.
func limited(a, b []string) bool {
	x, y := bare(a), bare(b)
	if len(x) < len(y) {
		x, y = y, x
	}
	extra := len(x) - len(y)
	front := 0
	for front < len(y) && x[front] == y[front] {
		front++
	}
	if extra < 2 || extra > 7 || front == 0 || front == len(y) || !limits[x[front]] {
		return false
	}
	for _, w := range x[:front] {
		if endsSubject[w] {
			return false
		}
	}
	at := front + extra
	return slices.Equal(x[at:], y[front:]) && !slices.ContainsFunc(x[front:at], func(w string) bool { return endsSubject[w] })
}

// limits begin words that say which of several things a sentence is about. "That" and
// "which" are not among them: the verb of their clause looks like that of the sentence.
var limits = memory.WordSet(`of by to from with without in on for at under über unter von vom mit ohne im am auf für aus bei zum zur`)

// endsSubject are verbs that end the subject of a sentence.
var endsSubject = memory.WordSet(`is are was were be been being has have had can could may might must shall should will would does do did needs need
 ist sind war waren wird werden wurde wurden hat haben hatte kann können darf dürfen muss müssen soll sollen`)

// bare returns the words without articles and words of every case.
func bare(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return forEach[w] })
}

var forEach = memory.WordSet(`the a an every each all any jede jeder jedes alle der die das den dem des ein eine einen einem einer`)

// during reports whether a says that something happens during something, and b that it
// happens before or after.
func during(a, b []string) bool {
	in := func(words []string, set map[string]bool) bool {
		return slices.ContainsFunc(words, func(w string) bool { return set[w] })
	}
	return in(a, meantime) && !in(b, meantime) && in(b, apart) && !in(a, apart)
}

var (
	meantime = memory.WordSet(`during while während`)
	apart    = memory.WordSet(`before after prior vor nach bevor nachdem`)
)

// repeatsAgain reports whether an "again" of one text says what a "re-" of the other says:
// "is loaded again" and "is reloaded".
func repeatsAgain(words, other []string) bool {
	for i, w := range words {
		if w != "again" && w != "wieder" {
			continue
		}
		for _, verb := range words[max(0, i-2):i] {
			stem := "re" + memory.Stem(verb)
			if len(stem) > 4 && slices.ContainsFunc(other, func(o string) bool { return strings.HasPrefix(o, stem[:min(len(stem), 6)]) }) {
				return true
			}
		}
	}
	return false
}
