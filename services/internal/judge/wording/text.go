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
	// NamesCause is [subject.NamesCause] of the text.
	NamesCause bool

	meaning      embed.Embedder // nil without vectors
	specifics    *memory.Specifics
	cachedStance *stance
	duty         duty
	room         *Room // nil of a slim text that is not being compared
}

// Room is memory in which the stored texts that one new text is compared with are taken
// apart, one after the other: a slim text keeps its words only. The zero value is ready.
// Not safe for concurrent use.
type Room struct {
	tokens  []memory.Token
	stamps  []bool
	entry   subject.Entry
	kept    any
	scanned bool
	entered bool
}

// Open lends a stored text the memory until [Text.Close]. Without it each question that
// needs the words of a slim text scans them again.
func (t *Text) Open(r *Room) {
	if t.Tokens == nil {
		r.scanned, r.entered, r.kept = false, false, nil
		t.room = r
	}
}

// Close takes the memory back.
func (t *Text) Close() {
	if t.Tokens == nil && t.room != nil {
		t.room.kept = nil
		t.room = nil
	}
}

// Kept returns where a comparison keeps what it made of the text, as long as
// [Text.Scanned] is valid; nil of a slim text that is not open.
func (t *Text) Kept() *any {
	if t.room == nil {
		if t.Tokens == nil {
			return nil
		}
		t.room = &Room{}
	}
	return &t.room.kept
}

// Scanned returns the tokens of the text, and which of them are stamps. Of a text that is
// open they are valid until it is closed.
func (t *Text) Scanned() ([]memory.Token, []bool) {
	switch {
	case t.Tokens != nil:
		return t.Tokens, t.Stamps
	case t.room == nil:
		tokens := memory.Scan(t.Clean)
		return tokens, memory.Stamps(t.Clean, tokens)
	}
	if r := t.room; !r.scanned {
		r.tokens = memory.ScanInto(r.tokens, t.Clean)
		r.stamps, r.scanned = memory.Stamps(t.Clean, r.tokens), true
	}
	return t.room.tokens, t.room.stamps
}

// Entry returns the text as a line of a table. It is valid as long as what
// [Text.Scanned] returns.
func (t *Text) Entry() *subject.Entry {
	r := t.room
	if r == nil {
		r = &Room{}
		if t.Tokens != nil {
			t.room = r
		}
	}
	if !r.entered {
		tokens, stamps := t.Scanned()
		r.entry.Read(t.Clean, tokens, stamps)
		r.entered = true
	}
	return &r.entry
}

// Specifics returns the specifics of the text.
func (t *Text) Specifics() *memory.Specifics {
	if t.specifics == nil {
		tokens, stamps := t.Scanned()
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
	full.Tokens, full.Stamps = t.Scanned()
	f := Features{}
	f.wording(&full)
	f.Imperative = imperative(&full)
	return f.Orders()
}

// Slim drops what only the analysis of a new text needs, for the thousands of texts
// in a lane.
func (t *Text) Slim() {
	t.Tokens, t.Stamps, t.room = nil, nil, nil
	t.Doc.Slim()
}

// Bytes estimates the memory of a slim text, including what comparisons compute on
// first use.
func (t *Text) Bytes() int {
	const (
		fixed     = 240 // the struct and its allocations
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
	t.NamesCause = subject.NamesCause(t.Tokens)
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
