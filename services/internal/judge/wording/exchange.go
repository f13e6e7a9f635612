package wording

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// exchanges finds the changes of a value that a text states without a verb of
// change before them: "X instead of Y", "no longer X but Y", "Y was replaced by
// X", and the German ones, where the verb stands at the end ("von 7 auf 21 Tage
// angehoben").
func exchanges(tokens []memory.Token) []Transition {
	var out []Transition
	for i, t := range tokens {
		if t.Class != memory.TokenWord || t.Code {
			continue
		}
		switch t.Value {
		case "instead", "statt", "anstatt", "anstelle", "rather", "place":
			if t.Value == "rather" && (i+1 == len(tokens) || tokens[i+1].Value != "than") {
				continue
			}
			if fresh, ok := placeTaken(tokens, i); ok {
				out = appendExchange(out, thingAfter(tokens, i+2), fresh)
				continue
			}
			if t.Value == "place" && (i == 0 || tokens[i-1].Value != "in" || i+1 == len(tokens) || tokens[i+1].Value != "of") {
				continue
			}
			old := valueAfter(tokens, i+1)
			fresh := valueBefore(tokens, i, isNumber(old))
			if fresh == "" && clauseStart(tokens, i) {
				fresh = otherAfter(tokens, i+1, old) // "Instead of A it reads B"
			}
			out = appendExchange(out, old, fresh)
		case "longer", "mehr":
			if i > 0 && (tokens[i-1].Value == "no" || tokens[i-1].Value == "nicht") {
				out = append(out, endedAt(tokens, i)...)
			}
		case "before", "previously", "formerly", "vorher", "zuvor", "bisher", "earlier":
			out = appendExchange(out, formerly(tokens, i), formerlyNow(tokens, i))
			out = appendExchange(out, formerlyBehind(tokens, i), formerlyNow(tokens, i))
		case "used":
			if i > 0 && i+2 < len(tokens) && tokens[i+1].Value == "to" && tokens[i+2].Value == "be" {
				out = appendExchange(out, numberAfter(tokens, i+3), formerlyNow(tokens, i))
			}
		case "been":
			if i > 0 && tokens[i-1].Value == "had" && i+1 < len(tokens) && tokens[i+1].Class == memory.TokenNumber {
				out = appendExchange(out, tokens[i+1].Value, formerlyNow(tokens, i))
			}
		case "up", "down":
			// "to everybody, up from 5 %": the new value stands before.
			if i > 0 && tokens[i].Sep == ',' && i+1 < len(tokens) && tokens[i+1].Value == "from" {
				old := valueAfter(tokens, i+2)
				out = appendExchange(out, old, fromBefore(tokens, i, old))
			}
		case "dropped", "retired", "removed", "abandoned", "gone", "empty", "unused", "decommissioned", "obsolete":
			out = appendExchange(out, givenUp(tokens, i), insteadOf(tokens, i))
		case "shut", "switched":
			if i+1 < len(tokens) && (tokens[i+1].Value == "down" || tokens[i+1].Value == "off") {
				out = appendExchange(out, givenUp(tokens, i), insteadOf(tokens, i))
			}
		case "replaced", "ersetzt", "abgelöst":
			if i+1 < len(tokens) && (tokens[i+1].Value == "by" || tokens[i+1].Value == "with") {
				out = appendReplaced(out, tokens, i)
			} else if t.Value == "replaced" {
				out = appendActive(out, tokens, i)
			}
		case "replaces", "supersedes", "superseded", "supplants", "supplanted", "displaces", "displaced", "succeeds", "ersetzte":
			out = appendActive(out, tokens, i)
		case "way":
			// "A gave way to B", "A made way for B"
			if i > 0 && i+1 < len(tokens) && (giving[tokens[i-1].Value] && tokens[i+1].Value == "to" || making[tokens[i-1].Value] && tokens[i+1].Value == "for") {
				out = appendExchange(out, thingBefore(tokens, i-1), thingAfter(tokens, i+2))
			}
		case "out":
			// "taken out of A and put into B"
			if i > 0 && i+2 < len(tokens) && tokens[i+1].Value == "of" && removing[tokens[i-1].Value] {
				out = appendExchange(out, valueAfter(tokens, i+2), putInto(tokens, i+2))
			}
		case "over":
			if who := giver(tokens, i); who != "" {
				out = appendExchange(out, who, valueOf(tokens, i+1, "to"))
				continue
			}
			// "B has taken over the build from A".
			if i > 0 && taking[tokens[i-1].Value] {
				out = appendExchange(out, valueOf(tokens, i+1, "from"), valueBefore(tokens, i, false))
			}
		case "von", "vom":
			if movesAtEnd(tokens, i) {
				if tr, ok := movement(tokens[i:]); ok {
					out = append(out, tr)
				}
			}
		}
	}
	return out
}

