package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
)

// book is an index of a session for looking up quotations. It is made for one
// call of [Ground] and is not safe for concurrent use.
type book struct {
	lines []transcript.Line
	pages []page // of each line, created on first use
	byN   map[int]int
}

// page is a text without its blanks, with the original offset of each byte.
type page struct {
	made  bool
	text  string
	where []int // offsets into the turn's text, and its length at the end
}

func newBook(s Session) *book {
	b := &book{lines: s.Lines, pages: make([]page, len(s.Lines)), byN: make(map[int]int, len(s.Lines))}
	for i, l := range s.Lines {
		b.byN[l.N] = i
	}
	return b
}

// blank reports whether a quotation may add or omit a character.
func blank(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }

// Squeeze removes the blanks of a text.
func Squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if blank(r) {
			return -1
		}
		return r
	}, s)
}

func (b *book) page(i int) *page {
	p := &b.pages[i]
	if p.made {
		return p
	}
	text := b.lines[i].Text
	var sb strings.Builder
	sb.Grow(len(text))
	p.where = make([]int, 0, len(text)+1)
	for at, r := range text {
		if blank(r) {
			continue
		}
		n := utf8.RuneLen(r)
		if n < 0 {
			n = 1
		}
		for k := range n {
			p.where = append(p.where, at+k)
		}
		sb.WriteString(text[at : at+n])
	}
	p.where = append(p.where, len(text))
	p.text, p.made = sb.String(), true
	return p
}

// shortQuote is the fewest characters of a quotation that counts anywhere. A
// shorter one occurs in half of all turns, so it counts only where it is the
// whole turn.
const shortQuote = 6

// find looks up a quotation in one turn and returns the turn's own words.
func (b *book) find(i int, squeezed string) (string, bool) {
	p := b.page(i)
	at := strings.Index(p.text, squeezed)
	if at < 0 || squeezed == "" || len(squeezed) < shortQuote && p.text != squeezed {
		return "", false
	}
	// The end follows the last byte's offset, not the next byte's: blanks that
	// follow are not quoted.
	return b.lines[i].Text[p.where[at] : p.where[at+len(squeezed)-1]+1], true
}

// locate looks up a quotation, first in the turn that it cites, then in every
// turn from the first on: the first speaker's words count. What a program tells
// its model is no evidence.
func (b *book) locate(q Quote) (Quote, bool) {
	squeezed := Squeeze(q.Text)
	if i, ok := b.byN[q.Turn]; ok && b.lines[i].Role != trace.RoleSystem {
		if text, ok := b.find(i, squeezed); ok {
			return Quote{Turn: q.Turn, Text: text}, true
		}
	}
	for i, l := range b.lines {
		if l.Role == trace.RoleSystem {
			continue
		}
		if text, ok := b.find(i, squeezed); ok {
			return Quote{Turn: l.N, Text: text}, true
		}
	}
	return Quote{}, false
}

// parts returns the pieces of a quotation that omits something in its middle.
func parts(q Quote) []Quote {
	text := strings.NewReplacer("[…]", "\x00", "[...]", "\x00", "…", "\x00", "...", "\x00").Replace(q.Text)
	var list []Quote
	for part := range strings.SplitSeq(text, "\x00") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, Quote{Turn: q.Turn, Text: part})
		}
	}
	return list
}

// cites returns the quotations of an extraction that the session contains. A
// quotation with an omission counts in pieces, and only if every piece is
// found.
func (b *book) cites(quotes []Quote) []Quote {
	var found []Quote
	for _, q := range quotes {
		if hit, ok := b.locate(q); ok {
			found = add(found, hit)
			continue
		}
		pieces := parts(q)
		var hits []Quote
		for _, piece := range pieces {
			if hit, ok := b.locate(piece); ok && utf8.RuneCountInString(Squeeze(piece.Text)) >= shortQuote {
				hits = append(hits, hit)
			}
		}
		if len(pieces) > 1 && len(hits) == len(pieces) {
			for _, hit := range hits {
				found = add(found, hit)
			}
		}
	}
	return found
}

// add appends a quotation unless the list has its words already.
func add(list []Quote, q Quote) []Quote {
	if len(list) >= MaxQuotes {
		return list
	}
	for _, have := range list {
		if have.Turn == q.Turn && strings.Contains(have.Text, q.Text) {
			return list
		}
	}
	return append(list, q)
}

// maxPassage is how many bytes of a line are quoted around a name.
const maxPassage = 240

// Passage returns the line of a text around a position, at most maxPassage
// bytes, cut at blanks.
func Passage(text string, start, end int) string {
	from := strings.LastIndexByte(text[:start], '\n') + 1
	to := len(text)
	if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
		to = end + i
	}
	if room := max(maxPassage-(end-start), 0) / 2; to-from > maxPassage {
		if start-from > room {
			from = start - room
			from += max(strings.IndexAny(text[from:start], " \t")+1, 0)
		}
		if to-end > room {
			to = end + room
			if i := strings.LastIndexAny(text[end:to], " \t"); i >= 0 {
				to = end + i
			}
		}
	}
	return strings.TrimSpace(strings.ToValidUTF8(text[from:to], ""))
}
