package told

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

var (
	// pairs matches "user / value" and its like at the beginning of a string.
	pairs = regexp.MustCompile(`^["'\x60„“]?([A-Za-z0-9][\w.@+-]{0,60})["'\x60“”]?\s{0,2}(?:/|\||,|:|\+|and|und|with|mit|→|->)\s{0,2}(?:(?i:the |dem |das |password |passwort |kennwort |pw |pass ){0,3})["'\x60„“]?([^\s"'\x60“”]{4,100})`)
	// asWith matches "as user with value" and its like anywhere in a sentence.
	asWith = regexp.MustCompile(`(?i)\b(?:as|als|user|benutzer|username|with|mit)\s+["'\x60„“]?[\w.@+-]{1,60}["'\x60“”]?\s*(?:/|:|,|and|und|with|mit|using|per)\s+(?:(?:the|dem|das|my|our|password|passwort|kennwort|pw|pass|token)\s+){0,3}["'\x60„“]?([^\s"'\x60“”]{4,100})`)
)

// findLogin finds the second of two values that a word about logging in
// announces: "Login: admin / …", "als admin mit … angemeldet".
func findLogin(text string, start, end int, emit func(from, to int)) {
	if joinedBefore(text, start) && text[start] >= 'a' {
		// "pluginlogin" is an identifier; German compounds ("Gastzugang") are
		// nouns of the same meaning.
		if r, _ := utf8.DecodeLastRuneInString(text[:start]); !unicode.IsLower(r) {
			return
		}
	}
	accept := func(from, to int, tight bool) bool {
		for to > from && strings.IndexByte(".,;:)]", text[to-1]) >= 0 {
			to--
		}
		v := text[from:to]
		if !plausible.Strict(v) && !(tight && len(v) >= 6 && plausible.Loose(v) && strings.ContainsAny(v, plausible.Digits) && strings.Trim(v, plausible.Digits) != "" && !plausible.Host.MatchString(v)) {
			return false
		}
		emit(from, to)
		return true
	}
	from, to := sentenceAround(text, start, end)
	for _, m := range asWith.FindAllStringSubmatchIndex(text[from:to], 4) {
		if accept(from+m[2], from+m[3], true) {
			return
		}
	}
	at := end
	for range maxWords {
		i := strings.IndexAny(text[at:to], ":= ")
		if i < 0 {
			return
		}
		at += i + 1
		rest := strings.TrimLeft(text[at:to], " \t")
		if m := pairs.FindStringSubmatchIndex(rest); m != nil {
			base := to - len(rest)
			if accept(base+m[4], base+m[5], strings.ContainsAny(rest[m[3]:m[4]], "/|:")) {
				return
			}
		}
	}
}

// sentenceAround returns the line's part of at most sentenceReach bytes on either side
// of a word.
func sentenceAround(text string, start, end int) (from, to int) {
	from, to = max(0, start-sentenceReach), min(len(text), end+sentenceReach)
	if i := strings.LastIndexByte(text[from:start], '\n'); i >= 0 {
		from += i + 1
	}
	for from < start && !utf8.RuneStart(text[from]) {
		from++
	}
	if i := strings.IndexByte(text[end:to], '\n'); i >= 0 {
		to = end + i
	}
	for to < len(text) && to > end && !utf8.RuneStart(text[to]) {
		to--
	}
	return from, to
}
