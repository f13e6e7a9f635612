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
 climbed climbs sank shrank shrunk jumped scaled extended shortened passed halved doubled transferred relocated cut trimmed down up
 umgestellt verschoben umgezogen geändert aktualisiert angehoben erhöht gesenkt umbenannt gewechselt migriert ersetzt wechselte
 sank stieg wuchs fiel schrumpfte kletterte gestiegen gesunken gefallen gewachsen verlängert verkürzt verlegt verdoppelt halbiert`)

// leaveVerbs announce that one thing was given up for another: "left A for B".
var leaveVerbs = memory.WordSet(`left leaves abandoned abandons ditched ditches dropped drops swapped swaps traded trades exchanged exchanges verließ tauschte`)

// transitions returns the changes that a text states.
func transitions(tokens []memory.Token) []Transition {
	var out []Transition
	for i, t := range tokens {
		switch {
		case t.Class == memory.TokenArrow && i > 0 && i+1 < len(tokens):
			if isValue(tokens[i-1]) && isValue(tokens[i+1]) {
				out = append(out, Transition{Old: tokens[i-1].Value, New: tokens[i+1].Value})
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
	for j := 0; j < len(tokens) && j < 8; j++ {
		t := tokens[j]
		switch {
		case j > 0 && (t.Sep == '.' || t.Sep == ';' || t.Sep == '\n'):
			return tr, false
		case t.Value == "for" || t.Value == "gegen":
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
		return t.Upper || t.Code || t.Quote > 0
	}
	return false
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
