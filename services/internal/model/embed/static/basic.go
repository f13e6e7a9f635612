package static

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// This file is the first half of BERT's uncased tokenizer: text becomes words in lower
// case without accents; every punctuation mark and every Chinese character is a word of
// its own. It must agree with the reference to the character, because a table row
// stands for a token of the teacher's tokenizer.

// words splits text and calls yield with each word. The slice is valid until yield
// returns; words stops when yield returns false.
//
// Bytes that are not UTF-8 are dropped like other control characters, so any
// string is a text.
func words(text string, yield func(word []byte) bool) {
	s := splitter{word: make([]byte, 0, 64), yield: yield}
	for i := 0; i < len(text) && !s.stopped; {
		c := text[i]
		size := 1
		switch ascii[c] {
		case letter:
			s.word = append(s.word, c)
		case upper:
			s.word = append(s.word, c|0x20)
		case space:
			s.flush()
		case mark:
			s.alone(c)
		case beyond:
			var r rune
			r, size = utf8.DecodeRuneInString(text[i:])
			s.add(r, text[i:i+size])
		}
		i += size
	}
	s.flush()
}

// splitter is the state of splitting a text.
type splitter struct {
	word    []byte // as far as it was read
	room    []byte // for a rune's decomposition
	yield   func([]byte) bool
	stopped bool
}

// flush ends a word.
func (s *splitter) flush() {
	if len(s.word) > 0 && !s.stopped {
		s.stopped = !s.yield(s.word)
	}
	s.word = s.word[:0]
}

// alone makes a word of the character just read.
func (s *splitter) alone(mark ...byte) {
	s.flush()
	s.word = append(s.word, mark...)
	s.flush()
}

// add adds a rune beyond ASCII, whose bytes are raw.
func (s *splitter) add(r rune, raw string) {
	switch {
	case r == utf8.RuneError || dropped(r):
		return
	case unicode.IsSpace(r):
		s.flush()
		return
	}
	s.room = decomposed(s.room[:0], r, raw)
	if chinese(r) {
		// Compatibility ideographs decompose to the intended character.
		s.alone(s.room...)
		return
	}
	for rest := s.room; len(rest) > 0; {
		part, size := utf8.DecodeRune(rest)
		switch {
		case unicode.Is(unicode.Mn, part): // an accent
		case punctuation(part):
			s.alone(rest[:size]...)
		default:
			s.word = utf8.AppendRune(s.word, unicode.ToLower(part))
		}
		rest = rest[size:]
	}
}

// decomposed appends the canonical decomposition of one rune. The tables know
// all but the Korean syllables, which are computed; asking them spares the
// buffers that normalising a string takes.
func decomposed(room []byte, r rune, raw string) []byte {
	if r >= 0xAC00 && r <= 0xD7A3 {
		return norm.NFD.AppendString(room, raw)
	}
	if parts := norm.NFD.PropertiesString(raw).Decomposition(); parts != nil {
		return append(room, parts...)
	}
	return append(room, raw...)
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

// dropped reports whether a rune is a control, format, surrogate or private one, which
// is removed, so that the letters around it join, as in "soft\u00adhyphen".
func dropped(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs)
}

func punctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return ascii[byte(r)] == mark
	}
	return unicode.IsPunct(r)
}

// chinese reports whether a rune is in one of BERT's blocks of ideographs. Kana and
// Hangul are not: they form words like letters.
func chinese(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0x20000 && r <= 0x2A6DF ||
		r >= 0x2A700 && r <= 0x2B81F || r >= 0x2B820 && r <= 0x2CEAF ||
		r >= 0x2F800 && r <= 0x2FA1F
}
