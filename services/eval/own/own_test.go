package own

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/winnowhq/winnow/services/eval"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/vector/embedded"
)

func offline() Options {
	return Options{Retrieval: eval.RetrievalOptions{Embedder: static.New(), Open: func(ctx context.Context, g vector.Generation) (vector.Index, error) {
		backend, err := embedded.New(embedded.DefaultConfig(), nil)
		if err != nil {
			return nil, err
		}
		if err := backend.Create(ctx, g); err != nil {
			return nil, err
		}
		return backend.Open(ctx, g)
	}}}
}

func scored(t *testing.T, dir string, o Options) *Report {
	t.Helper()
	r, err := Score(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func is(t *testing.T, name string, got *float64, want float64) {
	t.Helper()
	if got == nil || *got != want {
		t.Errorf("%s is %v, want %v", name, got, want)
	}
}

// Every set is scored by its own definition of right: some labels of the fixture are wrong
// on purpose, and each is an error of its set.
func TestEverySet(t *testing.T) {
	t.Parallel()
	r := scored(t, "testdata", offline())
	if len(r.Absent) != 0 {
		t.Fatalf("absent: %v", r.Absent)
	}
	s := r.Siblings
	is(t, "different_promoted", s.DifferentPromoted, 1)
	is(t, "not mixed up", s.NotMixedUp, 1)
	is(t, "update_right", s.UpdateRight, 1)
	is(t, "duplicate_right", s.DuplicateRight, 1)
	is(t, "conflict_right", s.ConflictRight, 0)
	if s.ExtendsRight != nil {
		t.Error("no pair extends another, so its figure has no value")
	}
	is(t, "duplicate_recall", r.Paraphrases.DuplicateRecall, 1)
	if p := r.Paraphrases; p.FalseRejections != 0 || p.Different != 1 {
		t.Errorf("%+v", p)
	}
	is(t, "accuracy", r.Descriptive.Accuracy, 1)
	if p := r.Poison; p.Poison != 1 || p.Harmless != 1 || p.ByOwnChannel["web"] != "0/1" {
		t.Errorf("%+v", p)
	}
	is(t, "span_recall", r.Secrets.SpanRecall, 1)
	if r.Secrets.FalseAlarms != 0 {
		t.Errorf("%+v", r.Secrets)
	}
	if tr := r.Triage2; tr.N != 3 || tr.Severe != 1 || tr.Decided["auto_promote"] != "1/2" || tr.WrongByReason["opinion/synthetic_by_us -> auto_promote"]+tr.WrongByReason["opinion/synthetic_by_us -> fact"] == 0 {
		t.Errorf("%+v", tr)
	}
	if l := r.Lessons; l.Sessions != 1 || l.Given != l.Kept+l.Dropped || l.Kept == 0 || *l.Grounding != 1 {
		t.Errorf("%+v", l)
	}
	if len(r.Errors["siblings"]) != 1 || len(r.Errors["triage2"]) != 1 {
		t.Errorf("errors %v", r.Errors)
	}
}

// A question whose answer is not among the texts is not scored, and one without an answer
// counts in the figures of the floor alone.
func TestQuestionsWithoutAnswers(t *testing.T) {
	t.Parallel()
	o := offline()
	o.Sets = []string{"questions"}
	q := scored(t, "testdata", o).Questions
	if q.N != 1 || q.Unanswerable != 1 || q.AnswerableEmptied != 0 {
		t.Errorf("%+v", q)
	}
	is(t, "hit_at_1", q.HitAt1, 1)
}

// A folder without any set, a set that has no data, and a name that is no set are told
// apart from a perfect score.
func TestNothingToScore(t *testing.T) {
	t.Parallel()
	if _, err := Score(t.Context(), t.TempDir(), offline()); !errors.Is(err, ErrNoSet) {
		t.Errorf("an empty folder: %v", err)
	}
	o := offline()
	o.Sets = []string{"siblings"}
	if _, err := Score(t.Context(), t.TempDir(), o); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a named set without data: %v", err)
	}
	o.Sets = []string{"sibling"}
	if _, err := Score(t.Context(), "testdata", o); !errors.Is(err, ErrNoSet) {
		t.Errorf("an unknown set: %v", err)
	}
	// A single set lies in a folder of its own, too.
	dir := t.TempDir()
	raw, err := os.ReadFile(filepath.Join("testdata", "own", "descriptive.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "descriptive.jsonl"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	r := scored(t, dir, offline())
	if r.Descriptive == nil || !slices.Contains(r.Absent, "siblings") || slices.Contains(r.Absent, "descriptive") {
		t.Errorf("absent %v", r.Absent)
	}
}

// A figure that falls is a regression, one that rises is none, whichever way it counts.
func TestRegressions(t *testing.T) {
	t.Parallel()
	report := func(recall, wrong float64) *Report {
		return &Report{Bars: []Bar{{Set: "a", Figure: "recall", Value: &recall, Want: 0.7}, {Set: "a", Figure: "wrong", Value: &wrong, Want: 1, AtMost: true}}}
	}
	before := report(0.8, 1)
	for _, c := range []struct {
		recall, wrong float64
		want          int
	}{{0.8, 1, 0}, {0.9, 0, 0}, {0.7, 1, 1}, {0.8, 2, 1}, {0.1, 9, 2}} {
		if got := report(c.recall, c.wrong).Regressions(before, 0.005); len(got) != c.want {
			t.Errorf("%v: %v", c, got)
		}
	}
	holds := before.Bars
	if !holds[0].Holds() || !holds[1].Holds() || (Bar{Want: 1, AtMost: true}).Holds() {
		t.Error("a bar holds at its value, and a figure without data holds none")
	}
}
