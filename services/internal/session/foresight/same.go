package foresight

import (
	"regexp"
	"strings"
)

// Parts of an error's line that change from run to run: positions, addresses, times, and
// the folders before a file.
var (
	place = regexp.MustCompile(`(?:[\w.~-]*/)+([\w.-]+)`)
	// position is where a test or a compiler saw the error: another test has the same one.
	position = regexp.MustCompile(`^[\w./-]+\.\w+[:(]\d+(?:[:,]\d+)?[:)]*\s+`)
	digits   = regexp.MustCompile(`\b(?:0x[0-9a-f]+|\d[\d.,:]*)\b`)
	word     = regexp.MustCompile(`[\p{L}\p{N}_.#-]+`)
)

// signature returns the words of an error without what changes from run to run.
func signature(wrong string) map[string]bool {
	s := strings.ToLower(place.ReplaceAllString(position.ReplaceAllString(wrong, ""), "$1"))
	s = digits.ReplaceAllString(s, "#")
	out := map[string]bool{}
	for _, w := range word.FindAllString(s, -1) {
		if w = strings.Trim(w, ".-"); w != "" && w != "#" {
			out[w] = true
		}
	}
	return out
}

// alike is the share of words that two errors must have in common to be the same one:
// three words of four. An error about another module or flag differs in the word that
// matters, and a short line then falls below.
const alike = 0.75

// same reports whether two signatures are those of one error.
func same(a, b map[string]bool) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	common := 0
	for w := range a {
		if b[w] {
			common++
		}
	}
	return float64(common) >= alike*float64(len(a)+len(b)-common)
}
