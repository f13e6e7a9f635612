package wording

import (
	"strconv"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Transition is a stated change of a value: "5433 → 5440", "moved from X to Y",
// "upgraded lib to 2.1.0". Old is empty where the text names only the new value.
type Transition struct {
	Old string `json:"old,omitempty"`
	New string `json:"new"`
}

// moveVerbs announce that one value replaced another. EN and DE.
var moveVerbs = memory.WordSet(`moved moves migrated migrates switched switches changed changes upgraded upgrades bumped bumps raised lowered went renamed
 increased decreased reduced updated downgraded grew fell dropped rose replaced
 enlarged expanded widened narrowed lengthened stretched tripled quadrupled slashed tightened loosened relaxed boosted lifted pushed tuned dialed dialled
 hoisted advanced curtailed lightened swelled shifted transitioned swapped converted promoted demoted resized rescaled retuned adjusted
 climbed climbs sank shrank shrunk jumped scaled extended shortened passed halved doubled transferred relocated cut trimmed down up
 umgestellt verschoben umgezogen geändert aktualisiert angehoben erhöht gesenkt umbenannt gewechselt migriert ersetzt wechselte
 sank stieg wuchs fiel schrumpfte kletterte gestiegen gesunken gefallen gewachsen verlängert verkürzt verlegt verdoppelt halbiert
 erweitert vergrößert verkleinert verringert reduziert heraufgesetzt herabgesetzt hochgesetzt heruntergesetzt aufgestockt angepasst ausgeweitet
 verlagert übertragen überführt gestreckt gekürzt verschärft gelockert verdreifacht vervierfacht erhöhte senkte verlängerte verkürzte erweiterte`)

// leaveVerbs announce that one thing was given up for another: "left A for B".
var leaveVerbs = memory.WordSet(`left leaves abandoned abandons ditched ditches dropped drops swapped swaps traded trades exchanged exchanges verließ tauschte`)

// transitions returns the changes that a text states.
func transitions(tokens []memory.Token) []Transition {
	var out []Transition
	for i, t := range tokens {
		switch {
		case t.Class == memory.TokenArrow && i > 0 && i+1 < len(tokens):
			old := i - 1
			if old > 0 && tokens[old].Sep == 0 && tokens[old-1].Class == memory.TokenNumber && memory.IsUnit(tokens[old].Value) {
				old-- // "25 s → 18 s"
			}
			if isValue(tokens[old]) && isValue(tokens[i+1]) {
				out = append(out, Transition{Old: tokens[old].Value, New: tokens[i+1].Value})
			}
		case moveVerbs[t.Value] && !t.Code:
			if tr, ok := movement(tokens[i+1:]); ok && (!directions[t.Value] || tr.Old != "") {
				out = append(out, tr)
			}
		}
		if leaveVerbs[t.Value] && !t.Code {
			if tr, ok := left(tokens[i+1:]); ok {
				out = append(out, tr)
			}
		}
	}
	return out
}

// directions are adverbs that announce a change only before both of its values: "down
// from A to B".
var directions = memory.WordSet(`down up`)

// left reads the words after a verb of leaving: "A for B", "A gegen B".
func left(tokens []memory.Token) (Transition, bool) {
	var tr Transition
	turned := false
	for j := 0; j < len(tokens) && j < 12; j++ {
		t := tokens[j]
		switch {
		case j > 0 && (t.Sep == '.' || t.Sep == ';' || t.Sep == '\n'):
			return tr, false
		case tr.Old == "" && stays[t.Value]:
			return tr, false // "what a job leaves in A"
		case j < 8 && (t.Value == "for" || t.Value == "gegen"), tr.Old != "" && (t.Sep == ',' || t.Value == "and") && nowAhead(tokens[j:]):
			turned = tr.Old != ""
		case isValue(t) && turned:
			tr.New = t.Value
			return tr, true
		case isValue(t) && tr.Old == "":
			tr.Old = t.Value
		}
	}
	return tr, false
}

// stays are prepositions of the place where something was left.
var stays = memory.WordSet(`in on at behind under inside with`)

// nowAhead reports that the rest of the sentence says what is so now: "left A, they live in
// B now".
func nowAhead(tokens []memory.Token) bool {
	for j, t := range tokens {
		if j > 0 && sentenceEnd(t.Sep) {
			return false
		}
		if t.Value == "now" || t.Value == "instead" || t.Value == "jetzt" || t.Value == "nun" {
			return true
		}
	}
	return false
}

// movement reads the words after a verb of change: "… from A to B", "… to B", "A with
// B", "von A auf B". Only values count: numbers, versions and names.
func movement(tokens []memory.Token) (Transition, bool) {
	var tr Transition
	from, to, marked := false, false, false // marked: a "from" stood before the old value
	for j := 0; j < len(tokens) && j < 14; j++ {
		t := tokens[j]
		if t.Sep == '.' || t.Sep == ';' || t.Sep == '\n' {
			break
		}
		switch t.Value {
		case "from", "off", "von", "vom":
			from, to, marked = true, false, true
			continue
		case "to", "onto", "into", "auf", "zu", "nach", "with", "by", "durch":
			if t.Value != "with" && t.Value != "by" && t.Value != "durch" || tr.Old != "" {
				from, to = false, true
			}
			continue
		}
		if !isValue(t) {
			if to && tr.Old != "" && marked && t.Class == memory.TokenWord && !slight[t.Value] && (j+1 == len(tokens) || tokens[j+1].Class != memory.TokenNumber) {
				tr.New = t.Value // "from 3 parameters to a single object"
				return tr, true
			}
			continue
		}
		switch {
		case to && isNumber(tr.Old) && t.Class == memory.TokenWord && j+1 < len(tokens) && tokens[j+1].Class == memory.TokenNumber:
			// "from room 12 to room 40": the noun says what the numbers are.
		case to && tr.Old == "" && t.Class == memory.TokenWord && j+1 < len(tokens) && tokens[j+1].Class == memory.TokenNumber && tokens[j+1].Sep == 0:
			// "to Mailman 3": the number is what is new of it.
			tr.New = tokens[j+1].Value
			return tr, true
		case to:
			tr.New = t.Value
			return tr, true
		case from || tr.Old == "":
			tr.Old = t.Value
		}
	}
	return tr, false
}

func isValue(t memory.Token) bool {
	switch t.Class {
	case memory.TokenNumber, memory.TokenIdent, memory.TokenURL:
		return true
	case memory.TokenWord:
		return t.Upper || t.Code || t.Quote > 0 || clocks[t.Value]
	}
	return false
}

// clocks are words for a time of the day.
var clocks = memory.WordSet(`noon midday midnight mittag mitternacht`)

// atOnce reports a "once" that counts nothing.
func atOnce(tokens []memory.Token, i int) bool {
	return i > 0 && tokens[i].Value == "1" && tokens[i-1].Value == "at" && tokens[i].Sep == 0 && tokens[i].End-tokens[i].Start == len("once")
}

// formerly returns the number that "it was 30 s before" at i gives as the former one: "it
// was", the number, its unit, and the end of the clause.
func formerly(tokens []memory.Token, i int) string {
	if tokens[i].Sep != 0 || i+1 < len(tokens) && tokens[i+1].Sep == 0 {
		return ""
	}
	for j := i - 1; j > 0 && j >= i-3 && tokens[j+1].Sep == 0; j-- {
		if w := tokens[j-1].Value; tokens[j].Class == memory.TokenNumber && (w == "was" || w == "were" || w == "waren" || w == "war") {
			return tokens[j].Value
		}
	}
	return ""
}

// formerlyBehind returns the number right behind a "before" at i that begins its part of the
// sentence and names no time: ", vorher alle 15 s".
func formerlyBehind(tokens []memory.Token, i int) string {
	w := tokens[i].Value
	if tokens[i].Sep != ',' && tokens[i].Sep != ';' && tokens[i].Sep != '(' || w == "before" || w == "earlier" {
		return ""
	}
	return numberAfter(tokens, i+1)
}

// numberAfter returns the number at i or up to two words behind it, in the same part of the
// sentence.
func numberAfter(tokens []memory.Token, i int) string {
	for j := i; j < len(tokens) && j < i+3 && tokens[j].Sep == 0; j++ {
		if tokens[j].Class == memory.TokenNumber {
			return tokens[j].Value
		}
	}
	return ""
}

// fromBefore returns the new value of ", up from A" at i: the nearest number before it that
// measures what the old one does, else the word before it.
func fromBefore(tokens []memory.Token, i int, old string) string {
	if !isNumber(old) {
		return lastWord(tokens, i)
	}
	unit := ""
	for j := i + 2; j < len(tokens); j++ {
		if tokens[j].Value == old && tokens[j].Class == memory.TokenNumber {
			unit = unitAt(tokens, j)
			break
		}
	}
	for j := i - 1; j >= 0 && j >= i-3*reach && !sentenceEnd(tokens[j+1].Sep); j-- {
		if tokens[j].Class == memory.TokenNumber && unitAt(tokens, j) == unit && !atOnce(tokens, j) {
			return tokens[j].Value
		}
	}
	return lastWord(tokens, i)
}

// unitAt returns the unit of the number at i, empty where it has none that measures.
func unitAt(tokens []memory.Token, i int) string {
	if tokens[i].Unit != "" {
		return tokens[i].Unit
	}
	if i+1 < len(tokens) && tokens[i+1].Sep == 0 && memory.IsUnit(tokens[i+1].Value) {
		return memory.Stem(tokens[i+1].Value)
	}
	return ""
}

// formerlyNow returns the number of the clause before the one that ends at i.
func formerlyNow(tokens []memory.Token, i int) string {
	j := i
	for j > 0 && tokens[j].Sep == 0 {
		j--
	}
	for k := j - 1; k >= 0 && k >= j-reach; k-- {
		if tokens[k].Class == memory.TokenNumber {
			return tokens[k].Value
		}
		if sentenceEnd(tokens[k].Sep) {
			break
		}
	}
	return ""
}

// lastWord returns the word of content before i, for "rolled out to everybody, up from 5 %",
// and the number of "after 14 s, down from 18 s".
func lastWord(tokens []memory.Token, i int) string {
	if i > 1 && tokens[i-2].Class == memory.TokenNumber && tokens[i-1].Sep == 0 && memory.IsUnit(tokens[i-1].Value) {
		return tokens[i-2].Value
	}
	if t := tokens[i-1]; t.Class == memory.TokenWord && slight[t.Value] {
		return ""
	}
	return tokens[i-1].Value
}

// NewerVersion reports whether every value that only the new text has is a version (a
// number with a dot) greater than the old one in the same slot, and there is at least
// one.
func NewerVersion(fresh, stored *memory.Specifics) bool {
	newer := false
	for _, a := range fresh.Values {
		if hasValue(stored, a) {
			continue
		}
		found := false
		for _, b := range stored.Values {
			if a.Slot == b.Slot && isVersion(a) && isVersion(b) && !hasValue(fresh, b) {
				if compareVersions(a.Text, b.Text) <= 0 {
					return false
				}
				found = true
			}
		}
		if !found {
			return false
		}
		newer = true
	}
	return newer
}

func hasValue(s *memory.Specifics, d memory.Detail) bool {
	for _, v := range s.Values {
		if v.Text == d.Text {
			return true
		}
	}
	return false
}

// isVersion reports a number with dots that measures nothing: "2.3 M rows" is none.
func isVersion(d memory.Detail) bool {
	dots := strings.Count(d.Text, ".")
	return (dots > 1 || dots == 1 && !memory.IsMeasure(d.Unit)) && strings.Trim(d.Text, "0123456789.") == ""
}

// compareVersions compares dotted numbers part by part.
func compareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		if d := versionPart(as, i) - versionPart(bs, i); d != 0 {
			return d
		}
	}
	return 0
}

func versionPart(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n, _ := strconv.Atoi(parts[i])
	return n
}
