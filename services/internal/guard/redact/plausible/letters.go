package plausible

import (
	"math"
	"regexp"
	"strings"
)

// Entropy returns Shannon's entropy in bits per symbol, computed over bytes.
func Entropy(s string) float64 {
	var counts [256]int
	for i := 0; i < len(s); i++ {
		counts[s[i]]++
	}
	var e float64
	for _, n := range counts {
		if n > 0 {
			f := float64(n) / float64(len(s))
			e -= f * math.Log2(f)
		}
	}
	return e
}

// Mixed reports whether s has letters beside digits, or capitals and small letters that
// change more often than the words of a name do: as random tokens look.
func Mixed(s string) bool {
	letters, turns, wasUpper := false, 0, false
	for _, r := range s {
		if !IsLetter(r) {
			continue
		}
		upper := r <= 'Z'
		if letters && upper != wasUpper {
			turns++
		}
		letters, wasUpper = true, upper
	}
	return letters && (strings.ContainsAny(s, "0123456789") || 3*turns >= len(s))
}

func IsLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

func IsWordByte(c byte) bool {
	return IsLetter(rune(c)) || c == '_' || c == '.' || c == '-'
}

const Digits = "0123456789"

// Describes matches suffixes that turn the name of a secret into the name of
// something about it.
var Describes = regexp.MustCompile(`(?i)(?:^|[_-])?(?:file|path|dir|name|names|id|ids|len|length|size|count|counts|limit|limits|budget|type|kind|url|uri|hash|hashes|` +
	`digest|policy|field|label|env|var|ttl|age|expiry|expires|expiration|rotation|manager|store|provider|version|format|prefix|suffix|` +
	`regex|pattern|rule|rules|hint|input|prompt|reset|strength|usage|ize|izer|izers|izes|ization|less|bucket|index|scope|scopes|header|endpoint|ref|refs|master|per|rate|window|estimate|cost|cap|max|(?:^|[_-])min|(?-i:Min))s?$`)

// Set returns a set of words.
func Set(words ...string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}
