package foresight

import (
	"context"
	"fmt"
	"slices"

	"github.com/winnowhq/winnow/services/internal/recall/calibrate"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/session/extract/rules"
)

// What a session is shown: as many lessons as usually fit the start of a session, and the
// first of a search at an error.
const (
	atStart = 10
	atError = 3
)

// Session is one session of a project.
type Session struct {
	Name, Project string
	Task          string // what the first message asks for
	Failures      []rules.Failure
	Lessons       []Lesson
}

// Lesson is a lesson that is in service once its session has ended.
type Lesson struct {
	Title, Description, Text string
	Turns                    []int // of its evidence
}

// Ways in which a lesson is shown.
const (
	ShownAtStart = "start"
	ShownAtError = "error"
)

// Case is an error that an earlier session of the project had run into.
type Case struct {
	Project string `json:"project"`
	Session string `json:"session"`
	Turn    int    `json:"turn"`
	Command string `json:"command"`
	Error   string `json:"error"`
	// Earlier is the last session before with the same error, and Solved says whether any
	// session before had solved it.
	Earlier string `json:"earlier"`
	Solved  bool   `json:"solved"`
	// Lesson is the lesson that teaches of it, empty where none was drawn; Shown is how it
	// would have been shown first, empty for not at all, and Rank its place there, from 1.
	Lesson string `json:"lesson,omitempty"`
	Shown  string `json:"shown,omitempty"`
	Rank   int    `json:"rank,omitempty"`
}

// Report counts the errors of later sessions.
type Report struct {
	Sessions int `json:"sessions"`
	Errors   int `json:"errors"`      // different ones, each session
	Met      int `json:"met_before"`  // of Errors, an earlier session had the same
	Solved   int `json:"solved"`      // of Met, an earlier session had solved it
	Taught   int `json:"with_lesson"` // of Solved, a lesson of that session teaches of it
	Foreseen int `json:"foreseen"`    // of Taught, the lesson would have been shown
	AtStart  int `json:"at_start"`    // of Foreseen, at the session's start already
	// Share is Foreseen of Solved, null without any; Low and High are its 95 % interval.
	Share *float64 `json:"share"`
	Low   float64  `json:"low"`
	High  float64  `json:"high"`
	Cases []Case   `json:"cases"`
}

// Journal takes the sessions of a person in the order of their ends. It is not safe for
// concurrent use.
type Journal struct {
	matcher  *search.Matcher
	projects map[string]*history
	report   Report
}

// history is what the earlier sessions of a project left.
type history struct {
	errors  []met
	lessons []taught
}

type met struct {
	signature map[string]bool
	session   string
	solved    bool
}

// taught is a lesson with the errors that it teaches of.
type taught struct {
	Lesson
	of []map[string]bool
}

// NewJournal returns an empty journal that ranks with a matcher.
func NewJournal(m *search.Matcher) *Journal {
	return &Journal{matcher: m, projects: map[string]*history{}, report: Report{Cases: []Case{}}}
}

// Add looks at the errors of a session as its project's earlier sessions would have let it
// foresee them, and then adds what it leaves. The error is that of the matcher.
func (j *Journal) Add(ctx context.Context, s Session) error {
	h := j.projects[s.Project]
	if h == nil {
		h = &history{}
		j.projects[s.Project] = h
	}
	j.report.Sessions++
	j.report.Errors += len(s.Failures)
	start, err := j.ranked(ctx, h, s.Task, atStart)
	if err != nil {
		return fmt.Errorf("foresight: %w", err)
	}
	for _, f := range s.Failures {
		c, ok := h.before(f)
		if !ok {
			continue
		}
		c.Project, c.Session, c.Turn, c.Command, c.Error = s.Project, s.Name, f.Turn, f.Command, f.Wrong
		if err := j.foresee(ctx, h, start, &c); err != nil {
			return fmt.Errorf("foresight: %w", err)
		}
		j.count(c)
	}
	h.add(s)
	return nil
}

