package extract

import (
	"slices"
	"strings"
	"unicode"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// widen adds the passages with the claims that the quotations lack: from the turns
// that are cited already, else from the first turn of the session that has them.
// The turn then counts as evidence with its own authority. A number from another
// turn counts only with a word of its sentence beside it: small numbers stand
// everywhere.
func (b *book) widen(quotes []Quote, text string) []Quote {
	cited := make([]int, 0, len(quotes))
	for _, q := range quotes {
		cited = append(cited, b.byN[q.Turn])
	}
	for _, claim := range newEvidence(quotes).unproved(text) {
		if newEvidence(quotes).has(claim) {
			continue
		}
		if q, ok := b.quoteOf(generalised(claim), cited); ok {
			quotes = add(quotes, q)
			continue
		}
		if parts := nameParts(claim); parts != nil {
			for _, part := range parts {
				if !newEvidence(quotes).has(part) {
					if q, ok := b.quoteOf(generalised(part), append(slices.Clone(cited), b.said()...)); ok {
						quotes = add(quotes, q)
					}
				}
			}
		}
		_, isNumber := number(claim)
		other := generalised(claim)
		for i, l := range b.lines {
			if l.Role == trace.RoleSystem {
				continue
			}
			q, ok := b.quoteOf(other, []int{i})
			if ok && (!isNumber || sharesWord(sentenceWith(text, claim), q.Text)) {
				quotes = add(quotes, q)
				break
			}
		}
	}
	return quotes
}

// said returns the places of all turns in which somebody speaks.
func (b *book) said() (list []int) {
	for i, l := range b.lines {
		if l.Role != trace.RoleSystem {
			list = append(list, i)
		}
	}
	return list
}

// quoteOf returns the passage of the first of some turns that has a claim, or that
// it generalises.
func (b *book) quoteOf(claim general, turns []int) (Quote, bool) {
	for _, i := range turns {
		l := b.lines[i]
		start, end, ok := Within(l.Text, claim.claim)
		if !ok {
			start, end, ok = claim.in(l.Text)
		}
		if ok {
			return Quote{Turn: l.N, Text: Passage(l.Text, start, end)}, true
		}
	}
	return Quote{}, false
}

// sentenceWith returns the sentence of a text that has a claim.
func sentenceWith(text, claim string) string {
	for _, s := range Sentences(text) {
		if _, _, ok := Within(text[s.Start:s.End], claim); ok {
			return text[s.Start:s.End]
		}
	}
	return text
}

// sharesWord reports whether two texts have a word of four letters or more in
// common.
func sharesWord(a, b string) bool {
	split := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) })
	}
	have := split(b)
	return slices.ContainsFunc(split(a), func(w string) bool { return len(w) >= 4 && slices.Contains(have, w) })
}

// pointGone reports whether what was removed carries more of an extraction's title
// than all that is left: the rest would be a lesson about nothing.
func pointGone(e Extraction, gone []Dropped, words *lexical.Analyzer) bool {
	if e.Title == "" || len(gone) == 0 {
		return false
	}
	title := words.Analyze(memory.Scan(e.Title), nil)
	lost, rest := 0.0, 0.0
	for _, s := range Sentences(e.Text) {
		sentence := strings.TrimSpace(e.Text[s.Start:s.End])
		share := lexical.Compare(title, words.Analyze(memory.Scan(sentence), nil)).Forward
		if slices.ContainsFunc(gone, func(d Dropped) bool { return d.Sentence == sentence }) {
			lost = max(lost, share)
		} else {
			rest = max(rest, share)
		}
	}
	return lost > rest
}
