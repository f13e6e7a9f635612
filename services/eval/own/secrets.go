package own

import (
	"context"
	"fmt"

	"github.com/winnowhq/winnow/services/eval"
)

// SecretFigures say which everyday secrets are replaced, and which clean lines are taken
// for one by any rule.
type SecretFigures struct {
	N             int               `json:"n"`
	Spans         int               `json:"spans"`
	SpanRecall    *float64          `json:"span_recall"`
	LinesAllGone  *float64          `json:"lines_all_gone"`
	Lines         int               `json:"lines"`
	MissedByClass map[string]string `json:"missed_by_class"` // lines with a secret left/lines
	Clean         int               `json:"clean"`
	FalseAlarms   int               `json:"clean_false_alarms_any_rule"`
	FalseByRule   map[string]int    `json:"false_by_rule"`
}

func (s *scorer) secrets(context.Context) error {
	lines, err := eval.ReadLines[eval.SecurityLine](s.file("secrets_everyday.jsonl"))
	if err != nil {
		return err
	}
	suite, err := (&eval.SecuritySet{Lines: lines}).Score(eval.SecurityOptions{Policy: s.opts.Policy, Embedder: s.opts.Retrieval.Embedder})
	if err != nil {
		return err
	}
	kept, fired := map[string]int{}, map[string]string{} // by line
	for _, it := range suite.Items {
		if it.Channel == "secret" {
			kept[it.ID]++
		} else {
			fired[it.ID] = it.Rule // the last one, where several fire
		}
	}
	type faulty struct {
		eval.SecurityLine
		Kept  int    `json:"kept,omitempty"`  // secrets left
		Fired string `json:"fired,omitempty"` // on a clean line
	}
	missed, of := map[string]int{}, map[string]int{}
	f := &SecretFigures{N: len(lines), Spans: suite.N.Secrets, SpanRecall: suite.Metrics.SecretRecall, MissedByClass: map[string]string{}, FalseByRule: map[string]int{}}
	for _, l := range lines {
		if kept[l.ID] > 0 || fired[l.ID] != "" {
			s.wrong("secrets", faulty{l, kept[l.ID], fired[l.ID]})
		}
		if l.Label == "clean" {
			f.Clean++
			if fired[l.ID] != "" {
				f.FalseAlarms++
				f.FalseByRule[fired[l.ID]]++
			}
			continue
		}
		f.Lines++
		of[l.Rule]++
		if kept[l.ID] > 0 {
			missed[l.Rule]++
		}
	}
	left := 0
	for class, n := range missed {
		left += n
		f.MissedByClass[class] = fmt.Sprintf("%d/%d", n, of[class])
	}
	if f.Lines > 0 {
		gone := float64(f.Lines-left) / float64(f.Lines)
		f.LinesAllGone = &gone
	}
	s.report.Secrets = f
	return nil
}
