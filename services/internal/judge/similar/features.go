package similar

import (
	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// Text is a text analysed for comparison. The lexical document computes parts of
// itself on first use, so a Text is not safe for concurrent use.
type Text struct {
	Vector    []float32 // nil when it has no embedding
	Words     *lexical.Doc
	Specifics *memory.Specifics
}

// Read analyses a text. vector may be nil.
func Read(a *lexical.Analyzer, text string, vector []float32) Text {
	text = memory.Clean(text)
	tokens := memory.Scan(text)
	stamps := memory.Stamps(text, tokens)
	return Text{Vector: vector, Words: a.Analyze(tokens, stamps), Specifics: memory.ExtractFrom(text, tokens, stamps)}
}

// Features are what two texts have in common and where they differ. All are
// symmetric, except for the order in which specifics are matched.
type Features struct {
	// Cosine of the vectors, −1–1; meaningless unless Embedded.
	Cosine   float64
	Embedded bool // both texts have a vector
	// Lexical is the similarity by words and character trigrams, 0–1.
	Lexical float64
	// Missing is the share of all specifics (numbers, names, negations, modal verbs,
	// directions) that only one of the texts has, 0–1.
	Missing float64
	// Conflict reports that one slot has two values, or that one text negates the
	// other.
	Conflict bool
}

// Between compares two texts.
func Between(a, b Text) Features {
	f := Features{Lexical: lexical.Compare(a.Words, b.Words).Similarity}
	if a.Vector != nil && b.Vector != nil {
		f.Embedded, f.Cosine = true, vector.Cosine(a.Vector, b.Vector)
	}
	c := memory.Relate(a.Specifics, b.Specifics)
	f.Conflict = c.Relation == memory.RelationConflict
	// The 1 keeps the share below 1 where two texts without other specifics have a
	// single difference.
	f.Missing = float64(c.OnlyA+c.OnlyB) / float64(1+a.Specifics.Len()+b.Specifics.Len())
	return f
}
