package own

import (
	"context"
	"slices"

	"github.com/winnowhq/winnow/services/eval"
)

// sibling is a stored fact and a proposal that differs from it in its subject or value.
type sibling struct {
	ID         string `json:"id"`
	Stored     string `json:"stored"`
	Proposal   string `json:"proposal"`
	Label      string `json:"label"` // different, update, conflict, duplicate or extends
	Promotable bool   `json:"promotable"`
	Why        string `json:"why"`
}

// siblingVerdict is a pair with its verdict.
type siblingVerdict struct {
	sibling
	verdict
}

// SiblingFigures say whether another subject makes another fact, and the same subject an
// update, a conflict, a repeat or more detail.
type SiblingFigures struct {
	N                   int            `json:"n"`
	Different           int            `json:"different"`
	DifferentPromoted   *float64       `json:"different_promoted"` // of the promotable
	DifferentPromotable int            `json:"different_promotable"`
	NotMixedUp          *float64       `json:"different_not_mixed_up"` // called neither conflict, update, merge nor duplicate
	ReplacedOrRejected  int            `json:"different_replaced_or_rejected"`
	DifferentByRule     map[string]int `json:"different_by_rule"`
	UpdateRight         *float64       `json:"update_right"`
	UpdateByRule        map[string]int `json:"update_by_rule"`
	ConflictRight       *float64       `json:"conflict_right"`
	ConflictByRule      map[string]int `json:"conflict_by_rule"`
	DuplicateRight      *float64       `json:"duplicate_right"`
	DuplicateByRule     map[string]int `json:"duplicate_by_rule"`
	ExtendsRight        *float64       `json:"extends_right"`
	ExtendsByRule       map[string]int `json:"extends_by_rule"`
	ConflictPromoted    int            `json:"conflict_promoted_beside"`
	Rejected            int            `json:"update_or_extends_rejected"` // conflicts included
}

// mixedUp reports whether a fact about another subject was taken for one about the same.
func (v siblingVerdict) mixedUp() bool {
	return slices.Contains([]string{"conflict", "update", "merge"}, v.Rule) || v.duplicate() || v.Action == reject || v.Action == merge
}

// right reports whether a pair of one subject got the verdict of its label.
func (v siblingVerdict) right() bool {
	switch v.Label {
	case "update":
		return v.Action == merge
	case "conflict":
		return v.Action == review && v.Rule == "conflict"
	case "duplicate":
		return v.Action == reject
	case "extends":
		return v.Action == merge || v.Action == promote
	}
	if v.Promotable {
		return v.Action == promote
	}
	return !v.mixedUp()
}

func (s *scorer) siblings(context.Context) error {
	lines, err := eval.ReadLines[sibling](s.file("siblings.jsonl"))
	if err != nil {
		return err
	}
	var pairs []pair
	for _, l := range lines {
		pairs = append(pairs, pair{l.ID, l.Stored, l.Proposal})
	}
	verdicts, err := s.judgedPairs(pairs)
	if err != nil {
		return err
	}
	by := map[string][]siblingVerdict{}
	for _, l := range lines {
		v := siblingVerdict{l, verdicts[l.ID]}
		by[l.Label] = append(by[l.Label], v)
		if !v.right() {
			s.wrong("siblings", v)
		}
	}
	rule := func(v siblingVerdict) string { return v.Rule }
	right := siblingVerdict.right
	different := by["different"]
	promotable := only(different, func(v siblingVerdict) bool { return v.Promotable })
	f := &SiblingFigures{
		N: len(lines), Different: len(different), DifferentPromotable: len(promotable),
		DifferentPromoted: share(promotable, right), NotMixedUp: share(different, func(v siblingVerdict) bool { return !v.mixedUp() }),
		ReplacedOrRejected: count(different, func(v siblingVerdict) bool { return v.Action == reject || v.Action == merge }),
		DifferentByRule:    tally(different, rule),
		UpdateRight:        share(by["update"], right), UpdateByRule: tally(by["update"], rule),
		ConflictRight: share(by["conflict"], right), ConflictByRule: tally(by["conflict"], rule),
		DuplicateRight: share(by["duplicate"], right), DuplicateByRule: tally(by["duplicate"], rule),
		ExtendsRight: share(by["extends"], right), ExtendsByRule: tally(by["extends"], rule),
		ConflictPromoted: count(by["conflict"], func(v siblingVerdict) bool { return v.Action == promote }),
	}
	for _, label := range []string{"update", "extends", "conflict"} {
		f.Rejected += count(by[label], func(v siblingVerdict) bool { return v.Action == reject })
	}
	s.report.Siblings = f
	return nil
}
