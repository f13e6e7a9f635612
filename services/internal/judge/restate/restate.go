package restate

import (
	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// Objections that a caller asks for.
const (
	ownNumber = "a number of its own"
	ownName   = "a name of its own"
	ownPart   = "a circumstance of its own"
	smallWord = "a small word"
	inOrder   = "copied in order"
	inRuns    = "copied"
	otherDate = "another date"
)

const (
	// minCosine is the cosine below which no two texts are compared here.
	minCosine = 0.45
	// maxInOrder and maxCopied are the shares of words in the same order, and in runs of
	// three, from which one text is an edited copy of the other.
	maxInOrder = 0.7
	maxCopied  = 0.75
	// minPairs is the fewest pairs that prove anything.
	minPairs = 3
	// minLeast and minMost are the shares of the two statements that are paired at least.
	minLeast = 0.5
	minMost  = 0.65
	// muchMore is how many words a statement that has all of the other has of its own at least, to
	// be more than a repeat.
	muchMore = 4
	// allSaid is the share from which nothing is left over that could say what a small
	// word of the other text says.
	allSaid = 0.85
	// unlikely is the weight below which texts that are no copies say different things, for
	// all that their words prove.
	unlikely = -0.3
	// likeliest is the weight from which texts that meet no objection say the same. Of 220
	// pairs of four sets that say something else, as their writers wrote them, none lies
	// between it and 0, and seven repeats do.
	likeliest = -0.3
	// likeliestShort is the same for texts so short that nothing shows who copied whom.
	likeliestShort = 1.8
	// likeliestSameDay is the same for two notes of one day. Of 380 such pairs of eight sets that
	// say something else one meets no objection, and that one lies at -3.7.
	likeliestSameDay = -1.7
)

// Holds reports whether the new text a says again in other words what b says. It is false
// where something objects, where one copies the other, and without vectors.
func Holds(a, b *wording.Text) bool {
	f, objection := compare(a, b)
	if objection != "" {
		return false
	}
	switch {
	case f.short:
		return f.weigh() > likeliestShort
	case f.sameDay:
		return f.weigh() > likeliestSameDay
	}
	return f.weigh() > likeliest
}

// Objects reports whether two texts, however alike, say different things: an opposite, a
// denial, two things exchanged in their places, something that one of the two alone says, or
// too little that is paired. Ask it where they would be taken for equal.
func Objects(a, b *wording.Text) bool {
	if a.Vector == nil || b.Vector == nil {
		return false
	}
	m := match(read(a), read(b))
	if m.contradiction() != "" || m.narrows() {
		return true
	}
	f, objection := m.compare(a, b)
	switch objection {
	case "":
		return f.weigh() < unlikely
	case ownName:
		return left(m.x.units, m.shareX) > 0 // else it is a part of the other
	case ownNumber, smallWord, ownPart:
		return true
	case inOrder, inRuns, otherDate:
		// Who copies a statement and exchanges a word says something else, and so does who says of
		// another day what has a word of its own.
		return (m.x.denials+m.y.denials)%2 == 0 && left(m.x.units, m.shareX) > 0 && left(m.y.units, m.shareY) > 0
	}
	return false
}

// features are what a comparison without objection is weighed by.
type features struct {
	cosine, copied, inOrder float64
	least, most             float64 // share of the weight of either text that has its like
	pairs, left             int     // units that are paired, and that are left over in both texts at least
	conflict                bool    // of the specifics
	opposed, reversed       bool
	altered                 bool
	sameDay                 bool
	short                   bool // too short to show whose words they are
}

// maxProving and maxLeft are the numbers of units from which more prove no more.
const (
	maxProving = 12
	maxLeft    = 3
)

// weigh returns the log odds of a logistic regression, where above 0 a repeat is taken for
// one. The signs of its weights were given. The weights were fitted on the labelled pairs
// that meet no objection, as many repeats as others, most of the others edits of one
// paraphrase beside another; and rounded.
func (f *features) weigh() float64 {
	z := -8.8 + 7.0*f.cosine + 4.1*f.most + 0.8*f.least + 0.3*float64(min(f.pairs, maxProving)) - 0.3*float64(min(f.left, maxLeft)) - 2.4*f.copied - 1.2*f.inOrder
	for _, o := range []struct {
		holds  bool
		weight float64
	}{{f.reversed, 2.7}, {f.conflict, 2.4}, {f.altered, 0.9}, {f.opposed, 0.4}} {
		if o.holds {
			z -= o.weight
		}
	}
	return z
}

// compare returns the features of two texts, or what objects to their saying the same. What
// costs least is asked first.
func compare(a, b *wording.Text) (f features, objection string) {
	return (*matching)(nil).compare(a, b)
}

// compare is the same with the pairing of the two, nil for one that has to be made.
func (m *matching) compare(a, b *wording.Text) (f features, objection string) {
	if a.Vector == nil || b.Vector == nil {
		return f, "no vector"
	}
	if f.cosine = vector.Cosine(a.Vector, b.Vector); f.cosine < minCosine {
		return f, "far"
	}
	c := memory.Relate(a.Specifics(), b.Specifics())
	if c.Foreign {
		return f, "other names"
	}
	if f.inOrder = lexical.InOrder(a.Doc, b.Doc); f.inOrder >= maxInOrder {
		return f, inOrder
	}
	if !lexical.Short(a.Doc, b.Doc) {
		if f.copied = max(lexical.Copied(a.Doc, b.Doc), lexical.Copied(b.Doc, a.Doc)); f.copied >= maxCopied {
			return f, inRuns
		}
	}
	if dated := !a.Date.IsZero() && !b.Date.IsZero(); dated {
		if f.sameDay = a.Date.Equal(b.Date); !f.sameDay {
			return f, otherDate
		}
	}
	if m == nil {
		m = match(read(a), read(b))
	}
	if len(m.pairs) < minPairs {
		return f, "few words"
	}
	if f.least, f.most = m.covered(); f.least < minLeast || f.most < minMost {
		return f, "little in common"
	}
	if objection = m.objection(); objection != "" {
		return f, objection
	}
	if m.narrows() {
		return f, ownPart
	}
	if wording.Gainsays(a, b) || wording.RivalClasses(a, b) || (m.x.denials+m.y.denials)%2 == 0 && wording.Poles(a, b) {
		return f, smallWord
	}
	f.short = lexical.Short(a.Doc, b.Doc)
	if (f.least >= allSaid || f.short) && wording.SmallWordAlone(a, b) {
		return f, "a small word alone"
	}
	more, less := left(m.x.units, m.shareX), left(m.y.units, m.shareY)
	if less == 0 && more >= muchMore {
		return f, ownPart
	}
	f.pairs, f.left = len(m.pairs), min(more, less)
	f.conflict = c.Relation == memory.RelationConflict
	f.opposed = wording.Opposed(a, b)
	f.reversed, f.altered = wording.Reversed(a, b), wording.Altered(a, b)
	return f, ""
}
