package own

import (
	"context"

	"github.com/winnowhq/winnow/services/eval"
)

// description is a sentence that tells or obliges.
type description struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	Label string `json:"label"` // fact, or rule, convention, advice, preference, plan
	Note  string `json:"note,omitempty"`
}

type descriptionVerdict struct {
	description
	verdict
}

// DescriptiveFigure says whether facts are told from norms, whatever cue words they have.
type DescriptiveFigure struct {
	N             int            `json:"n"`
	Accuracy      *float64       `json:"accuracy"`
	FactsAsFacts  *float64       `json:"facts_read_as_facts"`
	NormsAsNorms  *float64       `json:"norms_read_as_norms"`
	NormsPromoted int            `json:"norms_promoted"`
	FactsByRule   map[string]int `json:"facts_by_rule"`
	NormsByRule   map[string]int `json:"norms_by_rule"`
}

func (s *scorer) descriptive(context.Context) error {
	lines, err := eval.ReadLines[description](s.file("descriptive.jsonl"))
	if err != nil {
		return err
	}
	var texts []alone
	for _, l := range lines {
		texts = append(texts, alone{id: l.ID, text: l.Text})
	}
	verdicts, err := s.judgedAlone(texts)
	if err != nil {
		return err
	}
	right := func(v descriptionVerdict) bool { return v.norm() != (v.Label == "fact") }
	var all, facts, obliging []descriptionVerdict
	for _, l := range lines {
		v := descriptionVerdict{l, verdicts[l.ID]}
		all = append(all, v)
		if l.Label == "fact" {
			facts = append(facts, v)
		} else {
			obliging = append(obliging, v)
		}
		if !right(v) {
			s.wrong("descriptive", v)
		}
	}
	rule := func(v descriptionVerdict) string { return v.Rule }
	s.report.Descriptive = &DescriptiveFigure{
		N: len(lines), Accuracy: share(all, right), FactsAsFacts: share(facts, right), NormsAsNorms: share(obliging, right),
		NormsPromoted: count(obliging, func(v descriptionVerdict) bool { return v.Action == promote }),
		FactsByRule:   tally(facts, rule), NormsByRule: tally(obliging, rule),
	}
	return nil
}