func appendExchange(out []Transition, old, fresh string) []Transition {
	if old == "" || fresh == "" || old == fresh {
		return out
	}
	return append(out, Transition{Old: old, New: fresh})
}

// appendReplaced adds the change that "A was replaced by B" at i states. Of two
// versions the names before them say what they are versions of.
func appendReplaced(out []Transition, tokens []memory.Token, i int) []Transition {
	old, fresh := valueBefore(tokens, i, false), valueAfter(tokens, i+2)
	if old == "" {
		j := i
		for j > 0 && tokens[j].Sep == 0 && beings[tokens[j-1].Value] {
			j--
		}
		if j < i && tokens[j].Sep == 0 {
			old = thingBefore(tokens, j)
		}
	}
	if fresh == "" && i+2 < len(tokens) && tokens[i+2].Class == memory.TokenWord && !slight[tokens[i+2].Value] {
		fresh = tokens[i+2].Value // names may be written small: "replaced by ntfy"
	}
	if isNumber(old) && !isNumber(fresh) && i+3 < len(tokens) && tokens[i+3].Class == memory.TokenNumber {
		fresh = tokens[i+3].Value
	}
	return appendExchange(out, old, fresh)
}

// appendActive adds the change that "B has replaced A" at i states. A form of being before
// the verb makes it passive.
func appendActive(out []Transition, tokens []memory.Token, i int) []Transition {
	if i+1 == len(tokens) || tokens[i+1].Sep != 0 || tokens[i+1].Value == "by" {
		return out
	}
	for j := i - 1; j >= 0 && j >= i-3 && tokens[j+1].Sep == 0; j-- {
		if beings[tokens[j].Value] && tokens[j].Value != "has" {
			return out
		}
	}
	if w := tokens[i].Value; strings.HasSuffix(w, "s") { // what replaces another may do so time and again
		return appendExchange(out, valueAfter(tokens, i+1), valueBefore(tokens, i, false))
	}
	return appendExchange(out, thingAfter(tokens, i+1), thingBefore(tokens, i))
}

// placeTaken returns the new value of "B took the place of A", with "place" at i.
func placeTaken(tokens []memory.Token, i int) (fresh string, ok bool) {
	if tokens[i].Value != "place" || i < 2 || i+1 == len(tokens) || tokens[i-1].Value != "the" || tokens[i+1].Value != "of" || !taking[tokens[i-2].Value] {
		return "", false
	}
	return thingBefore(tokens, i-2), true
}

// thingBefore returns what stands right before a verb of exchange, a name in small letters too
// ("pino took the place of winston"), else the last value before it.
func thingBefore(tokens []memory.Token, i int) string {
	j := i - 1
	for j > 0 && tokens[j+1].Sep == 0 && (tokens[j].Value == "has" || tokens[j].Value == "have" || tokens[j].Value == "had") {
		j--
	}
	if j >= 0 && tokens[j+1].Sep == 0 && thing(tokens[j]) {
		return tokens[j].Value
	}
	return valueBefore(tokens, i, false)
}

// thingAfter returns the first word behind i that is no article, else the first value.
func thingAfter(tokens []memory.Token, i int) string {
	j := i
	for j < len(tokens) && articles[tokens[j].Value] {
		j++
	}
	if j < len(tokens) && (j == i || tokens[j].Sep == 0) && thing(tokens[j]) {
		if j+1 == len(tokens) || tokens[j+1].Sep != 0 || tokens[j+1].Class == memory.TokenDate || slight[tokens[j+1].Value] || ops[tokens[j+1].Value] != 0 {
			return tokens[j].Value
		}
	}
	return valueAfter(tokens, i)
}

// thing reports a value, or a word that may name one.
func thing(t memory.Token) bool {
	return isValue(t) || t.Class == memory.TokenWord && !slight[t.Value] && !language.Function(t.Value, language.Open)
}

