package trigger_test

import (
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/consolidation/trigger"
	"github.com/winnowhq/winnow/services/internal/memory"
)

var now = time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)

// S0.5, S0.61, D15: strictly more memories than the threshold, and the last run a window ago.
func TestShould(t *testing.T) {
	t.Parallel()
	c := trigger.DefaultConfig()
	for name, f := range map[string]struct {
		facts trigger.Facts
		least int
		want  bool
		why   string
	}{
		"at the threshold":           {trigger.Facts{Active: 100}, 0, false, "more than 100"},
		"one more":                   {trigger.Facts{Active: 101}, 0, true, "never"},
		"a day ago to the second":    {trigger.Facts{Active: 101, Last: now.Add(-24 * time.Hour)}, 0, true, "24h"},
		"a second less":              {trigger.Facts{Active: 101, Last: now.Add(-24*time.Hour + time.Second)}, 0, false, "window is 24h"},
		"running":                    {trigger.Facts{Active: 101, Running: true}, 0, false, "not ended"},
		"another threshold":          {trigger.Facts{Active: 11}, 10, true, "more than 10"},
		"at the other threshold":     {trigger.Facts{Active: 10}, 10, false, "more than 10"},
		"an empty store":             {trigger.Facts{}, 0, false, "0 active"},
		"recent, but few":            {trigger.Facts{Active: 3, Last: now}, 0, false, "3 active"},
		"a clock that went backward": {trigger.Facts{Active: 101, Last: now.Add(time.Hour)}, 0, false, "window"},
	} {
		f.facts.Now = now
		if got := c.Should(f.facts, f.least); got.Needed != f.want || !strings.Contains(got.Reason, f.why) {
			t.Errorf("%s: %+v, want %v and %q", name, got, f.want, f.why)
		}
	}
	c.Count = 0
	if got := c.Should(trigger.Facts{Now: now, Active: 1e6}, 0); got.Needed {
		t.Errorf("a trigger that is off asks for a run: %s", got.Reason)
	}
}

// S4.57, S4.60: the window alone, and its setting.
func TestDue(t *testing.T) {
	t.Parallel()
	c := trigger.DefaultConfig()
	c.Window = time.Hour
	for ago, want := range map[time.Duration]bool{time.Minute: false, 59 * time.Minute: false, time.Hour: true, 48 * time.Hour: true} {
		if got := c.Due(trigger.Facts{Now: now, Last: now.Add(-ago)}); got.Needed != want {
			t.Errorf("%s after the last run: %+v", ago, got)
		}
	}
	if got := c.Due(trigger.Facts{Now: now}); !got.Needed {
		t.Errorf("the first run: %+v", got)
	}
}

// D15: slots that were missed are one slot, which every replica computes alike.
func TestIntervalSlot(t *testing.T) {
	t.Parallel()
	s := trigger.DefaultScheduler()
	last := now
	for after, want := range map[time.Duration]time.Duration{
		24 * time.Hour: 24 * time.Hour, 25 * time.Hour: 24 * time.Hour, 47*time.Hour + 59*time.Minute: 24 * time.Hour, 10 * 24 * time.Hour: 240 * time.Hour,
	} {
		if got, ok := s.IntervalSlot(last, last.Add(after)); !ok || !got.Equal(last.Add(want)) {
			t.Errorf("%s later: %s %v, want %s", after, got, ok, last.Add(want))
		}
	}
	for _, early := range []time.Duration{-time.Hour, 0, 24*time.Hour - 1} {
		if got, ok := s.IntervalSlot(last, last.Add(early)); ok {
			t.Errorf("due %s after the last slot: %s", early, got)
		}
	}
}

// The slot of the count follows from the newest run and not from the clock, so that
// replicas that look at different times claim the same one.
func TestCountSlot(t *testing.T) {
	t.Parallel()
	c := trigger.DefaultConfig()
	name, first := c.CountSlot("project:shop", time.Time{})
	again, second := c.CountSlot("project:shop", now)
	if name != again || !second.Equal(now.Add(24*time.Hour)) || !first.Before(second) || first.IsZero() {
		t.Errorf("%s %s, then %s %s", name, first, again, second)
	}
	if other, _ := c.CountSlot("project:api", time.Time{}); other == name {
		t.Errorf("two scopes have the slot %s", name)
	}
}

// S4.67, S0.49: the seeds' defaults, and what is refused.
func TestDefaults(t *testing.T) {
	t.Parallel()
	c, s := trigger.DefaultConfig(), trigger.DefaultScheduler()
	if c.Count != 100 || c.MinCluster != 2 || c.MaxMemories != 1000 || c.MaxAgeDays != 0 || c.Window != 24*time.Hour ||
		c.WeeklySchedule != "0 3 * * 0" || c.WeeklyLeast != 20 || !s.Enabled || s.Interval != 24*time.Hour {
		t.Errorf("defaults %+v, %+v", c, s)
	}
	for field, change := range map[string]func(*trigger.Config, *trigger.Scheduler){
		"interval":               func(_ *trigger.Config, s *trigger.Scheduler) { s.Interval = 0 },
		"similarity_threshold":   func(_ *trigger.Config, s *trigger.Scheduler) { s.Threshold = 1 },
		"memory_count_threshold": func(c *trigger.Config, _ *trigger.Scheduler) { c.Count = -1 },
		"min_cluster_size":       func(c *trigger.Config, _ *trigger.Scheduler) { c.MinCluster = 1 },
		"max_memories":           func(c *trigger.Config, _ *trigger.Scheduler) { c.MaxMemories = 1 },
		"window":                 func(c *trigger.Config, _ *trigger.Scheduler) { c.Window = -1 },
		"weekly_schedule":        func(c *trigger.Config, _ *trigger.Scheduler) { c.WeeklySchedule = "sometimes" },
		"weekly_memories":        func(c *trigger.Config, _ *trigger.Scheduler) { c.WeeklyLeast = -1 },
	} {
		c, s := trigger.DefaultConfig(), trigger.DefaultScheduler()
		change(&c, &s)
		text := ""
		for _, err := range []error{c.Validate(), s.Validate()} {
			if err != nil {
				text += err.Error()
			}
		}
		if !strings.HasPrefix(text, field+": ") {
			t.Errorf("%s: %q", field, text)
		}
	}
}

// S4.79: by hand and by schedule it is the same row and the same event.
func TestRequest(t *testing.T) {
	t.Parallel()
	n := 0
	id := func(prefix string) string { n++; return prefix + strings.Repeat("0", 25) + string(rune('0'+n)) }
	for _, by := range []memory.RunTrigger{memory.TriggerPerson, memory.TriggerInterval, memory.TriggerThreshold, memory.TriggerWeekly} {
		run, set := trigger.Request(trigger.Wanted{
			Tenant: "default", Scope: "project:shop", Strategy: memory.RunSimilar, Trigger: by, Last: now.Add(-time.Hour), At: now,
			Options: memory.RunOptions{DryRun: true},
		}, id)
		if run.State != memory.RunRequested || !run.WindowStart.Equal(now.Add(-time.Hour)) || !run.WindowEnd.Equal(now) || !run.RequestedAt.Equal(now) {
			t.Errorf("%s: run %+v", by, run)
		}
		if len(set.Runs) != 1 || len(set.Events) != 1 || set.Runs[0].ID != run.ID || set.Events[0].Subject != "memory.consolidation.requested" {
			t.Errorf("%s: set %+v", by, set)
		}
	}
}
