package foresight

import (
	"testing"

	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/session/extract/rules"
)

func report(t *testing.T, sessions ...Session) Report {
	t.Helper()
	j := NewJournal(search.NewMatcher(search.NewAnalyzer(), nil))
	for _, s := range sessions {
		if err := j.Add(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	return j.Report()
}

const wrong = "ModuleNotFoundError: No module named 'tomli_w'"

// first is a session that met an error, solved it and left a lesson of it.
func first(project string) Session {
	return Session{
		Name: "one", Project: project, Task: "make the tests run",
		Failures: []rules.Failure{{Turn: 4, Command: "pytest", Wrong: wrong, Solved: 9}},
		Lessons: []Lesson{
			{Title: "Missing tomli_w", Text: "`pytest` failed with “" + wrong + "”. After `pip install .[dev]` it passed.", Turns: []int{4, 7}},
			{Title: "Deploys", Text: "The deploy script needs the region.", Turns: []int{30}},
		},
	}
}

// The lesson of an earlier session is shown at the error, or at the start where the task
// is about it; an error that nobody had met counts as new.
func TestForeseen(t *testing.T) {
	t.Parallel()
	again := Session{Name: "two", Project: "p", Task: "write the release notes", Failures: []rules.Failure{
		{Turn: 3, Command: "pytest", Wrong: wrong}, {Turn: 5, Command: "make", Wrong: "fatal: no rule for target dist"},
	}}
	r := report(t, first("p"), again)
	if r.Errors != 3 || r.Met != 1 || r.Solved != 1 || r.Taught != 1 || r.Foreseen != 1 || r.Share == nil || *r.Share != 1 {
		t.Fatalf("%+v", r)
	}
	if c := r.Cases[0]; c.Earlier != "one" || c.Session != "two" || c.Rank != 1 || c.Lesson == "" {
		t.Errorf("%+v", c)
	}
}

// Another project's lessons are not shown, and what failed in it was not met before here.
func TestAnotherProject(t *testing.T) {
	t.Parallel()
	r := report(t, first("other"), Session{Name: "two", Project: "p", Failures: []rules.Failure{{Turn: 3, Command: "pytest", Wrong: wrong}}})
	if r.Met != 0 || r.Share != nil {
		t.Errorf("%+v", r)
	}
}

// A later session teaches nothing to an earlier one.
func TestOrderOfTime(t *testing.T) {
	t.Parallel()
	r := report(t, Session{Name: "zero", Project: "p", Failures: []rules.Failure{{Turn: 3, Command: "pytest", Wrong: wrong}}}, first("p"))
	if r.Met != 1 || r.Solved != 0 || r.Foreseen != 0 {
		t.Errorf("met by an unsolved session: %+v", r)
	}
}

// An error that was solved without leaving a lesson, and one whose lesson teaches of
// something else, are not foreseen.
func TestSolvedWithoutLesson(t *testing.T) {
	t.Parallel()
	s := first("p")
	s.Lessons = s.Lessons[1:]
	r := report(t, s, Session{Name: "two", Project: "p", Task: "make the tests run", Failures: []rules.Failure{{Turn: 3, Command: "pytest", Wrong: wrong}}})
	if r.Solved != 1 || r.Taught != 0 || r.Foreseen != 0 || *r.Share != 0 {
		t.Errorf("%+v", r)
	}
}

// Two lines are one error where only positions, folders and numbers differ.
func TestSameError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"src/a.go:12:4: undefined: Frobnicate", "/home/x/src/a.go:88:1: undefined: Frobnicate", true},
		{"ERROR: connection to 127.0.0.1:5432 refused", "ERROR: connection to 127.0.0.1:6432 refused", true},
		{"undefined: Frobnicate", "undefined: Parse", false},
		{wrong, "ModuleNotFoundError: No module named 'yaml'", false},
		{"", "", false},
	} {
		if got := same(signature(c.a), signature(c.b)); got != c.want {
			t.Errorf("%q, %q: %v", c.a, c.b, got)
		}
	}
}
