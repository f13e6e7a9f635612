package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden returns the ranges of bytes of text that carry a message no reader sees:
// tag characters, which mirror ASCII; variation selectors in numbers that no glyph
// needs, each of which can stand for a byte; and rows of characters without width,
// which can stand for bits. Ranges are in order and do not touch. What emoji, flags,
// Han variants and the joiners of Arabic and Indic scripts need is no message.
func Hidden(text string) [][2]int {
	var found [][2]int
	if isASCII(text) {
		return nil
	}
	add := func(from, to int) {
		if n := len(found); n > 0 && found[n-1][1] == from {
			found[n-1][1] = to
			return
		}
		found = append(found, [2]int{from, to})
	}
	before := ' ' // the last character with a shape
	for at := 0; at < len(text); {
		end, kind, n := carriers(text, at)
		if n == 0 {
			r, size := utf8.DecodeRuneInString(text[at:])
			before, at = r, at+size
			continue
		}
		if !kind.needed(text[at:end], n, before) {
			add(at, end)
		}
		at = end
	}
	return found
}

// carrier is a class of characters that can carry hidden data.
type carrier int

const (
	noCarrier carrier = iota
	tags
	selectors
	widthless
)

// carriers returns the end and the length, in characters, of the row of one class
// that begins at at; 0 characters when none begins there.
func carriers(text string, at int) (end int, kind carrier, n int) {
	end = at
	for end < len(text) {
		r, size := utf8.DecodeRuneInString(text[end:])
		k := carrierOf(r)
		if k == noCarrier || n > 0 && k != kind {
			break
		}
		kind, end, n = k, end+size, n+1
	}
	return end, kind, n
}

func carrierOf(r rune) carrier {
	switch {
	case r >= 0xE0000 && r <= 0xE007F:
		return tags
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF:
		return selectors
	case r >= 0x200B && r <= 0x200F, r >= 0x2060 && r <= 0x2064, r == 0xFEFF, r == 0x180E, r == 0x034F:
		return widthless
	}
	return noCarrier
}

// Limits of what writing needs: the longest flag of a region is six tags (🏴 gbeng and
// the end), and two characters without width meet where a joiner follows a mark of
// direction.
const (
	longestFlag   = 6
	mostWidthless = 2
	blackFlag     = '\U0001F3F4'
	endOfTags     = "\U000E007F"
)

// needed reports whether writing needs a row of n characters after the character
// before.
func (k carrier) needed(row string, n int, before rune) bool {
	switch k {
	case tags:
		return before == blackFlag && n <= longestFlag && strings.HasSuffix(row, endOfTags)
	case selectors:
		r, _ := utf8.DecodeRuneInString(row)
		if r >= 0xE0100 {
			return n == 1 && unicode.Is(unicode.Han, before)
		}
		return n == 1
	default:
		return n <= mostWidthless
	}
}

// Visible returns text as it may be shown to a person or a program: without control
// characters other than line breaks and tabs, which includes the escape sequences of
// terminals; without characters that turn the direction of reading; and without hidden
// messages, see [Hidden]. It is idempotent, and returns text itself when there is
// nothing to remove.
func Visible(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
			return -1
		}
		return r
	}, text)
	// Rows that stood apart can make a new one, so one pass is not enough.
	for hidden := Hidden(text); len(hidden) > 0; hidden = Hidden(text) {
		var b strings.Builder
		at := 0
		for _, span := range hidden {
			b.WriteString(text[at:span[0]])
			at = span[1]
		}
		b.WriteString(text[at:])
		text = b.String()
	}
	return text
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