// before returns the case of an error that an earlier session had, if one had.
func (h *history) before(f rules.Failure) (c Case, ok bool) {
	sig := signature(f.Wrong)
	for _, m := range h.errors {
		if same(sig, m.signature) {
			c.Earlier, c.Solved, ok = m.session, c.Solved || m.solved, true
		}
	}
	return c, ok
}

// foresee finds the lesson that teaches of an error and where it would have been shown.
func (j *Journal) foresee(ctx context.Context, h *history, start []int, c *Case) error {
	if !c.Solved {
		return nil
	}
	sig := signature(c.Error)
	teaches := func(n int) bool {
		return slices.ContainsFunc(h.lessons[n].of, func(of map[string]bool) bool { return same(sig, of) })
	}
	for n := range h.lessons {
		if teaches(n) {
			c.Lesson = h.lessons[n].Text
		}
	}
	if c.Lesson == "" {
		return nil
	}
	if at := slices.IndexFunc(start, teaches); at >= 0 {
		c.Shown, c.Rank, c.Lesson = ShownAtStart, at+1, h.lessons[start[at]].Text
		return nil
	}
	found, err := j.ranked(ctx, h, c.Command+"\n"+c.Error, atError)
	if err != nil {
		return err
	}
	if at := slices.IndexFunc(found, teaches); at >= 0 {
		c.Shown, c.Rank, c.Lesson = ShownAtError, at+1, h.lessons[found[at]].Text
	}
	return nil
}

// ranked returns the lessons that a question finds, best first, at most so many.
func (j *Journal) ranked(ctx context.Context, h *history, question string, most int) ([]int, error) {
	if question == "" || len(h.lessons) == 0 {
		return nil, nil
	}
	passages := make([]search.Passage, len(h.lessons))
	order := make([]int, len(h.lessons))
	for i, l := range h.lessons {
		text := l.Text
		if l.Title != "" {
			text = l.Title + "\n" + l.Description + "\n" + l.Text
		}
		passages[i], order[i] = search.Passage{Text: text, Title: l.Title}, i
	}
	signs, err := j.matcher.Match(ctx, question, passages)
	if err != nil || signs == nil || search.Unrelated(signs) {
		return nil, err
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := signs[a].Relevance(signs[a].Match, 0), signs[b].Relevance(signs[b].Match, 0)
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return b - a // the newer one first
	})
	return order[:min(most, len(order))], nil
}

// add adds what a session leaves to later ones.
func (h *history) add(s Session) {
	for _, f := range s.Failures {
		h.errors = append(h.errors, met{signature(f.Wrong), s.Name, f.Solved > 0})
	}
	for _, l := range s.Lessons {
		t := taught{Lesson: l}
		for _, f := range s.Failures {
			// A lesson teaches of an error whose failure, solution or anything between is
			// its evidence.
			if slices.ContainsFunc(l.Turns, func(n int) bool { return n >= f.Turn-1 && n <= max(f.Turn, f.Solved) }) {
				t.of = append(t.of, signature(f.Wrong))
			}
		}
		h.lessons = append(h.lessons, t)
	}
}

func (j *Journal) count(c Case) {
	r := &j.report
	r.Cases = append(r.Cases, c)
	r.Met++
	if c.Solved {
		r.Solved++
	}
	if c.Lesson != "" {
		r.Taught++
	}
	if c.Shown != "" {
		r.Foreseen++
	}
	if c.Shown == ShownAtStart {
		r.AtStart++
	}
}

// Report returns the counts so far, with the share of the solved errors that would have
// been foreseen.
func (j *Journal) Report() Report {
	r := j.report
	r.Cases = slices.Clone(r.Cases)
	share := 0.0
	if r.Solved > 0 {
		share = float64(r.Foreseen) / float64(r.Solved)
		r.Share = &share
	}
	r.Low, r.High = calibrate.Wilson(share, r.Solved)
	return r
}
