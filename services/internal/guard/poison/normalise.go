package poison

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// normal is a text in the form for which the patterns are written: lower case,
// compatibility forms and look-alikes folded, umlauts spelled out, emphasis
// replaced by blanks, invisible characters removed.
type normal struct {
	text     string
	original string
	// offsets maps each byte of text to the byte of original it came from; nil
	// when the two have the same length.
	offsets []int32
	hidden  []Hit // findings made on the way
}

// span maps a range of the normalised text to the original.
func (n *normal) span(start, end int) Span {
	if n.offsets == nil || start >= end {
		return Span{start, end}
	}
	from, last := int(n.offsets[start]), int(n.offsets[end-1])
	_, size := utf8.DecodeRuneInString(n.original[last:])
	return Span{from, last + size}
}

// normalise returns the normal form of a text, with a fast path for ASCII,
// which most text is.
func normalise(text string) *normal {
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			return normaliseUnicode(text)
		}
	}
	b := make([]byte, len(text))
	for i := 0; i < len(text); i++ {
		b[i] = foldASCII(text[i])
	}
	return &normal{text: string(b), original: text}
}

// foldASCII lowers letters and blanks out emphasis, so that "**ignore**
// previous" reads as two words.
func foldASCII(c byte) byte {
	switch {
	case 'A' <= c && c <= 'Z':
		return c + 'a' - 'A'
	case c == '*' || c == '~':
		return ' '
	}
	return c
}

// normaliseUnicode folds segment by segment, since only segments of the
// compatibility form have a definite place in the original.
func normaliseUnicode(text string) *normal {
	n := &normal{original: text, offsets: make([]int32, 0, len(text))}
	var b strings.Builder
	b.Grow(len(text))
	var it norm.Iter
	it.InitString(norm.NFKC, text)
	if hidden := memory.Hidden(text); len(hidden) > 0 {
		n.report(hiddenMessage, Span{hidden[0][0], hidden[0][1]}, "")
	}
	w := wordState{}
	for !it.Done() {
		at := it.Pos()
		segment := it.Next()
		for len(segment) > 0 {
			r, size := utf8.DecodeRune(segment)
			segment = segment[size:]
			if invisible(r) {
				w.hide(at)
				continue
			}
			w.see(r, at, n)
			before := b.Len()
			writeFolded(&b, r)
			for range b.Len() - before {
				n.offsets = append(n.offsets, int32(at))
			}
		}
	}
	w.see(' ', len(text), n)
	n.text = b.String()
	return n
}

// writeFolded writes the letter that r stands for to a reader.
func writeFolded(b *strings.Builder, r rune) {
	if r < utf8.RuneSelf {
		b.WriteByte(foldASCII(byte(r)))
		return
	}
	r = unicode.ToLower(r)
	if s, ok := spelled[r]; ok {
		b.WriteString(s)
		return
	}
	if c, ok := lookalikes[r]; ok {
		b.WriteByte(c)
		return
	}
	b.WriteRune(r)
}

// spelled are the letters and signs that have a longer ASCII spelling.
var spelled = map[rune]string{
	'ä': "ae", 'ö': "oe", 'ü': "ue", 'ß': "ss", '’': "'", '‘': "'", '“': `"`, '”': `"`, '„': `"`,
	'‐': "-", '‑': "-", '–': "-", '—': "-", '\u00a0': " ", '\u2028': "\n", '\u2029': "\n",
}

// lookalikes are Cyrillic, Greek and Latin letters that look like ASCII ones.
var lookalikes = map[rune]byte{
	'а': 'a', 'в': 'b', 'с': 'c', 'е': 'e', 'һ': 'h', 'і': 'i', 'ј': 'j', 'к': 'k', 'м': 'm', 'н': 'h',
	'о': 'o', 'р': 'p', 'ѕ': 's', 'т': 't', 'у': 'y', 'х': 'x', 'ԁ': 'd', 'ԛ': 'q', 'ԝ': 'w', 'ё': 'e', 'ү': 'y',
	'α': 'a', 'ε': 'e', 'ι': 'i', 'κ': 'k', 'ν': 'v', 'ο': 'o', 'ρ': 'p', 'τ': 't', 'υ': 'u', 'χ': 'x', 'γ': 'y',
	'ı': 'i', 'ɑ': 'a', 'ɡ': 'g', 'ɩ': 'i', 'ᴏ': 'o', 'ⅼ': 'l', 'ʟ': 'l', 'ɪ': 'i', 'ɴ': 'n', 'ʀ': 'r',
}

// invisible reports whether r has no width of its own: joiners, marks of direction,
// soft hyphens, variation selectors and the tag block.
func invisible(r rune) bool {
	switch {
	case r == '\u00ad', r == '\u034f', r == '\u061c', r == '\u180e', r == '\ufeff':
		return true
	case '\u200b' <= r && r <= '\u200f', '\u202a' <= r && r <= '\u202e', '\u2060' <= r && r <= '\u2069':
		return true
	case '\ufe00' <= r && r <= '\ufe0f':
		return true
	}
	return isTag(r)
}

// isTag reports whether r is of the block that mirrors ASCII invisibly.
func isTag(r rune) bool { return 0xe0000 <= r && r <= 0xe007f }
