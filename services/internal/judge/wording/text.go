package wording

import (
	"context"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
)

// Text is a text taken apart once: everything that features and comparisons
// read from it. It is immutable after [Analyzer.Text]; specifics and stance are
// made on first use and are not safe for concurrent use, like the lane that owns
// it.
type Text struct {
	Clean  string
	Tokens []memory.Token
	Stamps []bool
	Normal string
	Doc    *lexical.Doc
	// Vector is the meaning of Normal, so that format and case cannot change it;
	// nil without an embedder, and where it finds nothing.
	Vector []float32

	specifics *memory.Specifics
	stand     *stance
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

// Orders reports that the text itself obliges, advises or orders.
func (t *Text) Orders() bool {
	full := *t
	if full.Tokens == nil {
		full.Tokens = memory.Scan(t.Clean)
		full.Stamps = memory.Stamps(t.Clean, full.Tokens)
	}
	f := Features{}
	f.wording(&full)
	f.Imperative = imperative(&full)
	return f.Orders()
}

// Slim drops what only the analysis of a new text needs, for the thousands of
// texts that a lane keeps.
func (t *Text) Slim() {
	t.Tokens, t.Stamps = nil, nil
	t.Doc.Slim()
}

// Bytes estimates the memory of a slim text, with what comparisons will make of
// it on first use.
func (t *Text) Bytes() int {
	const (
		fixed     = 200 // the struct and its allocations
		specifics = 400 // of a text of some sentences
	)
	return fixed + specifics + len(t.Clean) + len(t.Normal) + 4*len(t.Vector) + t.Doc.Bytes()
}

// Analyzer takes texts apart. It is safe for concurrent use.
type Analyzer struct {
	words   *lexical.Analyzer
	meaning embed.Embedder // nil compares by words alone
}

// NewAnalyzer returns an analyzer of words; one for a whole process is enough.
func NewAnalyzer() *Analyzer { return &Analyzer{words: lexical.NewAnalyzer()} }

// NewEmbeddingAnalyzer returns an analyzer of words and meaning. e must be the
// static table, which needs no network and whose answer never changes: a verdict
// waits for it and is derived again with it. An e without vectors gives
// [NewAnalyzer]; the error says that e does not answer.
func NewEmbeddingAnalyzer(e embed.Embedder) (*Analyzer, error) {
	a := NewAnalyzer()
	if e == nil || e.Dim() == 0 {
		return a, nil
	}
	if _, err := e.Embed(context.Background(), []string{"probe"}); err != nil {
		return a, fmt.Errorf("embed: %w", err)
	}
	a.meaning = e
	return a, nil
}

// Embeds reports that texts get a vector, so that meaning can be compared beside
// words.
func (a *Analyzer) Embeds() bool { return a.meaning != nil }

// Text analyses s.
func (a *Analyzer) Text(s string) *Text {
	t := &Text{Clean: memory.Clean(s)}
	t.Tokens = memory.Scan(t.Clean)
	t.Stamps = memory.Stamps(t.Clean, t.Tokens)
	t.Normal = memory.NormalOf(t.Clean, t.Tokens, t.Stamps)
	t.Doc = a.words.Analyze(t.Tokens, t.Stamps)
	if a.meaning != nil {
		// It answered before, from memory: what can fail now is a context.
		if vectors, err := a.meaning.Embed(context.Background(), []string{t.Normal}); err == nil {
			t.Vector = vectors[0]
		}
	}
	return t
}
