package restate

import (
	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
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
)

// Holds reports whether the new text a says again in other words what b says. It is false
// where something objects, where one copies the other, and without vectors.
func Holds(a, b *wording.Text) bool {
	f, objection := compare(a, b)
	return objection == "" && f.weigh() > 0
}

// Objects reports whether two texts, however alike, say different things: an opposite, a
// denial, or two things exchanged in their places. Ask it where they would be taken for equal.
func Objects(a, b *wording.Text) bool {
	if a.Vector == nil || b.Vector == nil {
		return false
	}
	m := match(read(a), read(b))
	return m.objection() != ""
}

// features are what a comparison without objection is weighed by.
type features struct {
	cosine, copied, inOrder float64
	least, most             float64 // share of the weight of either text that has its like
	units                   int     // of the shorter text
	conflict                bool    // of the specifics
	rivals, opposed         bool
	reversed, altered       bool
}

// maxUnits is the number of units from which more prove no more.
const maxUnits = 10

// weigh returns the log odds of a logistic regression, where above 0 a repeat is taken for
// one. The signs of its weights were given. The weights were fitted on the labelled pairs
// that meet no objection, as many repeats as others, most of the others edits of one
// paraphrase beside another; and rounded.
func (f *features) weigh() float64 {
	z := -7.7 + 5.2*f.cosine + 3.9*f.most + 1.6*f.least + 0.14*float64(min(f.units, maxUnits)) - 2.2*f.copied - 1.1*f.inOrder
	for _, o := range []struct {
		holds  bool
		weight float64
	}{{f.conflict, 1.9}, {f.rivals, 1.9}, {f.opposed, 1.5}, {f.reversed, 0.9}, {f.altered, 0.9}} {
		if o.holds {
			z -= o.weight
		}
	}
	return z
}

// compare returns the features of two texts, or what objects to their saying the same. What
// costs least is asked first.
func compare(a, b *wording.Text) (f features, objection string) {
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
		return f, "copied in order"
	}
	if f.copied = max(lexical.Copied(a.Doc, b.Doc), lexical.Copied(b.Doc, a.Doc)); f.copied >= maxCopied {
		return f, "copied"
	}
	if !a.Date.IsZero() && !b.Date.IsZero() && !a.Date.Equal(b.Date) {
		return f, "another date"
	}
	m := match(read(a), read(b))
	if len(m.pairs) < minPairs {
		return f, "few words"
	}
	if f.least, f.most = m.covered(); f.least < minLeast || f.most < minMost {
		return f, "little in common"
	}
	if objection = m.objection(); objection != "" {
		return f, objection
	}
	if wording.Gainsays(a, b) {
		return f, "a small word"
	}
	f.units = min(len(m.x.units), len(m.y.units))
	f.conflict = c.Relation == memory.RelationConflict
	f.rivals, f.opposed = wording.RivalClasses(a, b), wording.Opposed(a, b)
	f.reversed, f.altered = wording.Reversed(a, b), wording.Altered(a, b)
	return f, ""
}
