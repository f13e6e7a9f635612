package own

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/eval"
	"github.com/winnowhq/winnow/services/internal/model/llm"
)

// LessonFigures say what the gate of distillation leaves of the lessons that a strong model
// drew: it must keep what the session bears out and drop what it does not.
type LessonFigures struct {
	Sessions  int            `json:"sessions"`
	Given     int            `json:"given"`
	Kept      int            `json:"kept"`
	Mended    int            `json:"mended"` // of Kept, in the model's second version
	Dropped   int            `json:"dropped"`
	Sentences int            `json:"sentences_cut"` // of lessons that were kept
	Grounding *float64       `json:"grounding"`     // of the kept, by details looked up apart from the gate
	ByReason  map[string]int `json:"lost_by_reason"`
}

// recorded is a model that gives one answer to every question.
type recorded string

// ID implements [llm.Model].
func (recorded) ID() string { return "recorded" }

// Complete implements [llm.Model].
func (r recorded) Complete(context.Context, llm.Question) (llm.Answer, error) {
	return llm.Answer{Text: string(r), Model: r.ID()}, nil
}

func (s *scorer) lessons(ctx context.Context) error {
	files, err := filepath.Glob(filepath.Join(s.dir, "model_answers", "*.json"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("%s: %w", filepath.Join(s.dir, "model_answers"), fs.ErrNotExist)
	}
	slices.Sort(files)
	f := &LessonFigures{ByReason: map[string]int{}}
	grounded := 0.0
	for _, file := range files {
		answer, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		traces, err := filepath.Glob(filepath.Join(s.dir, "traces", name+".*"))
		if err != nil || len(traces) != 1 {
			return fmt.Errorf("%s: %d traces of that name, want one", name, len(traces))
		}
		r, err := eval.Distill(ctx, traces[0], eval.DistillOptions{Model: recorded(answer)})
		if err != nil {
			return err
		}
		m := r.Metrics
		f.Sessions++
		f.Given, f.Kept, f.Mended, f.Sentences = f.Given+m.Given, f.Kept+m.Memories, f.Mended+m.Mended, f.Sentences+m.Sentences
		grounded += m.Grounding * float64(m.Memories)
		for _, l := range r.Lost {
			f.ByReason[l.Reason]++
			s.wrong("lessons", l)
		}
	}
	f.Dropped = f.Given - f.Kept
	if f.Kept > 0 {
		grounded /= float64(f.Kept)
		f.Grounding = &grounded
	}
	s.report.Lessons = f
	return nil
}
