package judge

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/judge/subject"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// changeShare is the share of a stored text that a stated change must repeat to be
// about that text. namedShare is enough where it is dated later, both texts name one
// thing, and the old value is one of the stored text; a value of one or two signs, which
// stands there by chance more often, needs likelyShare.
const (
	changeShare = 0.5
	likelyShare = 0.4
	namedShare  = 0.25
)

// changes reports whether one of the transitions starts at a value of the stored text
// and ends at a value that the stored text does not have.
func changes(f *wording.Features, fresh, stored *memory.Specifics, backward float64, later bool) bool {
	if backward < namedShare || backward < changeShare && !later {
		return false
	}
	named := slices.ContainsFunc(f.Anchors, stored.Names)
	for _, tr := range f.Transitions {
		if tr.Old == "" || tr.New == "" || !stored.Names(tr.Old) || stored.Names(tr.New) || otherUnit(tr, fresh, stored) {
			continue
		}
		if backward >= changeShare || named && (len(tr.Old) > 2 || backward >= likelyShare) && !slices.Contains(f.Anchors, tr.Old) {
			return true
		}
	}
	return false
}

// countsOn reports whether a stated change goes from an amount of the stored text to
// another of the same unit.
func countsOn(f *wording.Features, fresh, stored *memory.Specifics) bool {
	return slices.ContainsFunc(f.Transitions, func(tr wording.Transition) bool {
		return slices.ContainsFunc(stored.Values, func(v memory.Detail) bool {
			return v.Text == tr.Old && v.Unit != "" && slices.ContainsFunc(fresh.Values, func(w memory.Detail) bool { return w.Text == tr.New && w.Unit == v.Unit })
		})
	})
}

// movesTo reports whether the proposal states a change and names the new value only:
// "was extended to 30 days".
func movesTo(f *wording.Features, fresh *memory.Specifics) bool {
	return slices.ContainsFunc(f.Transitions, func(tr wording.Transition) bool {
		return tr.Old == "" && tr.New != "" && slices.ContainsFunc(fresh.Values, func(v memory.Detail) bool { return v.Text == tr.New })
	})
}

// later reports whether the proposal is dated, and dated after the stored text. A
// stored text without a date counts as older.
func later(f *wording.Features, t *wording.Text, e *Entry, stored *wording.Text) bool {
	fresh := dateOf(t, f.ObservedAt)
	old := dateOf(stored, e.ObservedAt)
	return !fresh.IsZero() && fresh.After(old)
}

// before reports whether the proposal is dated before the stored text: a change that is
// history to it.
func before(f *wording.Features, t *wording.Text, e *Entry, stored *wording.Text) bool {
	fresh, old := dateOf(t, f.ObservedAt), dateOf(stored, e.ObservedAt)
	return !fresh.IsZero() && fresh.Before(old)
}

// dateOf returns the date in a text, else the one bound to its evidence.
func dateOf(t *wording.Text, observed time.Time) time.Time {
	if !t.Date.IsZero() {
		return t.Date
	}
	return observed
}

// turnsFrom reports whether the proposal says that a value of the stored text changed, and
// both name one thing. A value of one or two signs stands in many texts.
func turnsFrom(f *wording.Features, t, stored *wording.Text) bool {
	if len(f.Transitions) == 0 || subject.Apart(t.Subject, stored.Subject, t.Doc, stored.Doc) {
		return false
	}
	for _, tr := range f.Transitions {
		if len(tr.Old) > 2 && tr.New != "" && stored.Specifics().Names(tr.Old) && slices.ContainsFunc(f.Anchors, stored.Specifics().Names) {
			return true
		}
	}
	return false
}

// otherUnit reports that a number which the proposal calls the old value is, in the stored
// text, a measure of another kind: 35 minutes are not 35 days. Often the unit stands behind
// the new value only.
func otherUnit(tr wording.Transition, fresh, stored *memory.Specifics) bool {
	unit := func(s *memory.Specifics, number string) string {
		for _, v := range s.Values {
			if v.Text == number && memory.IsMeasure(v.Unit) {
				return v.Unit
			}
		}
		return ""
	}
	a, b := cmp.Or(unit(fresh, tr.Old), unit(fresh, tr.New)), unit(stored, tr.Old)
	return a != "" && b != "" && a != b
}

// sharesName reports that both texts have one name that only a machine would write: a path,
// a bucket, a file. A change that names it is about the thing that the stored text names.
func sharesName(fresh, stored *memory.Specifics) bool {
	written := func(d memory.Detail) bool {
		return len(d.Text) > 4 && strings.ContainsAny(d.Text, "/._:") && stored.Names(d.Text)
	}
	return slices.ContainsFunc(fresh.Idents, written) || slices.ContainsFunc(fresh.URLs, func(d memory.Detail) bool {
		return slices.ContainsFunc(stored.URLs, func(o memory.Detail) bool { return o.Text == d.Text })
	})
}
