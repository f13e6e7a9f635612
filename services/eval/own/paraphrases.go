package own

import (
	"context"

	"github.com/winnowhq/winnow/services/eval"
)

// paraphrase is a stored text and a proposal in other words.
type paraphrase struct {
	ID       string `json:"id"`
	Ref      string `json:"ref"`
	Stored   string `json:"store_text"`
	Proposal string `json:"proposal"`
	Label    string `json:"label"` // duplicate or different
	Kind     string `json:"kind_of_difference,omitempty"`
}

type paraphraseVerdict struct {
	paraphrase
	verdict
}

// ParaphraseFigures say how many repeats in other words are found, and what is wrongly
// taken for one.
type ParaphraseFigures struct {
	N                int            `json:"n"`
	DuplicateRecall  *float64       `json:"duplicate_recall"`
	Duplicates       int            `json:"duplicates"`
	DuplicatesByRule map[string]int `json:"duplicates_by_rule"`
	FalseRejections  int            `json:"false_rejections"` // of Different
	FalseMerges      int            `json:"false_merges"`
	Different        int            `json:"different"`
	RejectedKinds    map[string]int `json:"rejected_kinds"` // by what differs
}

func (s *scorer) paraphrases(context.Context) error {
	lines, err := eval.ReadLines[paraphrase](s.file("paraphrases.jsonl"))
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
	rejected := func(v paraphraseVerdict) bool { return v.Action == reject }
	var same, different []paraphraseVerdict
	for _, l := range lines {
		v := paraphraseVerdict{l, verdicts[l.ID]}
		if (l.Label == "duplicate") != rejected(v) {
			s.wrong("paraphrases", v)
		}
		if l.Label == "duplicate" {
			same = append(same, v)
		} else {
			different = append(different, v)
		}
	}
	s.report.Paraphrases = &ParaphraseFigures{
		N: len(lines), DuplicateRecall: share(same, rejected), Duplicates: len(same),
		DuplicatesByRule: tally(same, func(v paraphraseVerdict) string { return v.Rule }),
		FalseRejections:  count(different, rejected), Different: len(different),
		FalseMerges:   count(different, func(v paraphraseVerdict) bool { return v.Action == merge }),
		RejectedKinds: tally(only(different, rejected), func(v paraphraseVerdict) string { return v.Kind }),
	}
	return nil
}
