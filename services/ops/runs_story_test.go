package ops_test

import (
	"slices"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/ops"
)

// The story of a run has the texts of every step, and that of a memory has its runs.
func TestRunStory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.three("the gateway listens on 8443")
	r, made := b.merged(ids)
	story, err := b.ops.Run(t.Context(), r.ID, 0)
	if err != nil || len(story.Steps) != 1 || len(story.Steps[0].Before) != 3 || len(story.Steps[0].After) != 1 || story.Steps[0].After[0].Text != made[0].Text {
		t.Fatalf("%+v, %v", story, err)
	}
	for _, text := range story.Steps[0].Before {
		if text.Text == "" || text.State != memory.StateArchived || text.Reason != memory.ReasonConsolidated {
			t.Errorf("source %+v", text)
		}
	}
	list, err := b.ops.Runs(t.Context(), ops.RunFilter{Scope: string(scope), State: "completed", Strategy: "similar"})
	if err != nil || len(list) != 1 || list[0].ID != r.ID {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := b.ops.Runs(t.Context(), ops.RunFilter{State: "undone"}); err != nil || len(list) != 0 {
		t.Errorf("undone: %+v, %v", list, err)
	}
	if _, err := b.ops.Runs(t.Context(), ops.RunFilter{Scope: "shop"}); err == nil {
		t.Error("a scope without a kind is accepted")
	}
	weekly, _ := b.week()
	if story, err = b.ops.Run(t.Context(), weekly.ID, 1); err != nil || len(story.Steps) != 1 || len(story.Steps[0].After) != 2 ||
		len(story.Steps[0].Before) != 5 || len(story.Steps[0].Detail.Archives) != 1 {
		t.Errorf("weekly: %+v, %v", story, err)
	}
}

// winnow why tells of a product what it was made of, and of a source what became of
// it, with the run that takes it back.
func TestWhyTellsOfRuns(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.three("the gateway listens on 8443")
	r, made := b.merged(ids)
	runs := func(id string) []ops.StoryStep {
		t.Helper()
		story, err := b.ops.Why(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return story.Runs
	}
	check := func(id string, r memory.Run, isMade bool, into string, sources ...string) {
		t.Helper()
		steps := runs(id)
		if len(steps) != 1 || steps[0].Run != r.ID || steps[0].N != 1 || steps[0].Made != isMade {
			t.Fatalf("%s: %+v", id, steps)
		}
		var names []string
		for _, s := range steps[0].Sources {
			names = append(names, s.ID)
			if s.Text != b.memory(s.ID).Text {
				t.Errorf("%s is told as %q", s.ID, s.Text)
			}
		}
		if !slices.Equal(names, sources) {
			t.Errorf("sources %v, want %v", names, sources)
		}
		if got := steps[0].Into; into == "" && got != nil || into != "" && (got == nil || got.ID != into || got.Text != b.memory(into).Text) {
			t.Errorf("%s: into %+v, want %s", id, got, into)
		}
	}
	check(made[0].ID, r, true, made[0].ID, ids...)
	check(ids[1], r, false, made[0].ID, ids...)
	week, tea := b.week()
	for _, pair := range [][2]string{{tea[0], tea[1]}, {tea[2], tea[3]}} {
		product := b.memory(pair[0]).SuccessorID
		check(product, week, true, product, tea[:5]...)
		check(pair[1], week, false, product, tea[:5]...)
	}
	check(tea[4], week, false, "", tea[:5]...) // dropped
	if steps := runs(tea[5]); len(steps) != 0 {
		t.Errorf("a memory that no run touched: %+v", steps)
	}
	b.undoRun(r, ops.RunUndo{})
	if steps := runs(ids[0]); len(steps) != 1 || steps[0].State != undone {
		t.Errorf("after the undo: %+v", steps)
	}
}
