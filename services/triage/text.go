package triage

import (
	"github.com/winnowhq/winnow/services/internal/lexical"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Text is a text taken apart once: everything that features and comparisons
// read from it. It is immutable after [Analyzer.Text]; the specifics are made
// on first use and are not safe for concurrent use, like the lane that owns it.
type Text struct {
	Clean  string
	Tokens []memory.Token
	Stamps []bool
	Normal string
	Doc    *lexical.Doc

	specifics *memory.Specifics
}

// Specifics of the text.
func (t *Text) Specifics() *memory.Specifics {
	if t.specifics == nil {
		tokens, stamps := t.Tokens, t.Stamps
		if tokens == nil {
			tokens = memory.Scan(t.Clean)
			stamps = memory.Stamps(t.Clean, tokens)
		}
		t.specifics = memory.ExtractFrom(t.Clean, tokens, stamps)
	}
	return t.specifics
}

// orders reports that the text itself obliges, advises or orders.
func (t *Text) orders() bool {
	full := *t
	if full.Tokens == nil {
		full.Tokens = memory.Scan(t.Clean)
		full.Stamps = memory.Stamps(t.Clean, full.Tokens)
	}
	f := Features{}
	f.wording(&full)
	f.Imperative = imperative(&full)
	return f.orders()
}

// slim drops what only the analysis of a new text needs, for the thousands of
// texts that a lane keeps.
func (t *Text) slim() { t.Tokens, t.Stamps = nil, nil }

// Analyzer takes texts apart. It is safe for concurrent use.
type Analyzer struct {
	words *lexical.Analyzer
}

// NewAnalyzer returns an analyzer; one for a whole process is enough.
func NewAnalyzer() *Analyzer { return &Analyzer{words: lexical.NewAnalyzer()} }

// Text analyses s.
func (a *Analyzer) Text(s string) *Text {
	t := &Text{Clean: memory.Clean(s)}
	t.Tokens = memory.Scan(t.Clean)
	t.Stamps = memory.Stamps(t.Clean, t.Tokens)
	t.Normal = memory.NormalOf(t.Clean, t.Tokens, t.Stamps)
	t.Doc = a.words.Analyze(t.Tokens, t.Stamps)
	return t
}
