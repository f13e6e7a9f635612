package page

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenKind is the kind of a token of a reply.
type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenNumber
	tokenWord
	tokenColon
	tokenDash
	tokenOther
)

type token struct {
	kind       tokenKind
	number     int     // of a number; maxNumber+1 when it is larger
	word       keyword // of a word; empty for an unknown one
	start, end int     // bytes of the line
}

// maxNumber is the highest number of an item that a reply may name.
const maxNumber = 99

// keyword is the meaning of a word of a reply, in any language.
type keyword string

const (
	wordOK     keyword = "ok"
	wordExcept keyword = "except"
	wordAll    keyword = "all"
	wordYes    keyword = "yes"
	wordNo     keyword = "no"
	wordLater  keyword = "later"
	wordUndo   keyword = "undo"
	wordAnd    keyword = "and"
	wordSpot   keyword = "p"
)

// keywords maps the words of both languages: a person may answer in either.
var keywords = map[string]keyword{
	"ok": wordOK, "okay": wordOK, "passt": wordOK, "einverstanden": wordOK,
	"except": wordExcept, "außer": wordExcept, "ausser": wordExcept,
	"all": wordAll, "alle": wordAll, "alles": wordAll,
	"y": wordYes, "yes": wordYes, "j": wordYes, "ja": wordYes,
	"n": wordNo, "no": wordNo, "nein": wordNo,
	"later": wordLater, "später": wordLater, "spaeter": wordLater,
	"undo": wordUndo, "rückgängig": wordUndo, "rueckgaengig": wordUndo, "zurück": wordUndo, "zurueck": wordUndo,
	"and": wordAnd, "und": wordAnd,
	"p": wordSpot,
}

// composed joins the umlauts that some keyboards send in two characters.
var composed = strings.NewReplacer("a\u0308", "ä", "o\u0308", "ö", "u\u0308", "ü")

// lex splits one line into tokens. Separators such as commas, bullets and quotation
// marks give none.
func lex(line string) []token {
	var out []token
	for pos := 0; pos < len(line); {
		r, size := utf8.DecodeRuneInString(line[pos:])
		t := token{start: pos, end: pos + size}
		switch {
		case r >= '0' && r <= '9':
			t.kind, t.end = tokenNumber, pos+span(line[pos:], func(r rune) bool { return r >= '0' && r <= '9' })
			n, err := strconv.Atoi(line[pos:t.end])
			if t.number = n; err != nil || n > maxNumber {
				t.number = maxNumber + 1
			}
		case unicode.IsLetter(r):
			t.kind, t.end = tokenWord, pos+span(line[pos:], func(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.Mn, r) })
			t.word = keywords[composed.Replace(strings.ToLower(line[pos:t.end]))]
		case r == ':' || r == '：':
			t.kind = tokenColon
		case unicode.Is(unicode.Pd, r) || r == '−':
			t.kind = tokenDash
		case separates(r):
			pos = t.end
			continue
		default:
			t.kind = tokenOther
		}
		out, pos = append(out, t), t.end
	}
	return out
}

func span(s string, in func(rune) bool) int {
	for i, r := range s {
		if !in(r) {
			return i
		}
	}
	return len(s)
}

// separates reports whether a character between the pieces of a reply has no meaning.
func separates(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune(`,.;!/+&|·•*_"'“”„‚‘’«»‹›()[]`+"`\u200b\ufeff", r)
}
