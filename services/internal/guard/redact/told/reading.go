package told

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file takes a sentence apart.

// word is a word of a sentence, without the punctuation around it.
type word struct {
	from, to int
	quoted   bool // stood in quotation marks, of any number of words
	colon    bool // a colon follows
	last     bool // the sentence ends here
}

// sentenceWords returns the words of text[from:to] up to the end of the sentence, at
// most maxWords. What stands in quotation marks is one word.
func sentenceWords(text string, from, to int) []word {
	var out []word
	for at := from; at < to && len(out) < maxWords; {
		switch c := text[at]; {
		case c == ' ' || c == '\t' || c == '*':
			at++
			continue
		case c == '\n' || c == '\r':
			// A value may stand on the next line behind a colon only.
			if len(out) > 0 && !out[len(out)-1].colon || strings.HasPrefix(text[at:], "\n\n") {
				return out
			}
			at++
			continue
		case c == ':' && (at+1 >= len(text) || strings.IndexByte(" \t\n\r*", text[at+1]) >= 0):
			out = append(out, word{from: at, to: at + 1, colon: true})
			at++
			continue
		case c == '=':
			out = append(out, word{from: at, to: at + 1})
			at++
			continue
		}
		if strings.HasPrefix(text[at:], "->") || strings.HasPrefix(text[at:], "=>") {
			out = append(out, word{from: at, to: at + 2})
			at += 2
			continue
		}
		if open, size, end := quotation(text, at, to); open {
			out = append(out, word{from: at + size, to: end, quoted: true})
			_, size = utf8.DecodeRuneInString(text[end:])
			at = end + size
			continue
		}
		end := at
		for end < len(text) && end < at+256 && strings.IndexByte(" \t\r\n", text[end]) < 0 {
			end++
		}
		w := word{from: at, to: end}
		trimmed := strings.TrimRight(text[at:end], ".,;:)]}>\"'`*")
		if rest := text[at+len(trimmed) : end]; rest != "" {
			w.colon = strings.HasSuffix(rest, ":")
			w.last = strings.Contains(rest, ".") && !strings.HasSuffix(rest, ":") || strings.Contains(rest, ";")
			w.to = at + len(trimmed)
		}
		for w.from < w.to && strings.IndexByte("([{\"'`", text[w.from]) >= 0 {
			w.from++
		}
		if w.from < w.to {
			out = append(out, w)
		}
		at = end
	}
	return out
}

// quotation reports whether a quotation of at most 120 bytes on one line begins
// at a byte, the length of its opening mark, and where its closing mark begins.
func quotation(text string, at, limit int) (open bool, size, end int) {
	r, size := utf8.DecodeRuneInString(text[at:])
	closing, ok := closes[r]
	if !ok {
		return false, 0, 0
	}
	rest := text[at+size : min(len(text), at+size+120, limit+60)]
	for i, c := range rest {
		if c == '\n' {
			return false, 0, 0
		}
		if i > 0 && strings.ContainsRune(closing, c) {
			return true, size, at + size + i
		}
	}
	return false, 0, 0
}

// closes maps opening quotation marks to the marks that may close them.
var closes = map[rune]string{'"': `"`, '\'': `'`, '`': "`", '„': "“”\"", '“': "”“\"", '‚': "‘'", '‘': "’'", '«': "»", '»': "«", '”': "”"}

// joinedBefore reports whether a letter or digit stands before a short noun, so
// that it is the end of another word ("spin", "gpw").
func joinedBefore(text string, start int) bool {
	r, _ := utf8.DecodeLastRuneInString(text[:start])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}
