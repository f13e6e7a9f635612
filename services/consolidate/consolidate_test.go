package consolidate_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/consolidate"
	"github.com/winnowhq/winnow/services/internal/consolidation/report"
	"github.com/winnowhq/winnow/services/internal/consolidation/trigger"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall/indexing"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// The same lesson twice in the same words, and another.
const (
	timeout   = "Set the HTTP client timeout to 30 seconds when calling the payment provider."
	migration = "Run database migrations before starting the new release."
	deletion  = "Never delete a customer's invoices: the tax office wants them for ten years."
)

// S4.83, S4.85, S4.52 to S4.54, S4.78, S4.87, S0.4, S0.6, S0.46, S0.47, S0.58: from similar memories
// to one, with the sources as they were, and a way in both directions.
func TestWholeWay(t *testing.T) {
	t.Parallel()
	r := setup(t, consolidate.Definition, nil)
	ids := r.remember(
		note{Text: timeout, Title: "Timeout of payments", Tags: []string{"http"}, Importance: 3}, note{Text: timeout, Tags: []string{"payment"}, Importance: 8},
		note{Text: migration},
	)
	before := r.memory(ids[0])
	run, items := r.consolidate(memory.RunOptions{})
	if run.State != memory.RunCompleted || run.Examined != 3 || run.Created != 1 || run.Archived != 2 || run.Before != 3 || run.After != 2 {
		t.Fatalf("run %+v", run)
	}
	if len(items) != 1 || items[0].State != memory.ItemApplied || !slices.Equal(items[0].Sources, ids[:2]) {
		t.Fatalf("steps %+v", items)
	}
	made := r.memory(items[0].MemoryID)
	if made.State != memory.StateActive || made.SuccessorID != "" || made.Scope != shop || made.Kind != memory.KindStrategy || made.Outcome != "success" {
		t.Errorf("made %+v", made)
	}
	if !slices.Equal(made.Tags, []string{"consolidated", "http", "payment"}) || made.Importance != 8 || !strings.Contains(made.Text, "30 seconds") {
		t.Errorf("made %+v", made)
	}
	for _, id := range ids[:2] {
		if m := r.memory(id); m.State != memory.StateArchived || m.SuccessorID != made.ID || m.ArchiveReason != "consolidated" || m.ArchivedAt.IsZero() {
			t.Errorf("source %+v", m)
		}
	}
	after := r.memory(ids[0])
	after.State, after.ArchivedAt, after.ArchiveReason, after.SuccessorID, after.Version = before.State, before.ArchivedAt, "", "", before.Version
	if !reflect.DeepEqual(before, after) {
		t.Errorf("the source changed:\n%+v\n%+v", before, after)
	}
	if r.memory(ids[2]).State != memory.StateActive {
		t.Error("the memory beside them is gone")
	}
	links, err := r.Store().Links(t.Context(), tenant, made.ID)
	if err != nil || len(links) != 4 {
		t.Fatalf("links %v, %v", links, err)
	}
	for _, l := range links {
		if l.From != made.ID || !slices.Contains(ids[:2], l.To) || l.Kind != memory.LinkConsolidates && l.Kind != memory.LinkSupersedes {
			t.Errorf("link %+v", l)
		}
	}
	// S4.90: the sources are retrievable from the result.
	result := report.ResultOf(run, items, time.Now())
	if !slices.Equal(result.Created, []string{made.ID}) || !slices.Equal(result.Archived, ids[:2]) || result.Skipped != 1 || result.Clusters != 1 {
		t.Errorf("result %+v", result)
	}
}

// D13: running twice changes nothing, also with force, and a third time either. S4.91: ten
// become one.
func TestTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	r := setup(t, consolidate.Definition, nil)
	r.texts(append(slices.Repeat([]string{timeout}, 10), migration, deletion)...)
	run, _ := r.consolidate(memory.RunOptions{})
	if run.Created != 1 || run.Archived != 10 || len(r.active(shop)) != 3 {
		t.Fatalf("run %+v", run)
	}
	before := r.everything()
	for range 2 {
		run, items := r.consolidate(memory.RunOptions{Force: true})
		if len(items) != 0 || run.State != memory.RunCompleted || run.Created != 0 || run.Archived != 0 {
			t.Errorf("again: %+v, %+v", run, items)
		}
	}
	if after := r.everything(); !reflect.DeepEqual(before, after) {
		t.Error("a second run changed memories")
	}
}

