package judge

import (
	"slices"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Points are the operating points of a calibration. Every comparison with them is
// strict: exactly at a point is not similar (D1).
type Points struct {
	Duplicate float64 `yaml:"duplicate"` // says the same
	Cluster   float64 `yaml:"cluster"`   // belongs to one theme
	Loose     float64 `yaml:"loose"`     // is about the same thing
}

// Similarity compares two texts. The answer depends only on the two texts, so that a
// stored decision can be derived again. Implementations are safe for concurrent use
// as long as the texts are not shared.
type Similarity interface {
	// ID names the calibration, such as lex-5. Numbers of two calibrations are never
	// compared.
	ID() string
	// Source names what compares: lexical, embedding or both.
	Source() string
	// Points are the operating points that belong to ID.
	Points() Points
	// Compare returns how alike a and b are; a is the new text.
	Compare(a, b *wording.Text) Score
	// Exchanged reports whether one text reads like the other with a word exchanged,
	// or with two sides swapped: alike, and yet another statement. s is the result of
	// Compare on the two.
	Exchanged(a, b *wording.Text, s Score) bool
	// Reworded reports whether a says in words of its own what b means, as far as a
	// comparison can tell. Specifics and opposites are compared elsewhere.
	Reworded(a, b *wording.Text) bool
	// Restates reports whether a says again in other words all that b says: nothing in
	// either objects. It is costly, and true of no text that copies the other.
	Restates(a, b *wording.Text) bool
	// Objects reports whether two texts that are alike by words and details say different
	// things all the same, as opposites or by things that changed places.
	Objects(a, b *wording.Text) bool
}

// Score is how alike two texts are.
type Score struct {
	lexical.Score
	// ByWords is the similarity that words alone prove, 0–1: at most Similarity.
	// Rules that act without a person read this one.
	ByWords float64
}

// Lexical compares by words and character n-grams, without a model (S3.31).
type Lexical struct{}

// ID returns the calibration id.
func (Lexical) ID() string { return lexical.CalibrationID }

// Source returns "lexical".
func (Lexical) Source() string { return "lexical" }

// Points returns the measured operating points of lex-5.
func (Lexical) Points() Points {
	return Points{Duplicate: lexical.PointDuplicate, Cluster: lexical.PointCluster, Loose: lexical.PointLoose}
}

// Compare reads the words only.
func (Lexical) Compare(a, b *wording.Text) Score {
	s := lexical.Compare(a.Doc, b.Doc)
	return Score{Score: s, ByWords: s.Similarity}
}

// Exchanged reads the order of the words.
func (Lexical) Exchanged(a, b *wording.Text, _ Score) bool {
	return lexical.Substituted(a.Doc, b.Doc) && !memory.SaidOtherwise(a.Specifics(), b.Specifics())
}

// Reworded is false: words alone cannot tell.
func (Lexical) Reworded(_, _ *wording.Text) bool { return false }

// Restates is false: words alone cannot tell.
func (Lexical) Restates(_, _ *wording.Text) bool { return false }

// Objects is false.
func (Lexical) Objects(_, _ *wording.Text) bool { return false }

// SimilarityOf returns the best comparison for the texts that the analyzer makes.
func SimilarityOf(a *wording.Analyzer) Similarity {
	if a.Embeds() {
		return Mixed{}
	}
	return Lexical{}
}

// SimilarityByID returns the comparison that a decision names. It is false when the
// analyzer's texts cannot be compared by it: the version is another, or the vectors
// are missing.
func SimilarityByID(a *wording.Analyzer, id string) (Similarity, bool) {
	switch {
	case id == Lexical{}.ID():
		return Lexical{}, true
	case id == MixedID && a.Embeds():
		return Mixed{}, true
	}
	return nil, false
}

// earlier are the ids of comparisons of earlier versions. Their decisions stay as they
// are; this version cannot derive them again.
var earlier = []string{"lex-1", "mix-1", "lex-2", "mix-2", "lex-3", "mix-3", "lex-4", "mix-4"}

// Earlier reports whether a decision was compared by an earlier version: nothing is
// wrong with it, and a replay would only show what has changed since.
func Earlier(calibration string) bool { return slices.Contains(earlier, calibration) }
