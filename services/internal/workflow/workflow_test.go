package workflow_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/workflow"
)

func stamped() workflow.Stamp {
	return workflow.Stamp{
		Tenant: "default", Principal: "ann", Actor: memory.ActorPerson, Now: time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC),
		NewID: func(prefix string) string { return prefix + "01JD0000000000000000000000" },
	}
}

// S0.45, S0.28, S0.29: whatever publishers wrote, the section stays within 500 tokens, a
// context within its budget, and a summary within 500 tokens, one memory on each line.
func TestBudgets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringN(0, 700, -1)
		w := memory.Workflow{
			ID: "wf_01JD0000000000000000000000", Status: memory.WorkflowActive, Name: text.Draw(rt, "name"), Description: text.Draw(rt, "description"),
			MemoryCount: rapid.IntRange(0, 1_000_000).Draw(rt, "count"),
		}
		var list []memory.Memory
		for i := range min(w.MemoryCount, rapid.IntRange(0, 60).Draw(rt, "memories")) {
			list = append(list, memory.Memory{
				ID: fmt.Sprintf("mem_%026d", i), Kind: rapid.SampledFrom(memory.Kinds()).Draw(rt, "kind"), Title: text.Draw(rt, "title"), Text: text.Draw(rt, "text"),
			})
		}
		n, shown := 0, 0
		for _, line := range workflow.Section(w, list) {
			n += utf8.RuneCountInString(line.Text) + 1
			if line.MemoryID != "" {
				shown++
			}
			if strings.ContainsAny(line.Text, "\n\r") {
				rt.Fatalf("more than a line: %q", line.Text)
			}
		}
		if n > workflow.SectionBudget || shown != min(5, len(list)) {
			rt.Fatalf("the section has %d characters and %d memories", n, shown)
		}
		budget := rapid.IntRange(100, 8000).Draw(rt, "budget")
		c := workflow.ContextOf(w, list, budget)
		if utf8.RuneCountInString(c.Text) > budget || len(c.MemoryIDs)+c.Omitted != w.MemoryCount {
			rt.Fatalf("%d of %d characters, %d shown and %d omitted of %d", utf8.RuneCountInString(c.Text), budget, len(c.MemoryIDs), c.Omitted, w.MemoryCount)
		}
		s := workflow.Summary(w.MemoryCount, list)
		if utf8.RuneCountInString(s) > 2000 {
			rt.Fatalf("a summary of %d characters", utf8.RuneCountInString(s))
		}
	})
}

// S0.29: memories are grouped by kind in a fixed order, and what is not shown is counted.
func TestSummary(t *testing.T) {
	t.Parallel()
	list := []memory.Memory{
		{Kind: memory.KindStrategy, Title: "Warm up", Text: "Run warm.sh\nfirst."}, {Kind: memory.KindFact, Text: "The port is 8080."}, {Kind: memory.KindFact, Text: "The host is a."},
	}
	want := "4 memories.\nFacts:\n- The port is 8080.\n- The host is a.\nStrategies:\n- Warm up: Run warm.sh first.\n… and 1 not shown."
	if got := workflow.Summary(4, list); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if got := workflow.Summary(0, nil); got != "Completed without a memory." {
		t.Errorf("of none: %q", got)
	}
}

// S0.8, S0.26, S0.27: the status of a workflow follows the table: a completed one stays, repeats change
// nothing, and each change has an audit entry without a word of the workflow.
func TestStatus(t *testing.T) {
	t.Parallel()
	s := stamped()
	w, set, err := workflow.Begin(s, "project:shop", " secret name ", "secret description")
	if err != nil || w.Name != "secret name" || w.Status != memory.WorkflowActive || len(set.Workflows) != 1 || len(set.Audit) != 1 || strings.Contains(fmt.Sprint(set.Audit), "secret") {
		t.Fatalf("%+v, %+v, %v", w, set, err)
	}
	for _, c := range []struct {
		from memory.WorkflowStatus
		do   func(memory.Workflow) (memory.Workflow, int, error)
		to   memory.WorkflowStatus
		n    int
		err  error
	}{
		{memory.WorkflowActive, pause, memory.WorkflowPaused, 1, nil},
		{memory.WorkflowPaused, pause, memory.WorkflowPaused, 0, nil},
		{memory.WorkflowCompleted, pause, memory.WorkflowCompleted, 0, workflow.ErrStatus},
		{memory.WorkflowActive, resume, memory.WorkflowActive, 0, nil},
		{memory.WorkflowPaused, resume, memory.WorkflowActive, 1, nil},
		{memory.WorkflowCompleted, resume, memory.WorkflowCompleted, 0, workflow.ErrStatus},
		{memory.WorkflowActive, complete, memory.WorkflowCompleted, 1, nil},
		{memory.WorkflowPaused, complete, memory.WorkflowCompleted, 1, nil},
		{memory.WorkflowCompleted, complete, memory.WorkflowCompleted, 0, nil},
	} {
		w.Status = c.from
		got, n, err := c.do(w)
		if got.Status != c.to || n != c.n || !errors.Is(err, c.err) {
			t.Errorf("%s: %s with %d updates, %v; want %s, %d, %v", c.from, got.Status, n, err, c.to, c.n, c.err)
		}
	}
	for name, project := range map[string]memory.Scope{"org": "org:acme", "user": "user:ann", "none": ""} {
		if _, _, err := workflow.Begin(s, project, "a", ""); !errors.Is(err, workflow.ErrInput) || !workflow.Refused(err) {
			t.Errorf("%s: %v", name, err) // S0.42
		}
	}
}

func pause(w memory.Workflow) (memory.Workflow, int, error) {
	got, set, err := workflow.Pause(stamped(), w)
	return got, len(set.WorkflowUpdates), err
}

func resume(w memory.Workflow) (memory.Workflow, int, error) {
	got, set, err := workflow.Resume(stamped(), w)
	return got, len(set.WorkflowUpdates), err
}

func complete(w memory.Workflow) (memory.Workflow, int, error) {
	got, set, err := workflow.Complete(stamped(), w, nil)
	return got, len(set.WorkflowUpdates), err
}

// S0.24: left is a workflow in which nothing happened for 30 days, not one with a new memory.
func TestStale(t *testing.T) {
	t.Parallel()
	now := stamped().Now
	w := memory.Workflow{Status: memory.WorkflowActive, UpdatedAt: now.Add(-workflow.StaleAfter - time.Second)}
	if !workflow.Stale(w, nil, now) || workflow.Stale(w, []memory.Memory{{CreatedAt: now.Add(-time.Hour)}}, now) {
		t.Error("stale follows from the newest of update and memory")
	}
	w.UpdatedAt = now.Add(-workflow.StaleAfter)
	if workflow.Stale(w, nil, now) {
		t.Error("exactly 30 days are not more than 30 days")
	}
}