// S4.59, S4.66: a dry run changes nothing, says what would be, and is no last run.
func TestDryRun(t *testing.T) {
	t.Parallel()
	r := setup(t, consolidate.Definition, nil)
	ids := r.texts(timeout, timeout, migration)
	before := r.everything()
	run, items := r.consolidate(memory.RunOptions{DryRun: true})
	if run.State != memory.RunCompleted || run.Created != 1 || run.Archived != 2 || len(items) != 1 || items[0].State != memory.ItemPreviewed || items[0].MemoryID != "" {
		t.Errorf("run %+v, %+v", run, items)
	}
	d, err := report.DetailOf(items[0])
	if err != nil || !strings.Contains(d.Text, "30 seconds") || d.Why == "" {
		t.Errorf("detail %+v, %v", d, err)
	}
	if !reflect.DeepEqual(before, r.everything()) {
		t.Error("a dry run changed memories")
	}
	if last, err := r.Store().LastRun(t.Context(), tenant, shop, memory.RunSimilar); err != nil || !last.IsZero() {
		t.Errorf("last run %s, %v", last, err)
	}
	result := report.ResultOf(run, items, time.Now())
	if result.CreatedCount != 1 || len(result.Created) != 0 || !slices.Equal(result.Archived, ids[:2]) || !strings.Contains(result.Message, "would merge") {
		t.Errorf("result %+v", result)
	}
	// S4.65: then the same for good.
	if run, _ := r.consolidate(memory.RunOptions{}); run.Created != 1 || run.Archived != 2 {
		t.Errorf("for good: %+v", run)
	}
}

// S0.64: an empty store, a single memory, and no clusters.
func TestNothingToMerge(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string][]string{
		"an empty store": nil, "a single memory": {timeout}, "no clusters": {timeout, migration, deletion},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t, consolidate.Definition, nil)
			r.texts(texts...)
			run, items := r.consolidate(memory.RunOptions{})
			if run.State != memory.RunCompleted || len(items) != 0 || run.Examined != len(texts) || run.Before != len(texts) || run.After != len(texts) {
				t.Errorf("run %+v, %+v", run, items)
			}
		})
	}
}

// S0.54: memories without a vector are left out and counted. They are merged once the
// model has made their vectors.
func TestWithoutVectors(t *testing.T) {
	t.Parallel()
	var truth *indexing.Truth
	r := setup(t, consolidate.Definition, nil, func(d *worker.Deps) {
		truth = d.Truth
		truth.Local = false // as with a model behind a network
	})
	ids := r.texts(timeout, timeout, migration)
	run, items := r.consolidate(memory.RunOptions{})
	if run.State != memory.RunCompleted || len(items) != 0 || run.Examined != 0 || !strings.Contains(string(run.Report), `"without_vector":3`) {
		t.Errorf("run %+v, %s", run, run.Report)
	}
	if _, err := truth.Docs(t.Context(), truth.Generation(1), tenant, ids[:2]); err != nil { // as the indexer does
		t.Fatal(err)
	}
	run, _ = r.consolidate(memory.RunOptions{Force: true})
	if run.Examined != 2 || run.Created != 1 || !strings.Contains(string(run.Report), `"without_vector":1`) {
		t.Errorf("run %+v, %s", run, run.Report)
	}
}

// S0.53, S0.57, S4.83: the newest memories only, the least size of a group, and at most so
// many groups; the rest waits for the next run.
func TestLimits(t *testing.T) {
	t.Parallel()
	r := setup(t, consolidate.Definition, nil)
	old := r.base.Add(-365 * 24 * time.Hour)
	r.remember(note{Text: deletion, CreatedAt: old}, note{Text: deletion, CreatedAt: old.Add(time.Hour)})
	r.texts(timeout, timeout, migration, migration, migration)
	for name, c := range map[string]struct {
		options memory.RunOptions
		created int
		in      string
	}{
		"all":               {memory.RunOptions{}, 3, `"clusters_found":3`},
		"the newest five":   {memory.RunOptions{MaxMemories: 5}, 2, `"truncated":2`},
		"groups of three":   {memory.RunOptions{MinCluster: 3}, 1, `"clusters_found":1`},
		"of a hundred days": {memory.RunOptions{MaxAgeDays: 100}, 2, `"clusters_found":2`},
		"one group":         {memory.RunOptions{MaxClusters: 1}, 1, `"waiting":2`},
	} {
		c.options.DryRun = true
		run, _ := r.consolidate(c.options)
		if run.Created != c.created || !strings.Contains(string(run.Report), c.in) {
			t.Errorf("%s: %+v, %s", name, run, run.Report)
		}
	}
	for i := range 3 {
		if run, _ := r.consolidate(memory.RunOptions{MaxClusters: 1}); run.Created != 1 {
			t.Errorf("run %d: %+v", i, run)
		}
	}
	if n := len(r.active(shop)); n != 3 {
		t.Errorf("%d memories are left", n)
	}
}

