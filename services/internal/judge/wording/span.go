package wording

import (
	"slices"

	"github.com/winnowhq/winnow/services/internal/guard/poison"
	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Span is a quoted piece of a session that a proposal rests on, with its role and
// origin.
type Span struct {
	Role   string
	Origin memory.Origin
	Text   string
}

// Roles of spans.
const (
	roleUser = "user"
	roleTool = "tool"
)

// SpansOf returns the spans that a proposal brought itself. Later evidence of the
// same text has no part in its verdict.
func SpansOf(p *memory.Proposal, evidence []memory.Evidence) []Span {
	var out []Span
	for _, e := range evidence {
		if e.ProposalID == p.ID && e.Span != "" {
			out = append(out, Span{e.Role, e.Origin, e.Span})
		}
	}
	return out
}

const (
	// saysAll is the share of a text's words from which a span says what the text
	// says.
	saysAll = 0.8
	// saysSome is the share below which a span does not support a text.
	saysSome = 0.6
)

// spans reads what the quoted words tell about the text: whether a person asked for
// it, and whether it only repeats a tool's output. Words of a file or a page are not
// a lesson, however well they read: an attacker who steers an agent writes them
// there.
func (f *Features) spans(t *Text, spans []Span) {
	printed, said := 0.0, 0.0
	for _, s := range spans {
		tokens := memory.Scan(memory.Clean(s.Text))
		share := covered(t.Tokens, tokens)
		if s.Role == roleTool {
			printed = max(printed, share)
			continue
		}
		said = max(said, share)
		if s.Role == roleUser && s.Origin >= memory.OriginFirstParty && share >= saysAll && asks(tokens) {
			f.Asked = true
		}
	}
	f.Printed = printed >= saysAll && said < saysSome
}

// asks reports whether the words ask for something to be remembered.
func asks(tokens []memory.Token) bool {
	found := false
	wordingBook.match(tokens, language.Of(tokens) == language.German, func(d, at int, _ string) {
		found = found || d == detRemember && tokens[at].Quote == 0
	})
	return found
}

// covered returns the share of a text's distinct words that a span has, 0–1.
func covered(text, span []memory.Token) float64 {
	has := make(map[string]bool, len(span))
	for _, t := range span {
		has[memory.Stem(t.Value)] = true
	}
	var seen []string
	hits := 0
	for _, t := range text {
		w := memory.Stem(t.Value)
		if len(t.Value) < 3 || slices.Contains(seen, w) {
			continue
		}
		seen = append(seen, w)
		if has[w] {
			hits++
		}
	}
	if len(seen) == 0 {
		return 0
	}
	return float64(hits) / float64(len(seen))
}

// label reads title and description, which agents see as well, so they must pass the
// gates against steering that the text passes.
func (f *Features) label(label string) {
	if label == "" {
		return
	}
	for _, hit := range poison.Scan(label) {
		if !slices.Contains(f.Poison, hit.Detector) {
			f.Poison = append(f.Poison, hit.Detector)
		}
	}
	tokens := memory.Scan(memory.Clean(label))
	wordingBook.match(tokens, language.Of(tokens) == language.German, func(d, at int, words string) {
		id := detectors[d].ID
		if (d == detSteering || d == detWarn) && tokens[at].Quote == 0 && f.Cue(id) == "" {
			f.Cues = append(f.Cues, Cue{Detector: id, Words: words})
		}
	})
}

// LabelOf returns a proposal's title and description as one text.
func LabelOf(p *memory.Proposal) string {
	if p.Title == "" || p.Description == "" {
		return p.Title + p.Description
	}
	return p.Title + ". " + p.Description
}
