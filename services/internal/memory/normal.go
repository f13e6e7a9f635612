package memory

import (
	"crypto/sha256"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// labels are generic words in the heading of a note that carry no content, as in
// `**Lesson**: …`. Before and After are content and not in the list.
var labels = map[string]bool{
	"discovery": true, "lesson": true, "lessons": true, "learned": true, "impact": true, "problem": true, "solution": true,
	"why": true, "benefit": true, "pattern": true, "note": true, "notes": true, "fact": true, "insight": true, "learning": true,
	"improvement": true, "conclusion": true, "tip": true, "context": true, "result": true, "summary": true, "observation": true,
	"finding": true, "root": true, "cause": true, "fix": true, "strategy": true, "application": true, "gotcha": true, "memory": true,
	"key": true, "takeaway": true, "rule": true, "convention": true, "decision": true, "reason": true, "net": false, "important": true,
	"erkenntnis": true, "lektion": true, "hinweis": true, "lösung": true, "grund": true, "warum": true, "nutzen": true,
	"muster": true, "merke": true, "notiz": true, "fakt": true, "ergebnis": true, "ursache": true, "tipp": true, "regel": true,
	"beobachtung": true, "entscheidung": true, "wichtig": true, "auswirkung": true,
}

// Clean returns the text in NFC without leading formatting: blanks, list markers,
// check boxes and a generic label. The rest of the text is unchanged.
func Clean(text string) string {
	text = strings.TrimSpace(norm.NFC.String(text))
	for {
		rest := strings.TrimSpace(cutMarker(text))
		if rest = cutLabel(rest); rest == text {
			return text
		}
		text = rest
	}
}

// cutMarker strips one list marker: -, *, +, •, 1., a), #, >, [ ] or [x].
func cutMarker(s string) string {
	for _, m := range []string{"- ", "* ", "+ ", "• ", "– ", "— ", "> ", "[ ] ", "[x] ", "[X] ", "· "} {
		if rest, ok := strings.CutPrefix(s, m); ok {
			return rest
		}
	}
	if strings.HasPrefix(s, "#") {
		if rest := strings.TrimLeft(s, "#"); strings.HasPrefix(rest, " ") {
			return rest
		}
	}
	i := 0
	for i < len(s) && i < 3 && isDigit(s[i]) {
		i++
	}
	if i > 0 && i+1 < len(s) && (s[i] == '.' || s[i] == ')') && s[i+1] == ' ' {
		return s[i+2:]
	}
	return s
}

// cutLabel strips a leading generic label, bold or plain: `**Lesson**: `,
// `**Lesson:** `, `Lesson: `. A label of several words counts when every word
// is generic.
func cutLabel(s string) string {
	colon := strings.IndexByte(s, ':')
	if colon < 1 || colon > 32 || strings.ContainsAny(s[:colon], "`(/") {
		return s
	}
	words := strings.Fields(strings.ToLower(strings.Trim(s[:colon], "*_ ")))
	if len(words) == 0 || len(words) > 3 {
		return s
	}
	for _, w := range words {
		if !labels[w] {
			return s
		}
	}
	return strings.TrimSpace(strings.TrimLeft(s[colon+1:], "*_ "))
}

// Normal returns the normal form of a text. Two texts with the same words have the
// same normal form. Blanks, list markers, labels, case, emphasis, backticks, the
// kind of quotation marks, closing punctuation and observation stamps do not
// count.
func Normal(text string) string {
	text = Clean(text)
	tokens := Scan(text)
	return NormalOf(text, tokens, Stamps(text, tokens))
}

// NormalOf is [Normal] for a cleaned and scanned text.
func NormalOf(text string, tokens []Token, stamps []bool) string {
	var b strings.Builder
	b.Grow(len(text))
	from := 0
	for i := 0; i < len(stamps); i++ {
		if !stamps[i] {
			continue
		}
		last := i
		for last+1 < len(stamps) && stamps[last+1] {
			last++
		}
		start, end := unbracket(text, tokens[i].Start, tokens[last].End)
		flatten(&b, text[from:max(from, start)])
		from, i = end, last
	}
	flatten(&b, text[from:])
	s := strings.Join(strings.Fields(b.String()), " ")
	s = strings.TrimLeft(s, ":,;.-)] ")
	s = strings.TrimRight(s, ".!,;: ")
	s = strings.TrimSuffix(s, " on")
	s = cutLabel(s)
	return strings.TrimRight(strings.TrimSpace(s), ".!,;: ")
}

// unbracket extends the range of a stamp by the brackets that hold only the stamp.
func unbracket(text string, start, end int) (int, int) {
	if start > 0 && end < len(text) && (text[start-1] == '(' && text[end] == ')' || text[start-1] == '[' && text[end] == ']') {
		return start - 1, end + 1
	}
	return start, end
}

// flatten writes s in lower case without emphasis and backticks.
func flatten(b *strings.Builder, s string) {
	for i, r := range s {
		switch r {
		case '*':
			if i+1 < len(s) && (s[i+1] == '.' || s[i+1] == '/') || i > 0 && s[i-1] == '/' {
				b.WriteByte('*')
			}
		case '`':
		case '“', '”', '„', '«', '»', '\'', '‘', '’', '‚':
			b.WriteByte('"')
		case '–', '—':
			b.WriteByte('-')
		default:
			if unicode.IsSpace(r) {
				b.WriteByte(' ')
				continue
			}
			b.WriteRune(unicode.ToLower(r))
		}
	}
}

// TextHash names a text as exact comparison sees it: equal for texts whose
// [NormalOf] is equal. The zero value stands for a text of which nothing is left,
// such as a bare date, which equals no other.
type TextHash [16]byte

// HashNormal returns the hash of a normal form.
func HashNormal(normal string) TextHash {
	if normal == "" {
		return TextHash{}
	}
	sum := sha256.Sum256([]byte(normal))
	return TextHash(sum[:16])
}

// HashText returns the hash of a text, scanning it.
func HashText(text string) TextHash {
	clean := Clean(text)
	tokens := Scan(clean)
	return HashNormal(NormalOf(clean, tokens, Stamps(clean, tokens)))
}

// Stem removes common English and German endings from a word. The stemmer is
// simple on purpose: it only needs to map "hardcoded" and "hardcodes" to one stem.
func Stem(w string) string {
	if len(w) < 5 {
		if len(w) == 4 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
			return w[:3]
		}
		return w
	}
	n := len(w) - ending(w)
	switch last := w[len(w)-1]; {
	case n == len(w), last == 'd' && w[n] == 'i', last == 's' && w[n] == 'i':
		return w[:n] // whole, or without "ied" or "ies"
	case (last == 's' || last == 'e') && n == len(w)-1:
		return w[:n]
	case n > 3 && w[n-1] == w[n-2]:
		return w[:n-1] // "stopped"
	}
	return w[:n]
}

// ending returns the length of the longest known ending that leaves three bytes of a word
// of five or more: -ungen, -ing, -ied, -ies, -ed, -en, -es, -er, -em, -s, -e, -y and -n. It
// asks for the last byte first, because it is called for each word of each text that is
// compared.
func ending(w string) int {
	n := len(w)
	before := w[n-2]
	switch w[n-1] {
	case 'g':
		if n > 5 && before == 'n' && w[n-3] == 'i' {
			return 3
		}
		return 0
	case 'd', 's':
		switch {
		case before == 'e' && n > 5 && w[n-3] == 'i':
			return 3
		case before == 'e':
			return 2
		case w[n-1] == 's':
			return 1
		}
		return 0
	case 'n':
		switch {
		case n > 7 && w[n-5:] == "ungen":
			return 5
		case before == 'e':
			return 2
		}
		return 1
	case 'r', 'm':
		if before == 'e' {
			return 2
		}
		return 0
	case 'e', 'y':
		return 1
	}
	return 0
}
