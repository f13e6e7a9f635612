package api_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/consolidate"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/relay"
)

// ran is the part of a run's answer that tests read.
type ran struct {
	Status, Message string

	RunID     string   `json:"run_id"`
	DryRun    bool     `json:"dry_run"`
	Created   []string `json:"created_memories"`
	Archived  []string `json:"archived_memories"`
	Count     int      `json:"created_count"`
	Skipped   int      `json:"skipped_count"`
	Processed int      `json:"total_processed"`
	Clusters  int      `json:"clusters_found"`
	Refused   int      `json:"refused_count"`
	Duration  float64  `json:"duration_seconds"`
	Report    []string
}

// consolidates runs the consolidation worker and the relay until the test ends.
func (b *bench) consolidates() {
	b.Helper()
	carrier, err := relay.Definition.Run(b.as(relay.Definition))
	if err != nil {
		b.Fatal(err)
	}
	all, err := worker.Build(consolidate.Definition, b.as(consolidate.Definition), time.Minute)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 2)
	for _, r := range []worker.Runner{all, carrier} {
		go func() { ended <- r.Run(ctx) }()
	}
	b.Cleanup(func() {
		cancel()
		for range 2 {
			if err := <-ended; err != nil {
				b.Errorf("run: %v", err)
			}
		}
	})
}

// consolidated calls a tool until its run has ended: on a busy machine the call may end
// before.
func (a *agent) consolidated(tool string, arguments map[string]any) (got ran) {
	a.Helper()
	a.call(tool, arguments, &got)
	for began := time.Now(); got.Status == "running" && time.Since(began) < judgedWithin; {
		id := got.RunID
		got = ran{}
		a.call("run_get", map[string]any{"run_id": id}, &got)
	}
	return got
}

const pool = "Set `pool_max_conns` of the importer to 12: with 4 it stalled at 800 rows/s, with 12 it reached 5200."

// S4.63 to S4.66, S4.85, S4.55, S4.57, S4.58: an agent looks first, merges, finds the one
// memory in place of the others, and is told when another run is too early.
func TestConsolidateProject(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.consolidates()
	a := b.agent("")
	ids := b.remember(memory.DefaultTenant, memory.Memory{Text: pool}, memory.Memory{Text: pool}, memory.Memory{Text: pool},
		memory.Memory{Text: "Invoices are stored for ten years."}, memory.Memory{Text: pool, Scope: "project:other"})
	slices.Sort(ids[:3])

	dry := a.consolidated("memory_consolidate", map[string]any{"project_id": "shop", "dry_run": true})
	if dry.Status != "completed" || !dry.DryRun || dry.Count != 1 || len(dry.Created) != 0 || !slices.Equal(dry.Archived, ids[:3]) || dry.Processed != 4 || dry.Skipped != 1 {
		t.Fatalf("dry run %+v", dry)
	}
	var before answer
	a.call("memory_get", map[string]any{"ids": ids}, &before)
	for _, m := range before.Memories {
		if m.State != "active" {
			t.Errorf("a dry run archived %s", m.ID)
		}
	}

	got := a.consolidated("memory_consolidate", map[string]any{"project_id": "shop"})
	if got.Status != "completed" || len(got.Created) != 1 || !slices.Equal(got.Archived, ids[:3]) || got.Processed != 4 || got.Clusters != 1 || got.Duration <= 0 || len(got.Report) != 1 {
		t.Fatalf("run %+v", got)
	}
	var found answer
	a.call("memory_search", map[string]any{"query": "importer stalls pool_max_conns", "project": "shop"}, &found)
	if seen := found.ids(); len(seen) == 0 || seen[0] != got.Created[0] || slices.ContainsFunc(ids[:3], func(id string) bool { return slices.Contains(seen, id) }) {
		t.Errorf("found %v, want %s and none of its sources", seen, got.Created[0])
	}
	var source answer
	a.call("memory_get", map[string]any{"ids": ids[:1]}, &source)
	if m := source.Memories[0]; m.State != "archived" || m.SuccessorID != got.Created[0] {
		t.Errorf("a source reads %+v", m)
	}

	early := a.consolidated("memory_consolidate", map[string]any{"project_id": "shop"})
	if early.Status != "not_needed" || !strings.Contains(early.Message, "window") || early.RunID != "" || early.Processed != 0 {
		t.Errorf("within the window: %+v", early)
	}
	again := a.consolidated("memory_consolidate", map[string]any{"project_id": "shop", "force": true})
	if again.Status != "completed" || len(again.Created) != 0 || again.Processed != 2 {
		t.Errorf("with force: %+v", again)
	}
}

