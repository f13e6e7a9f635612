package wording

import "github.com/winnowhq/winnow/services/internal/memory"

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
		case "instead", "statt", "anstatt", "anstelle", "rather":
			if t.Value == "rather" && (i+1 == len(tokens) || tokens[i+1].Value != "than") {
				continue
			}
			old := valueAfter(tokens, i+1)
			out = appendExchange(out, old, valueBefore(tokens, i, isNumber(old)))
		case "longer", "mehr":
			if i > 0 && (tokens[i-1].Value == "no" || tokens[i-1].Value == "nicht") {
				at := turnAfter(tokens, i+1)
				out = appendExchange(out, valueWithin(tokens, i+1, at), valueAfter(tokens, at))
			}
		case "replaced", "ersetzt", "abgelöst":
			if i+1 < len(tokens) && (tokens[i+1].Value == "by" || tokens[i+1].Value == "with") {
				out = appendReplaced(out, tokens, i)
			}
		case "over":
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
	if isNumber(old) && !isNumber(fresh) && i+3 < len(tokens) && tokens[i+3].Class == memory.TokenNumber {
		fresh = tokens[i+3].Value
	}
	return appendExchange(out, old, fresh)
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
		case t.Class == memory.TokenNumber || isValue(t) && !number:
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
var taking = wordSet(`takes took taken`)

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