// putInto returns the value behind the first "into" or "to" that follows i in the sentence.
func putInto(tokens []memory.Token, i int) string {
	for j := i; j < len(tokens) && j < i+2*reach && !sentenceEnd(tokens[j].Sep); j++ {
		if w := tokens[j].Value; w == "into" || w == "to" || w == "onto" || w == "under" {
			return valueAfter(tokens, j+1)
		}
	}
	return ""
}

// giver returns who hands something over, of the "over" at i: the value right before a verb
// of handing, as in "Priya handed the feed over to Lennart".
func giver(tokens []memory.Token, i int) string {
	for j := i - 1; j > 0 && j >= i-reach && tokens[j+1].Sep == 0; j-- {
		if !handing[tokens[j].Value] {
			continue
		}
		k := j - 1
		if tokens[k].Value == "has" && k > 0 {
			k--
		}
		if isValue(tokens[k]) && tokens[k+1].Sep == 0 {
			return tokens[k].Value
		}
		return ""
	}
	return ""
}

var (
	giving   = memory.WordSet(`gives gave given giving`)
	making   = memory.WordSet(`makes made making`)
	removing = memory.WordSet(`taken took takes pulled moved brought carried dropped lifted`)
	handing  = memory.WordSet(`handed hands passed passes turned signed`)
)

// otherAfter returns the first value behind i in its sentence that is neither old nor one
// of the words beside it, nor a date.
func otherAfter(tokens []memory.Token, i int, old string) string {
	seen := false
	for j := i; j < len(tokens) && j < i+3*reach && (j == i || !sentenceEnd(tokens[j].Sep)); j++ {
		switch {
		case tokens[j].Value == old:
			seen = true
		case seen && isValue(tokens[j]) && !(isNumber(old) && tokens[j].Class != memory.TokenNumber) && tokens[j].Class != memory.TokenDate:
			return tokens[j].Value
		}
	}
	return ""
}

// endedAt reads a "no longer" at i: "no longer A but B", "no longer A: it is B", and "B and
// no longer A", where the value before is of the same kind.
func endedAt(tokens []memory.Token, i int) []Transition {
	if at := turnAfter(tokens, i+1); at < len(tokens) {
		old, fresh := valueWithin(tokens, i+1, at), valueAfter(tokens, at)
		if isNumber(fresh) {
			old = lastValue(tokens, i+1, at) // "no longer signed with GPG 1.4 but with 2.4"
		}
		return appendExchange(nil, old, fresh)
	}
	at := i + 1
	for at < len(tokens) && tokens[at].Sep == 0 {
		at++
	}
	old := lastValue(tokens, i+1, at)
	if i > 1 && (tokens[i-2].Value == "and" || tokens[i-2].Value == "und" || tokens[i-1].Sep == ',') {
		return appendExchange(nil, old, valueBefore(tokens, i-1, isNumber(old)))
	}
	if at < len(tokens) && (tokens[at].Sep == ':' || tokens[at].Sep == ';' || tokens[at].Sep == ',') && isNumber(old) {
		if fresh := valueAfter(tokens, at); isNumber(fresh) {
			return appendExchange(nil, old, fresh)
		}
	}
	return nil
}

// lastValue returns the last value from i to end: a number before a name.
func lastValue(tokens []memory.Token, i, end int) string {
	name := ""
	for j := min(end, len(tokens)) - 1; j >= i; j-- {
		switch {
		case tokens[j].Class == memory.TokenNumber:
			return tokens[j].Value
		case isValue(tokens[j]) && name == "":
			name = tokens[j].Value
		}
	}
	return name
}

// givenUp returns the value of which the word at i says that it is no longer there: "Humble
// was dropped", "eu-west-1 is empty". The value stands right before the verb, so that
// nothing else is meant.
func givenUp(tokens []memory.Token, i int) string {
	j := i - 1
	for j > 0 && tokens[j+1].Sep == 0 && beings[tokens[j].Value] {
		j--
	}
	if j < 0 || j == i-1 || tokens[j+1].Sep != 0 || !isValue(tokens[j]) || tokens[j].Class == memory.TokenNumber && !strings.Contains(tokens[j].Value, ".") {
		return ""
	}
	if i+1 < len(tokens) && tokens[i+1].Sep == 0 && slight[tokens[i+1].Value] && tokens[i+1].Value != "since" && tokens[i+1].Value != "on" && tokens[i+1].Value != "now" {
		return "" // "empty of credits", "gone for Anna", "dropped from the tests"
	}
	// It begins its part of the sentence: "the Humble build" is not Humble.
	if j > 0 && tokens[j].Sep == 0 && tokens[j-1].Value != "and" && tokens[j-1].Value != "while" {
		return ""
	}
	return tokens[j].Value
}