// S0.65 to S0.67: auto says that it is not needed, force runs, status tells both.
func TestAutoForceAndStatus(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.consolidates()
	a := b.agent("")
	b.remember(memory.DefaultTenant, memory.Memory{Text: pool}, memory.Memory{Text: pool})

	few := a.consolidated("auto_consolidate", map[string]any{"project_id": "shop"})
	if few.Status != "not_needed" || !strings.Contains(few.Message, "more than 100") {
		t.Errorf("two memories: %+v", few)
	}
	if two := a.consolidated("auto_consolidate", map[string]any{"project_id": "shop", "memory_count_threshold": 2}); two.Status != "not_needed" {
		t.Errorf("at the threshold: %+v", two)
	}
	type state struct {
		Memories       int    `json:"memory_count"`
		Threshold      int    `json:"memory_count_threshold"`
		LastRun        string `json:"last_run"`
		Needed         bool
		Recommendation string
		Provider       string `json:"embedding_provider"`
		Warning        string
		History        []struct {
			RunID string `json:"run_id"`
		}
	}
	var s state
	a.call("consolidation_status", map[string]any{"project_id": "shop"}, &s)
	if s.Memories != 2 || s.Threshold != 100 || s.LastRun != "" || s.Needed || s.Recommendation == "" || s.Provider == "" || s.Warning == "" || len(s.History) != 0 {
		t.Errorf("status %+v", s)
	}
	one := a.consolidated("auto_consolidate", map[string]any{"project_id": "shop", "memory_count_threshold": 1})
	if one.Status != "completed" || len(one.Created) != 1 {
		t.Errorf("above it: %+v", one)
	}
	forced := a.consolidated("force_consolidate", map[string]any{"project_id": "shop"})
	if forced.Status != "completed" || forced.RunID == one.RunID || forced.Processed != 1 {
		t.Errorf("force: %+v", forced)
	}
	s = state{}
	a.call("consolidation_status", map[string]any{"project_id": "shop"}, &s)
	if s.LastRun == "" || len(s.History) != 2 || s.History[0].RunID != forced.RunID || s.Memories != 1 {
		t.Errorf("status %+v", s)
	}
}

// S0.69: what is named is merged, and what cannot be is said with the remedy. Another
// tenant's and another user's memories do not exist for the caller.
func TestConsolidateMemories(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.consolidates()
	a := b.agent("")
	ids := b.remember(memory.DefaultTenant, memory.Memory{Text: pool}, memory.Memory{Text: pool + " Since then it is stable."}, memory.Memory{Text: pool, Scope: "project:other"})
	foreign := b.remember(acme, memory.Memory{Text: pool})
	for name, c := range map[string]struct {
		ids  []string
		says string
	}{
		"two scopes":        {[]string{ids[0], ids[2]}, "one scope"},
		"another's":         {[]string{ids[0], foreign[0]}, "no such memory"},
		"the same twice":    {[]string{ids[0], ids[0]}, "two different"},
		"one alone":         {[]string{ids[0]}, "schema"},
		"no id of a memory": {[]string{ids[0], "mem_x"}, "no such memory"},
	} {
		result := a.try("consolidate_memories", map[string]any{"ids": c.ids})
		if !result.IsError || !strings.Contains(said(result), c.says) {
			t.Errorf("%s: %s", name, said(result))
		}
	}
	got := a.consolidated("consolidate_memories", map[string]any{"ids": ids[:2]})
	if got.Status != "completed" || len(got.Created) != 1 || len(got.Archived) != 2 {
		t.Fatalf("run %+v", got)
	}
	if result := a.try("consolidate_memories", map[string]any{"ids": ids[:2]}); !result.IsError || !strings.Contains(said(result), got.Created[0]) {
		t.Errorf("archived ones: %s", said(result))
	}
	other := b.agent(acmeKey)
	if result := other.try("run_get", map[string]any{"run_id": got.RunID}); !result.IsError || !strings.Contains(said(result), "there is no run") {
		t.Errorf("another tenant reads %s", said(result))
	}
}
