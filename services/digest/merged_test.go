package digest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/consolidation"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
)

// merge stores two memories and the run that merged them into one.
func (b *bench) merge(scope memory.Scope, dry bool, text string) string {
	b.Helper()
	b.pass(time.Second)
	run := memory.Run{
		ID: b.id(memory.PrefixRun), Tenant: memory.DefaultTenant, Scope: scope, Strategy: memory.RunSimilar, Trigger: memory.TriggerThreshold,
		State: memory.RunRequested, RequestedAt: b.now(), Options: memory.RunOptions{DryRun: dry},
	}
	var sources []consolidation.Candidate
	var ids []string
	for range 2 {
		m := memory.Memory{
			ID: b.id(memory.PrefixMemory), Tenant: memory.DefaultTenant, Scope: scope, State: memory.StateActive, Kind: memory.KindFact,
			Section: "Facts", Text: text, Importance: 5, Confidence: 0.6, Origin: memory.OriginAgent, Authority: memory.OriginAgent,
			Principal: "agent", CreatedAt: b.now(), LastConfirmed: b.now(), SeenCount: 1,
		}
		b.commit(memory.DefaultTenant, change.Set{Memories: []memory.Memory{m}})
		sources, ids = append(sources, consolidation.Candidate{Memory: b.memory(m.ID)}), append(ids, m.ID)
	}
	item := memory.RunItem{Tenant: run.Tenant, RunID: run.ID, N: 1, Action: memory.ActionMerge, State: memory.ItemPlanned, Sources: ids}
	b.commit(memory.DefaultTenant, change.Set{Runs: []memory.Run{run}, RunItems: []memory.RunItem{item}})
	set, _ := consolidation.Apply(consolidation.Act{
		Now: b.now(), NewID: b.id, RunID: run.ID, Item: item, Sources: sources, Similarity: "both",
		Group:   consolidation.Group{Members: ids, Mode: consolidation.ModeMerge, Average: 1, Minimum: 1, Why: "They say the same."},
		Product: consolidation.Product{Text: text, Confidence: 0.6, By: "concatenation"},
	})
	if dry {
		item.State, item.EndedAt = memory.ItemPreviewed, b.now()
		set = change.Set{RunItems: []memory.RunItem{item}}
	}
	run.State, run.EndedAt, run.Created, run.Archived = memory.RunCompleted, b.now(), 1, 2
	run.Version = 1
	set.RunUpdates = []change.RunUpdate{change.UpdateOf(run)}
	b.commit(memory.DefaultTenant, set)
	return run.ID
}

// SPEC §11: the digest tells each reviewer what was merged for them since the last one,
// with the command that takes it back. What was taken back, a dry run and another's
// scope are not told; the next digest tells nothing twice.
func TestDigestTellsWhatWasMerged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.commit(memory.DefaultTenant, change.Set{Reviewers: []memory.Reviewer{{Principal: "anna", Scope: blog, Language: "de"}, {Principal: "local"}}})
	mine := b.merge(shop, false, "The mailer retries five times.")
	hers := b.merge(blog, false, "Posts are sorted by day.")
	taken := b.merge(shop, false, "The importer runs at night.")
	dry := b.merge(shop, true, "The exporter runs at noon.")
	b.pass(time.Minute)
	set, _, err := b.decider("local").UndoRun(t.Context(), taken, review.RunUndo{})
	if err != nil {
		t.Fatal(err)
	}
	b.commit(memory.DefaultTenant, set)
	b.set(monday)
	d := b.due("local", "2026-W48")
	want := `- 2 memories became 1: "The mailer retries five times." (undo: winnow runs undo ` + mine + `)`
	if !strings.Contains(d.Text, "Merged for you: 2 memories became 1.") || !strings.Contains(d.Text, want) {
		t.Errorf("want %q in\n%s", want, d.Text)
	}
	for _, id := range []string{hers, taken, dry} {
		if strings.Contains(d.Text, id) {
			t.Errorf("%s is told:\n%s", id, d.Text)
		}
	}
	if d := b.due("anna", "2026-W48"); !strings.Contains(d.Text, "(zurück: winnow runs undo "+hers+")") || strings.Contains(d.Text, mine) {
		t.Errorf("anna gets\n%s", d.Text)
	}
	b.set(monday.Add(week))
	b.ask(shop, 1)
	if d := b.due("local", "2026-W49"); strings.Contains(d.Text, mine) {
		t.Errorf("told twice:\n%s", d.Text)
	}
}
