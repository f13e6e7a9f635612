package search

import (
	"strings"
	"unicode"
)

// Split splits an identifier, path or compound into its parts, in lower case: at
// punctuation and where a hump begins (getHTTPResponse → get, http, response). Digits
// stay with the letters before them: sha256 is one part. Parts of one letter are left
// out; a name without a longer part is returned whole.
func Split(name string) []string {
	var parts []string
	rest := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	for _, piece := range rest {
		parts = humps([]rune(piece), parts)
	}
	if len(parts) == 0 {
		return []string{strings.ToLower(name)}
	}
	return parts
}

// humps appends the parts of a piece that has no punctuation.
func humps(runes []rune, parts []string) []string {
	start := 0
	for i := 1; i <= len(runes); i++ {
		if i < len(runes) && !boundary(runes, i) {
			continue
		}
		if i-start > 1 || unicode.IsDigit(runes[start]) {
			parts = append(parts, strings.ToLower(string(runes[start:i])))
		}
		start = i
	}
	return parts
}

// boundary reports whether a part begins at i: a capital after a small letter or a
// digit, or the last capital of a run before a small letter.
func boundary(runes []rune, i int) bool {
	if !unicode.IsUpper(runes[i]) {
		return false
	}
	before := runes[i-1]
	if !unicode.IsUpper(before) {
		return true
	}
	return i+1 < len(runes) && unicode.IsLower(runes[i+1])
}