// S0.56, D13: no run touches another scope, and what differs in kind, outcome or trust is
// never merged.
func TestNeverAcross(t *testing.T) {
	t.Parallel()
	r := setup(t, consolidate.Definition, nil)
	r.remember(
		note{Text: timeout}, note{Text: timeout, Scope: "project:api"}, note{Text: timeout, Scope: "user:anna"},
		note{Text: timeout, Kind: memory.KindFact}, note{Text: timeout, Kind: memory.KindStrategy, Outcome: "failure"},
		note{Text: timeout, Origin: memory.OriginAgent, Authority: memory.OriginAgent},
		note{Text: timeout, Origin: memory.OriginExternal, Authority: memory.OriginExternal},
	)
	before := r.everything()
	if run, items := r.consolidate(memory.RunOptions{Threshold: 0.6}); len(items) != 0 || run.Created != 0 {
		t.Errorf("run %+v, %+v", run, items)
	}
	if !reflect.DeepEqual(before, r.everything()) {
		t.Error("memories changed")
	}
}

// S0.69: a person names the memories. Those that may not be one stay as they are.
func TestExplicit(t *testing.T) {
	t.Parallel()
	r := setup(t, consolidate.Definition, nil)
	ids := r.remember(
		note{Text: timeout}, note{Text: timeout + " Retry once."}, note{Text: migration, Kind: memory.KindFact},
	)
	explicit := func(ids ...string) (memory.Run, []memory.RunItem) {
		return r.ended(r.want(trigger.Wanted{
			Tenant: tenant, Scope: shop, Strategy: memory.RunExplicit, Trigger: memory.TriggerPerson, Options: memory.RunOptions{IDs: ids},
		}))
	}
	run, items := explicit(ids[0], ids[2])
	if run.State != memory.RunCompleted || run.Refused != 1 || r.states(items) != "merge refused" || !strings.Contains(items[0].Reason, "kind") {
		t.Errorf("two kinds: %+v, %+v", run, items)
	}
	run, items = explicit(ids[0], ids[1], ids[1])
	if run.Created != 1 || run.Archived != 2 || r.states(items) != "merge applied" {
		t.Errorf("two of a kind: %+v, %+v", run, items)
	}
	if run, items = explicit(ids[0], ids[1]); run.Created != 0 || len(items) != 0 {
		t.Errorf("archived ones: %+v, %+v", run, items)
	}
}

// A step whose source went out of service after the plan is skipped, and the run says so.
func TestSourceChanges(t *testing.T) {
	t.Parallel()
	r := setup(t, consolidate.Definition, nil, func(d *worker.Deps) {
		consolidate.Settings.Change(&d.Settings, func(c *consolidate.Config) { c.Workers = 1 })
	})
	ids := r.texts(timeout, timeout, migration, migration)
	id := r.ask(shop, memory.RunOptions{})
	events, published := r.waiting()
	r.Deliver(events...) // the plan
	if err := r.Store().MarkPublished(t.Context(), published); err != nil {
		t.Fatal(err)
	}
	m := r.memory(ids[0])
	r.archive(m)
	run, items := r.ended(id)
	if run.State != memory.RunPartial || run.Skipped != 1 || run.Created != 1 || !strings.Contains(run.Reason, "1 of 2 steps") {
		t.Errorf("run %+v", run)
	}
	if r.states(items) != "merge applied, merge skipped" || r.memory(ids[1]).State != memory.StateActive {
		t.Errorf("steps %+v", items)
	}
}
