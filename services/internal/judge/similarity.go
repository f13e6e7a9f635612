package judge

import "github.com/winnowhq/winnow/services/internal/judge/wording"

import "github.com/winnowhq/winnow/services/internal/judge/lexical"

// Points are the operating points of a calibration. Every comparison with them
// is strict: exactly at a point is not similar (D1).
type Points struct {
	Duplicate float64 `yaml:"duplicate"` // says the same
	Cluster   float64 `yaml:"cluster"`   // belongs to one theme
	Loose     float64 `yaml:"loose"`     // is about the same thing
}

// Similarity compares two texts. Its answer depends on the two texts and on
// nothing else, so that a stored decision can be derived again. Implementations
// are safe for concurrent use as far as the texts are not shared.
type Similarity interface {
	// ID names the calibration, such as lex-1; numbers of two ids are never
	// compared.
	ID() string
	// Source says in a word what compares: lexical, embedding or both.
	Source() string
	// Points are the operating points that belong to ID.
	Points() Points
	// Compare returns how alike a and b are; the first is the new text.
	Compare(a, b *wording.Text) Score
	// Exchanged reports that one text reads like the other with a word
	// exchanged, or turned round: alike, and yet not the same statement. s is
	// what Compare said of the two.
	Exchanged(a, b *wording.Text, s Score) bool
}

// Score is how alike two texts are.
type Score struct {
	lexical.Score
	// ByWords is the similarity as far as words prove it, 0–1: at most Similarity.
	// What acts without a person looks at this.
	ByWords float64
}

// Lexical compares by words and character n-grams, without a model (S3.31).
type Lexical struct{}

// ID is the calibration id.
func (Lexical) ID() string { return lexical.CalibrationID }

// Source is "lexical".
func (Lexical) Source() string { return "lexical" }

// Points are the measured operating points of lex-1.
func (Lexical) Points() Points {
	return Points{Duplicate: lexical.PointDuplicate, Cluster: lexical.PointCluster, Loose: lexical.PointLoose}
}

// Compare looks at the words only.
func (Lexical) Compare(a, b *wording.Text) Score {
	s := lexical.Compare(a.Doc, b.Doc)
	return Score{Score: s, ByWords: s.Similarity}
}

// Exchanged looks at the order of the words.
func (Lexical) Exchanged(a, b *wording.Text, _ Score) bool { return lexical.Substituted(a.Doc, b.Doc) }

// SimilarityOf is the best comparison of the texts that the analyzer makes.
func SimilarityOf(a *wording.Analyzer) Similarity {
	if a.Embeds() {
		return Mixed{}
	}
	return Lexical{}
}

// SimilarityByID is the comparison that a decision names; false when the
// analyzer's texts cannot be compared by it, for want of the version or of the
// vectors.
func SimilarityByID(a *wording.Analyzer, id string) (Similarity, bool) {
	switch {
	case id == Lexical{}.ID():
		return Lexical{}, true
	case id == MixedID && a.Embeds():
		return Mixed{}, true
	}
	return nil, false
}
