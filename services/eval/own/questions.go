package own

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/winnowhq/winnow/services/eval"
)

// question is asked in other words than the memories that answer it have.
type question struct {
	ID      string   `json:"id"`
	Store   string   `json:"store"`
	Query   string   `json:"query"`
	Answers []string `json:"answers"` // ids of memories, any is right; none where nothing answers
	Lang    string   `json:"lang"`
}

// askedQuestion is a question with the rank of its first answer.
type askedQuestion struct {
	question
	Rank    int      `json:"rank"` // from 1; 99 where it is not among those shown
	Emptied bool     `json:"emptied,omitempty"`
	First   []string `json:"first"` // the ids shown first
}

// QuestionFigures say at which rank an answer stands, and what the floor of relevance
// empties.
type QuestionFigures struct {
	N       int      `json:"n"` // questions with an answer
	HitAt1  *float64 `json:"hit_at_1"`
	HitAt3  *float64 `json:"hit_at_3"`
	HitAt10 *float64 `json:"hit_at_10"`
	English struct {
		N      int      `json:"n"`
		HitAt1 *float64 `json:"hit_at_1"`
		HitAt3 *float64 `json:"hit_at_3"`
	} `json:"english"`
	Unanswerable        int `json:"unanswerable"`
	UnanswerableEmptied int `json:"unanswerable_emptied"`
	AnswerableEmptied   int `json:"answerable_emptied"`
}

// notShown is the rank of an answer that is not among those shown.
const notShown = 99

// memoryLine is a stored text of the sets of proposals.
type memoryLine struct{ ID, Store, Section, Text string }

func (s *scorer) questions(ctx context.Context) error {
	asked, err := eval.ReadLines[question](s.file("questions.jsonl"))
	if err != nil {
		return err
	}
	memories, err := eval.ReadLines[memoryLine](filepath.Join(s.dir, "triage", "triage_memories.jsonl"))
	if err != nil {
		return err
	}
	// Each memory is in a session of its own: what stands beside it in the file was not
	// said beside it.
	var lines []eval.RetrievalLine
	for _, m := range memories {
		lines = append(lines, eval.RetrievalLine{Store: m.Store, ID: m.ID, Title: m.Section, Text: m.Text, Session: m.ID})
	}
	for _, q := range asked {
		lines = append(lines, eval.RetrievalLine{Store: q.Store, QID: q.ID, Query: q.Query, Evidence: q.Answers, Category: "answered"})
	}
	report, err := eval.RetrievalOf(ctx, lines, s.opts.Retrieval)
	if err != nil {
		return err
	}
	items := map[string]*eval.RetrievalItem{}
	for _, it := range report.Items {
		items[it.QID] = it
	}
	var ranked []askedQuestion
	for _, q := range asked {
		it := items[q.ID]
		if it == nil { // its answers are not among the memories
			continue
		}
		a := askedQuestion{question: q, Rank: notShown, Emptied: it.Emptied, First: it.Ranked[:min(3, len(it.Ranked))]}
		if at := slices.IndexFunc(it.Ranked, func(id string) bool { return slices.Contains(q.Answers, id) }); at >= 0 {
			a.Rank = at + 1
		}
		if len(q.Answers) > 0 {
			ranked = append(ranked, a)
		}
		if len(q.Answers) > 0 && a.Rank > 1 || len(q.Answers) == 0 && !a.Emptied {
			s.wrong("questions", a)
		}
	}
	within := func(k int) func(askedQuestion) bool { return func(a askedQuestion) bool { return a.Rank <= k } }
	f := &QuestionFigures{
		N: len(ranked), HitAt1: share(ranked, within(1)), HitAt3: share(ranked, within(3)), HitAt10: share(ranked, within(10)),
		Unanswerable: report.Floor.Unanswerable, UnanswerableEmptied: report.Floor.EmptiedUnanswerable, AnswerableEmptied: report.Floor.EmptiedAnswerable,
	}
	english := only(ranked, func(a askedQuestion) bool { return a.Lang == "en" })
	f.English.N, f.English.HitAt1, f.English.HitAt3 = len(english), share(english, within(1)), share(english, within(3))
	s.report.Questions = f
	return nil
}
