package judge

import (
	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/judge/restate"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// MixedID names the constants of [Mixed]: the mixture, the model of its vectors, and
// the list of opposites. It changes whenever one of them changes a verdict.
const MixedID = "mix-5"

// cosineOffset is subtracted from the mean of words and cosine, because two notes on
// one subject have a higher cosine than share of words. It is the least offset at
// which four of five pairs that only vectors bring to the duplicate point are
// duplicates, in each source of the development data.
const cosineOffset = 0.06

// Mixed compares by words and by meaning, the cosine of the vectors of the static
// table. Words alone suffice as they do for [Lexical]; meaning raises the similarity
// where both agree, and never lowers it. The points are those of lex-5, because the
// scale is: with meaning a pair reaches a point p where words and cosine together
// exceed 2p + 0.12.
//
// Meaning asks a person and never acts. No threshold was found above which pairs that
// words do not prove are duplicates with the certainty that D2 demands: of two
// paraphrases and an edit, the edit is often the nearest.
type Mixed struct{}

// ID returns the calibration id.
func (Mixed) ID() string { return MixedID }

// Source returns "both".
func (Mixed) Source() string { return "both" }

// Points returns those of lex-5.
func (Mixed) Points() Points { return Lexical{}.Points() }

// Compare mixes words and vectors. A text without a vector is compared by its words.
func (Mixed) Compare(a, b *wording.Text) Score {
	s := Lexical{}.Compare(a, b)
	if a.Vector != nil && b.Vector != nil {
		s.Similarity = max(s.Similarity, (s.Similarity+vector.Cosine(a.Vector, b.Vector))/2-cosineOffset)
	}
	return s
}

// Exchanged reads the order of the words, and words that exclude each other. A vector
// cannot do that: "before" and "after" are neighbours in every model. The costly part
// is skipped where no rule could take the two texts for equal.
func (Mixed) Exchanged(a, b *wording.Text, s Score) bool {
	if (Lexical{}).Exchanged(a, b, s) && !reworded(a, b) {
		return true
	}
	near := s.Similarity > lexical.PointCluster || max(s.Forward, s.Backward) >= fullShare
	return near && wording.Opposed(a, b)
}

// The points of [reworded] and of [Mixed.Reworded]. They reject none of the 36 development
// pairs that say something else. Points chosen on one half alone are less strict, and reject
// none of 15 and one of 21 of the other half (ADR 54).
const (
	rewordedCosine = 0.80
	rewordedCopied = 0.40
	ownWordsCopied = 0.20
)

// Reworded reports whether a says in words of its own what b means: nearly no run of
// words is copied, and the vectors agree.
func (Mixed) Reworded(a, b *wording.Text) bool {
	return reworded(a, b) && lexical.Copied(a.Doc, b.Doc) < ownWordsCopied
}

// reworded reports whether a says with sentences of its own what b means. Who edits a
// statement copies its run of words and changes one; who paraphrases it copies few.
// Vectors say that the meaning stayed. Numbers, names, negations and opposites are
// compared elsewhere.
func reworded(a, b *wording.Text) bool {
	return a.Vector != nil && b.Vector != nil && vector.Cosine(a.Vector, b.Vector) >= rewordedCosine && lexical.Copied(a.Doc, b.Doc) < rewordedCopied
}

// Restates takes both texts apart and pairs what they say.
func (Mixed) Restates(a, b *wording.Text) bool { return restate.Holds(a, b) }

// Objects takes both texts apart and looks for what objects.
func (Mixed) Objects(a, b *wording.Text) bool { return restate.Objects(a, b) }