var beings = memory.WordSet(`is was are were has been got gets now`)

// insteadOf returns the last value that the sentence gives before the part about what was
// given up, at i.
func insteadOf(tokens []memory.Token, i int) string {
	j := i
	for j > 0 && tokens[j].Sep == 0 {
		j--
	}
	for k := j - 1; k >= 0 && k >= j-2*reach; k-- {
		if t := tokens[k]; t.Class == memory.TokenNumber && strings.Contains(t.Value, ".") || t.Class == memory.TokenIdent && !strings.Contains(t.Value, ".") || t.Class == memory.TokenWord && isValue(t) {
			return t.Value
		}
		if sentenceEnd(tokens[k].Sep) {
			break
		}
	}
	return ""
}

// reach is how many words lie at most between an exchange and its values.
const reach = 6

// turnAfter returns the place behind the word that turns to the new value: "but",
// "sondern". len(tokens) when there is none in the sentence.
func turnAfter(tokens []memory.Token, i int) int {
	for j := i; j < len(tokens) && j < i+2*reach && (j == i || tokens[j].Sep != '.' && tokens[j].Sep != '\n'); j++ {
		if w := tokens[j].Value; w == "but" || w == "sondern" {
			return j + 1
		}
	}
	return len(tokens)
}

// valueAfter returns the first value at i or behind it, within reach.
func valueAfter(tokens []memory.Token, i int) string { return valueWithin(tokens, i, i+reach) }

func valueWithin(tokens []memory.Token, i, end int) string {
	for j := i; j < min(end, len(tokens)) && (j == i || tokens[j].Sep != '.' && tokens[j].Sep != ';' && tokens[j].Sep != '\n'); j++ {
		if isValue(tokens[j]) {
			return tokens[j].Value
		}
	}
	return ""
}

// valueBefore returns the last value before i in its sentence, within reach: a
// number where the other value is one, since a name between them is a unit
// ("03:45 UTC instead of 02:15").
func valueBefore(tokens []memory.Token, i int, number bool) string {
	name := ""
	for j := i - 1; j >= 0 && j >= i-reach; j-- {
		switch t := tokens[j]; {
		case t.Class == memory.TokenNumber && j > 1 && tokens[j-2].Class == memory.TokenNumber && tokens[j].Sep == 0 && tokens[j-1].Sep == 0 && memory.IsUnit(tokens[j-1].Value):
			return tokens[j-2].Value // "4 min 05 s"
		case t.Class == memory.TokenNumber || isValue(t) && (!number || clocks[t.Value]):
			return t.Value
		case isValue(t) && name == "":
			name = t.Value
		}
		if s := tokens[j].Sep; s == '.' || s == ';' || s == '\n' {
			break
		}
	}
	return name
}

// taking are the forms of "to take", before "over".
var taking = memory.WordSet(`takes took taken`)

// valueOf returns the first value behind a word, within reach of i, empty when the
// word does not come.
func valueOf(tokens []memory.Token, i int, word string) string {
	for j := i; j < len(tokens) && j < i+reach; j++ {
		if s := tokens[j].Sep; s == '.' || s == ';' || s == '\n' {
			return ""
		}
		if tokens[j].Value == word {
			return valueAfter(tokens, j+1)
		}
	}
	return ""
}

func isNumber(value string) bool { return value != "" && value[0] >= '0' && value[0] <= '9' }

// movesAtEnd reports that the clause which has "from A to B" at i ends with a
// verb of change.
func movesAtEnd(tokens []memory.Token, i int) bool {
	for j := i + 1; j < len(tokens) && j < i+2*reach; j++ {
		if s := tokens[j].Sep; s == '.' || s == ';' || s == '\n' {
			return false
		}
		if moveVerbs[tokens[j].Value] || tokens[j].Value == "um" && (j+1 == len(tokens) || tokens[j+1].Sep != 0) {
			return true
		}
	}
	return false
}
