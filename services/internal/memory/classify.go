package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// classify returns the token of a chunk without surrounding punctuation.
func classify(body string, code, call bool) Token {
	if !code && !call && letters(body) { // as nearly every word of a text
		t := Token{Class: TokenWord, Value: body}
		if n, ok := numberWords[body]; ok {
			t.Class, t.Value = TokenNumber, n
		}
		return t
	}
	first, _ := utf8.DecodeRuneInString(body)
	t := Token{Class: TokenWord, Value: strings.ToLower(body), Upper: unicode.IsUpper(first), Call: call}
	t.Caps = t.Upper && utf8.RuneCountInString(body) > 1 && strings.ToUpper(body) == body
	date := ""
	if len(body) >= 7 && isDigit(body[0]) {
		date = isoDate(body)
	}
	switch {
	case date != "":
		t.Class, t.Value = TokenDate, date
	case call:
		t.Class = TokenIdent
	case numeric(body, &t):
		t.Class = TokenNumber
	case isIdent(body, code):
		t.Class = TokenIdent
		t.Value = strings.TrimPrefix(t.Value, "./")
	default:
		if n, ok := numberWords[t.Value]; ok {
			t.Class, t.Value = TokenNumber, n
		}
	}
	return t
}

// letters reports a word of small letters without signs.
func letters(body string) bool {
	for i := range len(body) {
		if body[i] < 'a' || body[i] > 'z' {
			return false
		}
	}
	return true
}

// numberWords maps number words to digits, so that "two" equals "2". German "ein"
// is omitted, because it is also an article.
var numberWords = map[string]string{
	"zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
	"eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12", "fifteen": "15", "twenty": "20",
	"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90", "hundred": "100", "thousand": "1000",
	"null": "0", "eins": "1", "zwei": "2", "drei": "3", "vier": "4", "fünf": "5", "sechs": "6", "sieben": "7",
	"acht": "8", "neun": "9", "zehn": "10", "elf": "11", "zwölf": "12", "fünfzehn": "15", "zwanzig": "20",
	"dreißig": "30", "vierzig": "40", "fünfzig": "50", "sechzig": "60", "neunzig": "90", "hundert": "100", "tausend": "1000",
	"once": "1", "twice": "2", "einmal": "1", "zweimal": "2",
}

// numeric parses a number or version into t: 48, 1,200, 48s, 40%, $5/mo, 06:00,
// 393/393, 4-5, v2.0, 3.1.4-rc1. It returns false for anything else, such as the
// hash 4be1f7c.
func numeric(body string, t *Token) bool {
	i := 0
	for i < len(body) && strings.IndexByte("+-$v€V", body[i]) >= 0 {
		i++
	}
	if strings.HasPrefix(body, "€") || strings.HasPrefix(body, "£") {
		_, i = utf8.DecodeRuneInString(body)
	}
	if i > 3 || i >= len(body) || !isDigit(body[i]) {
		return false
	}
	j := i
	for j < len(body) && (isDigit(body[j]) || strings.IndexByte(".,:/-–_", body[j]) >= 0 && j+1 < len(body) && isDigit(body[j+1])) {
		j++
	}
	unit := body[j:]
	prefix := body[:i]
	for k := range len(unit) {
		if isDigit(unit[k]) {
			// Mixed letters and digits are the pre-release of a version, else a hash.
			if strings.Count(body[i:j], ".") == 0 || unit[0] != '-' && unit[0] != '+' && !isPreRelease(unit) {
				return false
			}
			j, unit = len(body), ""
			break
		}
	}
	if len(unit) > 8 && !strings.HasPrefix(unit, "-") {
		return false
	}
	t.Value = strings.ToLower(thousands(body[i:j]))
	if strings.HasPrefix(prefix, "-") {
		t.Value = "-" + t.Value
	}
	t.Unit = strings.Trim(strings.ToLower(unit), "-")
	if strings.ContainsAny(prefix, "$€£") {
		t.Unit = prefix + t.Unit
	}
	return true
}

func isPreRelease(unit string) bool {
	u := strings.ToLower(unit)
	return strings.HasPrefix(u, "rc") || strings.HasPrefix(u, "beta") || strings.HasPrefix(u, "alpha") || strings.HasPrefix(u, "a") || strings.HasPrefix(u, "b")
}

// thousands removes the separators of 1,200 and 1_200 and does not change 4,5.
func thousands(n string) string {
	n = strings.ReplaceAll(n, "_", "")
	for {
		i := strings.IndexByte(n, ',')
		if i < 0 || len(n)-i < 4 || len(n)-i > 4 && n[i+4] != ',' && n[i+4] != '.' {
			return n
		}
		n = n[:i] + n[i+1:]
	}
}

// isIdent reports whether body is a name that a machine reads: camelCase,
// snake_case, a path, file name, flag, environment name, package, hash, or a key
// such as ADR-12. Any text in backticks is such a name too.
func isIdent(body string, code bool) bool {
	if code {
		return true
	}
	if abbreviations[strings.ToLower(body)] {
		return false
	}
	switch body[0] {
	case '@', '$', '/', '.', '~', '#', '*':
		return len(body) > 1
	case '-', '+':
		return len(body) > 1 && (body[1] == '-' || len(body) <= 4)
	}
	var upper, lower, digit, hump, letterDot bool
	prev := rune(0)
	letters := 0
	for i, r := range body {
		switch {
		case r == '_' || r == '\\' || r == '@' || r == '#':
			return true
		case r == '/':
			return true // compound has already split words joined by a slash
		case r == '.' || r == ':':
			if i+1 < len(body) && prev != 0 && isASCIILetter(body[i+1]) {
				letterDot = true
			}
		case unicode.IsUpper(r):
			upper = true
			letters++
			hump = hump || unicode.IsLower(prev)
		case unicode.IsLower(r):
			lower = true
			letters++
		case unicode.IsDigit(r):
			digit = true
		}
		prev = r
	}
	switch {
	case hump, letterDot:
		return true
	case digit && letters > 0: // ADR-0003, h2, 4be1f7c, python3
		return true
	case upper && !lower && strings.Contains(body, "-") && digit:
		return true
	}
	return false
}

var abbreviations = map[string]bool{"e.g": true, "i.e": true, "z.b": true, "d.h": true, "u.a": true, "a.m": true, "p.m": true, "vs": true, "o.ä": true, "s.o": true, "u.u": true, "i.d.r": true}

// isWordSlash reports whether body is words joined by a slash, such as "and/or"
// and "Free/Builder", and not a path.
func isWordSlash(body string) bool {
	if strings.Count(body, "/") > 2 || strings.ContainsAny(body, "._@*~$-:{}<>\\") {
		return false
	}
	for i := range len(body) {
		if isDigit(body[i]) {
			return false
		}
	}
	return true
}

func isCallee(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func isASCIILetter(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }
