package wording

import (
	"context"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/judge/subject"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
)

// Text is an analysed text: everything that features and comparisons read of it. It
// is immutable after [Analyzer.Text], except for specifics, stance and duty. Those are
// computed on first use and are not safe for concurrent use; neither is the lane that
// owns the text.
type Text struct {
	Clean  string
	Tokens []memory.Token
	Stamps []bool
	Normal string
	Doc    *lexical.Doc
	// Vector is the embedding of Normal, so that format and case cannot change it. It
	// is nil without an embedder, and for a text without known words.
	Vector []float32
	// Subject is what the text is about.
	Subject subject.Subject
	// Date is the first date in the text, zero without one.
	Date time.Time

	meaning      embed.Embedder // nil without vectors
	specifics    *memory.Specifics
	cachedStance *stance
	duty         duty
}

// Specifics returns the specifics of the text.
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

// Meanings returns the vectors of single words, as of [Text.Vector]; nil where the text has
// none. It costs about a microsecond a word.
func (t *Text) Meanings(words []string) [][]float32 {
	if t.meaning == nil || t.Vector == nil {
		return nil
	}
	vectors, err := t.meaning.Embed(context.Background(), words)
	if err != nil { // only a context could fail
		return nil
	}
	return vectors
}

// duty is what is known of whether a text obliges.
type duty uint8

const (
	dutyUnknown duty = iota
	dutyNone
	dutyStated
)

// Orders reports whether the text itself obliges, advises or orders.
func (t *Text) Orders() bool {
	if t.duty == dutyUnknown {
		t.duty = dutyNone
		if t.readDuty() {
			t.duty = dutyStated
		}
	}
	return t.duty == dutyStated
}

func (t *Text) readDuty() bool {
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

// Slim drops what only the analysis of a new text needs, for the thousands of texts
// in a lane.
func (t *Text) Slim() {
	t.Tokens, t.Stamps = nil, nil
	t.Doc.Slim()
}

// Bytes estimates the memory of a slim text, including what comparisons compute on
// first use.
func (t *Text) Bytes() int {
	const (
		fixed     = 230 // the struct and its allocations
		specifics = 400 // of a text of a few sentences
	)
	return fixed + specifics + len(t.Clean) + len(t.Normal) + 4*len(t.Vector) + t.Doc.Bytes() + t.Subject.Bytes()
}

// Analyzer analyses texts. Safe for concurrent use.
type Analyzer struct {
	words   *lexical.Analyzer
	meaning embed.Embedder // nil: words alone
}

// NewAnalyzer returns an analyzer of words; one for a whole process is enough.
func NewAnalyzer() *Analyzer { return &Analyzer{words: lexical.NewAnalyzer()} }

// NewEmbeddingAnalyzer returns an analyzer of words and meaning. e must be the static
// table, which needs no network and never changes its answer: a verdict waits for it
// and is derived again with it. For an e without vectors it returns [NewAnalyzer].
// The error says that e does not answer; the analyzer is usable then, by words alone.
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

// Embeds reports whether texts get a vector, so that meaning can be compared beside
// words.
func (a *Analyzer) Embeds() bool { return a.meaning != nil }

// Text analyses s.
func (a *Analyzer) Text(s string) *Text {
	t := &Text{Clean: memory.Clean(s)}
	t.Tokens = memory.Scan(t.Clean)
	t.Stamps = memory.Stamps(t.Clean, t.Tokens)
	t.Normal = memory.NormalOf(t.Clean, t.Tokens, t.Stamps)
	t.Doc = a.words.Analyze(t.Tokens, t.Stamps)
	for _, tok := range t.Tokens {
		if at, ok := memory.DateOf(tok); ok {
			t.Date = at
			break
		}
	}
	german := t.Doc.German
	t.Subject = subject.Of(t.Tokens, t.Stamps, german, func(word string, ident bool) uint64 { return a.words.ID(word, ident, german) })
	t.meaning = a.meaning
	if a.meaning != nil {
		// The embedder has answered before, from memory: only a context could fail now.
		if vectors, err := a.meaning.Embed(context.Background(), []string{t.Normal}); err == nil {
			t.Vector = vectors[0]
		}
	}
	return t
}
