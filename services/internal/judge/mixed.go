package judge

import (
	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// MixedID names the constants of [Mixed]: the mixture, the model of its vectors,
// and the list of opposites. It changes whenever one of them changes a verdict.
const MixedID = "mix-1"

// distance is what the mean of words and cosine is lowered by, because two notes
// on one subject have a higher cosine than share of words. It is the least at
// which four of five pairs that only meaning brings to the duplicate point are
// duplicates, in each source of the development data.
const distance = 0.06

// Mixed compares by words and by meaning, the cosine of the vectors of the
// static table. Words alone suffice as they do for [Lexical]; meaning adds where
// the two agree, and never takes away. The points are those of lex-1, because
// the scale is: meaning reaches a point p where words and cosine together exceed
// 2p + 0.12.
//
// Meaning asks, and never acts: no threshold was found above which pairs that
// words do not prove are duplicates with the certainty that D2 demands. Of two
// paraphrases and an edit, the edit is often the nearest.
type Mixed struct{}

// ID is the calibration id.
func (Mixed) ID() string { return MixedID }

// Source is "both".
func (Mixed) Source() string { return "both" }

// Points are those of lex-1.
func (Mixed) Points() Points { return Lexical{}.Points() }

// Compare mixes. Texts without a vector are compared by their words.
func (Mixed) Compare(a, b *wording.Text) Score {
	s := Lexical{}.Compare(a, b)
	if a.Vector != nil && b.Vector != nil {
		s.Similarity = max(s.Similarity, (s.Similarity+vector.Cosine(a.Vector, b.Vector))/2-distance)
	}
	return s
}

// Exchanged looks at the order of the words and at words that exclude each
// other. A vector cannot: "before" and "after" are neighbours in every model.
// The costly part is left out where no rule could take the two for one anyway.
func (Mixed) Exchanged(a, b *wording.Text, s Score) bool {
	if lexical.Substituted(a.Doc, b.Doc) {
		return true
	}
	near := s.Similarity > lexical.PointCluster || max(s.Forward, s.Backward) >= fullShare
	return near && wording.Opposed(a, b)
}
