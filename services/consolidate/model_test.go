package consolidate_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/consolidate"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/consolidation/report"
	"github.com/winnowhq/winnow/services/internal/consolidation/trigger"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/llm/llmtest"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// longer says all that timeout says, and more.
const longer = timeout + " The provider's own limit is 45 seconds."

// S4.83, D12, D24: whatever a model does, the run ends, the sources are replaced whole or
// not at all, and no detail is lost without a way to it.
func TestModelFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script llmtest.Script
	}{
		"500 for ever":   {llmtest.Always(llmtest.Fail)},
		"wrong key":      {llmtest.Always(llmtest.Refuse(401, "invalid_api_key"))},
		"it declines":    {llmtest.Always(llmtest.Refusing)},
		"nothing":        {llmtest.Always(llmtest.Empty)},
		"not the form":   {llmtest.Always(llmtest.Malformed)},
		"too much":       {llmtest.Always(llmtest.Huge)},
		"no choices":     {llmtest.Always(llmtest.NoChoices)},
		"another's text": {llmtest.Always(llmtest.Say("TITLE: Tea\nCONTENT: Brew tea for 4 minutes at 95 degrees.\nTAGS: tea\nOUTCOME: success\nSOURCE_ATTRIBUTION: two memories"))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t, consolidate.Hurried(10*time.Millisecond), c.script, func(d *worker.Deps) {
				consolidate.Settings.Change(&d.Settings, func(c *consolidate.Config) { c.RunTimeout = 20 * time.Second })
			})
			ids := r.texts(timeout, longer, migration)
			run, items := r.consolidate(memory.RunOptions{Threshold: 0.6})
			if run.State != memory.RunCompleted || run.Created != 1 || run.Archived != 2 || len(items) != 1 {
				t.Fatalf("run %+v, %+v", run, items)
			}
			made := r.memory(items[0].MemoryID)
			for _, detail := range []string{"30 seconds", "45 seconds"} {
				d, err := report.DetailOf(items[0])
				if err != nil || !strings.Contains(made.Text, detail) && len(d.Redirected) == 0 {
					t.Errorf("%q is in %q and not in %+v, %v", detail, made.Text, d.Redirected, err)
				}
			}
			if strings.Contains(made.Text, "95") || r.memory(ids[0]).SuccessorID != made.ID {
				t.Errorf("made %q", made.Text)
			}
		})
	}
}

// A step that is delivered twice, as every event is here, pays for one answer.
func TestAnswerIsPaidOnce(t *testing.T) {
	t.Parallel()
	answer := "TITLE: Timeout of payments\nCONTENT: " + longer + "\nTAGS: http\nOUTCOME: success\nSOURCE_ATTRIBUTION: two memories about the timeout"
	r := setup(t, consolidate.Definition, llmtest.Always(llmtest.Say(answer)), func(d *worker.Deps) {
		consolidate.Settings.Change(&d.Settings, func(c *consolidate.Config) { c.Workers = 1 }) // two attempts at once may both ask
	})
	r.texts(timeout, longer)
	run, items := r.consolidate(memory.RunOptions{Threshold: 0.6})
	if run.Created != 1 || len(items) != 1 {
		t.Fatalf("run %+v, %+v", run, items)
	}
	requests, questions := r.model.Counts()
	if requests != questions {
		t.Errorf("%d requests for %d questions", requests, questions)
	}
}

// S4.70, S4.71: a run that is out of time ends in part, and tells why; another run beside
// it is not touched.
func TestOutOfTime(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}, 100), make(chan struct{}) // the model never answers in time
	r := setup(t, consolidate.Definition, llmtest.Always(llmtest.Hold(asked, answer, llmtest.Empty)), func(d *worker.Deps) {
		consolidate.Settings.Change(&d.Settings, func(c *consolidate.Config) { c.RunTimeout = 1500 * time.Millisecond })
	})
	t.Cleanup(func() { close(answer) })
	ids := r.texts(timeout, longer)
	run, items := r.ended(r.ask(shop, memory.RunOptions{Threshold: 0.6}))
	if run.State != memory.RunPartial || run.Skipped != 1 || !strings.Contains(run.Reason, "timeout exceeded") || r.states(items) != "merge skipped" {
		t.Errorf("run %+v, %+v", run, items)
	}
	for _, id := range ids {
		if r.memory(id).State != memory.StateActive {
			t.Errorf("%s is not active", id)
		}
	}
}

// S4.70, S1.20: a run that cannot be planned fails with its reason, and its scope is free
// for the next one.
func TestPlanFails(t *testing.T) {
	t.Parallel()
	r := setup(t, consolidate.Definition, nil)
	r.texts(timeout, timeout)
	run, _ := r.consolidate(memory.RunOptions{Threshold: 1.5})
	if run.State != memory.RunFailed || !strings.Contains(run.Reason, "threshold") || len(r.active(shop)) != 2 {
		t.Errorf("run %+v", run)
	}
	if run, _ := r.consolidate(memory.RunOptions{}); run.State != memory.RunCompleted || run.Created != 1 {
		t.Errorf("the next: %+v", run)
	}
}

// D2: nobody makes a run merge what is hardly similar by a low number. The error names the
// field, the least that is allowed and what to do; a dry run may look at it.
func TestLowThresholdIsRefused(t *testing.T) {
	t.Parallel()
	r := setup(t, consolidate.Definition, nil)
	r.texts(timeout, timeout)
	run, _ := r.consolidate(memory.RunOptions{Threshold: 0.59})
	if run.State != memory.RunFailed || len(r.active(shop)) != 2 {
		t.Fatalf("run %+v", run)
	}
	for _, want := range []string{"similarity_threshold: 0.59 is below 0.6", "consolidation.threshold_margin", "dry_run"} {
		if !strings.Contains(run.Reason, want) {
			t.Errorf("%q is not in %q", want, run.Reason)
		}
	}
	if run, _ := r.consolidate(memory.RunOptions{Threshold: 0.1, DryRun: true}); run.State != memory.RunCompleted {
		t.Errorf("a dry run: %+v", run)
	}
	scheduled := r.want(trigger.Wanted{Tenant: tenant, Scope: shop, Strategy: memory.RunSimilar, Trigger: memory.TriggerInterval, Options: memory.RunOptions{Threshold: 0.3}})
	if run, _ := r.ended(scheduled); run.State != memory.RunCompleted {
		t.Errorf("a schedule's own: %+v", run)
	}
	r.texts(migration, migration)
	if run, _ := r.consolidate(memory.RunOptions{Threshold: 0.6, Force: true}); run.State != memory.RunCompleted || run.Created == 0 {
		t.Errorf("the least that is allowed: %+v", run)
	}
}

// Two open runs of a scope would plan the same groups: the store keeps the second out.
func TestOneRunAtATime(t *testing.T) {
	t.Parallel()
	r := setup(t, consolidate.Definition, nil)
	r.texts(timeout, timeout)
	r.ask(shop, memory.RunOptions{})
	_, err := r.Store().Commit(t.Context(), tenant, change.Set{Runs: []memory.Run{{
		ID: "run_01JD0000000000000000000000", Tenant: tenant, Scope: shop, Strategy: memory.RunSimilar, Trigger: memory.TriggerPerson, State: memory.RunRequested,
		RequestedAt: time.Now().UTC(),
	}}}, store.InboxKey{})
	if !errors.Is(err, store.ErrConflict) {
		t.Errorf("a second run: %v", err)
	}
}
