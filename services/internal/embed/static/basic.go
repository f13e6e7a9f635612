package static

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The first half of BERT's uncased tokenizer: text becomes words in lower case
// without accents; every punctuation mark and every Chinese character is a word
// of its own. It must agree with the reference to the character, because a table
// row means what the teacher's tokenizer made of a text.

// words cuts text and calls yield with each word. The slice is valid until
// yield returns; words stop when yield returns false.
//
// Bytes that are not UTF-8 are dropped like other control characters, so any
// string is a text.
func words(text string, yield func(word []byte) bool) {
	word := make([]byte, 0, 64)
	flush := func() bool {
		more := len(word) == 0 || yield(word)
		word = word[:0]
		return more
	}
	for i := 0; i < len(text); {
		c := text[i]
		size := 1
		more := true
		switch class := ascii[c]; {
		case class == letter:
			word = append(word, c)
		case class == upper:
			word = append(word, c|0x20)
		case class == space:
			more = flush()
		case class == mark:
			more = flush() && yield(append(word, c))
		case class == beyond:
			var r rune
			r, size = utf8.DecodeRuneInString(text[i:])
			word, more = unicodeWord(word, text[i:i+size], r, flush, yield)
		}
		if !more {
			return
		}
		i += size
	}
	flush()
}

// unicodeWord is the slow path of [words], one rune beyond ASCII. It returns
// the word as it stands then.
func unicodeWord(word []byte, raw string, r rune, flush func() bool, yield func([]byte) bool) ([]byte, bool) {
	switch {
	case r == utf8.RuneError || dropped(r):
		return word, true
	case unicode.IsSpace(r):
		return word[:0], flush()
	case chinese(r):
		if !flush() {
			return word[:0], false
		}
		// Compatibility ideographs decompose to the character that is meant.
		return word[:0], yield(norm.NFD.AppendString(word[:0], raw))
	}
	var room [32]byte
	for _, part := range string(norm.NFD.AppendString(room[:0], raw)) {
		switch {
		case unicode.Is(unicode.Mn, part): // an accent
		case punctuation(part):
			if !flush() || !yield(utf8.AppendRune(word[:0], part)) {
				return word[:0], false
			}
			word = word[:0]
		default:
			word = utf8.AppendRune(word, unicode.ToLower(part))
		}
	}
	return word, true
}

// Classes of bytes.
const (
	gone   = iota // control characters vanish without ending a word
	letter        // and digits: part of a word as they are
	upper
	space
	mark
	beyond // the first byte of something beyond ASCII
)

// ascii classifies bytes. The vertical tab and the form feed are control
// characters to the reference, not blanks.
var ascii = func() (class [256]uint8) {
	for c := range class {
		switch {
		case c >= utf8.RuneSelf:
			class[c] = beyond
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			class[c] = space
		case c < ' ' || c == 0x7f:
			class[c] = gone
		case c >= 'A' && c <= 'Z':
			class[c] = upper
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			class[c] = letter
		default:
			class[c] = mark
		}
	}
	return class
}()

// dropped says that a rune is a control, format, surrogate or private one: it
// vanishes and the letters around it close up, as in "soft\u00adhyphen".
func dropped(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs)
}

func punctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return ascii[byte(r)] == mark
	}
	return unicode.IsPunct(r)
}

// chinese says that a rune is in one of BERT's blocks of ideographs. Kana and
// Hangul are not: they are words like any letters.
func chinese(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0x20000 && r <= 0x2A6DF ||
		r >= 0x2A700 && r <= 0x2B81F || r >= 0x2B820 && r <= 0x2CEAF ||
		r >= 0x2F800 && r <= 0x2FA1F
}
