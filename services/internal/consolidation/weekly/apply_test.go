package weekly_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/consolidation/weekly"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// changed decides and applies an answer that merges two memories and archives one.
func changed(t *testing.T, dry bool) (*user, weekly.Outcome, change.Set) {
	t.Helper()
	u := teaDrinker(t)
	u.memories[0].Tags, u.memories[1].Topics = []string{"drink"}, []string{"tea"}
	u.memories[1].LastConfirmed = now.AddDate(0, 0, -3)
	u.add("Has a red umbrella.")
	u.fill(20)
	out := u.valid(`{'keep':[],` + tea + `,'delete':[{'id':'#2','reason':'out\u001b[2Jdated\n'}]}`)
	ids := 0
	set := weekly.Apply(weekly.Step{
		Run:  memory.Run{ID: "run_1", Tenant: memory.DefaultTenant, Scope: "user:anna", Options: memory.RunOptions{DryRun: dry}},
		Item: memory.RunItem{Tenant: memory.DefaultTenant, RunID: "run_1", N: 1, Action: memory.ActionWeekly, State: memory.ItemPlanned},
		Now:  now, Model: "scripted", NewID: func(p string) string { ids++; return p + itoa(ids) },
		Evidence: map[string][]memory.Evidence{u.memories[0].ID: {{ID: "evi_1", Subject: u.memories[0].ID, Span: "I drink tea"}}},
	}, u.memories, out)
	return u, out, set
}

// S1.12–S1.15, D9: nothing is deleted. The new row is active, from now and of source
// consolidation; every archived one has a reason, its version and its successor.
func TestApplyArchivesAndNeverDeletes(t *testing.T) {
	t.Parallel()
	u, out, set := changed(t, false)
	if len(set.Memories) != 1 {
		t.Fatalf("%d new rows; refused %+v", len(set.Memories), out.Refused)
	}
	made := set.Memories[0]
	if made.State != memory.StateActive || !made.CreatedAt.Equal(now) || made.Scope != "user:anna" || made.SeenCount != 2 || made.DecisionID == "" ||
		!made.LastConfirmed.Equal(now.AddDate(0, 0, -3)) || made.Category != "life" || made.Confidence <= 0 || made.Confidence > 1 {
		t.Errorf("made %+v", made)
	}
	if !slices.Equal(made.Tags, []string{"drink", memory.TagConsolidated}) || !slices.Equal(made.Topics, []string{"tea"}) {
		t.Errorf("tags %v, topics %v", made.Tags, made.Topics)
	}
	source := ""
	for _, d := range set.Decisions {
		if d.MemoryID == made.ID {
			var f map[string]string
			if err := json.Unmarshal(d.Features, &f); err != nil {
				t.Fatal(err)
			}
			source = f["source"]
		}
		if d.Actor != memory.ActorSystem || d.Reason == "" {
			t.Errorf("decision %+v", d)
		}
	}
	if source != "consolidation" { // S1.15
		t.Errorf("source %q", source)
	}
	successors := map[string]string{u.memories[0].ID: made.ID, u.memories[1].ID: made.ID, u.memories[2].ID: ""}
	for _, up := range set.MemoryUpdates {
		want, touched := successors[up.ID]
		if !touched || up.State != memory.StateArchived || up.ArchiveReason == "" || up.SuccessorID != want || up.Expect == 0 || !up.ArchivedAt.Equal(now) || up.Confidence != 0.7 {
			t.Errorf("update %+v", up)
		}
		delete(successors, up.ID)
	}
	if len(successors) != 0 {
		t.Errorf("not archived: %v", successors)
	}
	for _, kind := range []memory.LinkKind{memory.LinkConsolidates, memory.LinkSupersedes} { // S0.47
		for _, m := range u.memories[:2] {
			if !slices.Contains(set.Links, memory.Link{Tenant: memory.DefaultTenant, From: made.ID, To: m.ID, Kind: kind}) {
				t.Errorf("no link %s to %s", kind, m.ID)
			}
		}
	}
	if len(set.Evidence) != 1 || set.Evidence[0].Subject != made.ID || set.Evidence[0].ID == "evi_1" || set.Evidence[0].Span != "I drink tea" {
		t.Errorf("evidence %+v", set.Evidence)
	}
	if len(set.Events) != 4 || len(set.Audit) != 5 {
		t.Errorf("%d events, %d audit entries", len(set.Events), len(set.Audit))
	}
}

// What an undo needs stands in the item: what was archived, and when.
func TestItemListsWhatWasArchived(t *testing.T) {
	t.Parallel()
	u, _, set := changed(t, false)
	item := set.RunItems[0]
	want := []string{u.memories[0].ID, u.memories[1].ID, u.memories[2].ID}
	if item.State != memory.ItemApplied || !slices.Equal(item.Sources, want) || item.MemoryID != set.Memories[0].ID || !item.EndedAt.Equal(now) || item.Action != memory.ActionWeekly {
		t.Errorf("item %+v", item)
	}
	var detail struct {
		User     string `json:"user_id"`
		Deleted  int    `json:"deleted_count"`
		Archives []weekly.Archive
	}
	if err := json.Unmarshal(item.Detail, &detail); err != nil || detail.User != "user:anna" || detail.Deleted != 1 {
		t.Fatalf("detail %s: %v", item.Detail, err)
	}
	if detail.Archives[0].Reason != "dropped: out [2Jdated" {
		t.Errorf("reason %q", detail.Archives[0].Reason)
	}
	log := set.Audit[len(set.Audit)-1] // S1.19
	if row, ok := log.Body.(weekly.Log); !ok || log.Action != "run.user" || row.Before != 23 || row.After != 21 {
		t.Errorf("log %+v", log)
	}
}

// A dry run says what it would do and changes no memory.
func TestDryRunChangesNoMemory(t *testing.T) {
	t.Parallel()
	_, _, set := changed(t, true)
	item := set.RunItems[0]
	if item.State != memory.ItemPreviewed || len(item.Sources) != 3 || !strings.Contains(string(item.Detail), "Drinks green tea every morning.") {
		t.Errorf("item %+v", item)
	}
	set.RunItems = nil
	if !set.Empty() {
		t.Errorf("change %+v", set)
	}
}

// S1.16: a skipped user has a failed item with the reason, and no other change.
func TestSkipSaysWhy(t *testing.T) {
	t.Parallel()
	u := teaDrinker(t)
	_, err := u.decide(`nonsense`)
	set := weekly.Skip(weekly.Step{Item: memory.RunItem{N: 1, State: memory.ItemPlanned}, Now: now}, err)
	item := set.RunItems[0]
	if item.State != memory.ItemFailed || !strings.Contains(item.Reason, "not valid") {
		t.Errorf("item %+v", item)
	}
	set.RunItems = nil
	if !set.Empty() {
		t.Errorf("change %+v", set)
	}
}

// Running again on what a run left changes nothing when the model finds nothing.
func TestASecondRunFindsTheProducts(t *testing.T) {
	t.Parallel()
	u, _, set := changed(t, false)
	gone := map[string]bool{}
	for _, up := range set.MemoryUpdates {
		gone[up.ID] = true
	}
	u.memories = slices.DeleteFunc(u.memories, func(m memory.Memory) bool { return gone[m.ID] })
	u.memories = append(u.memories, set.Memories...)
	out := u.valid(`{'keep':[],'merge':[],'delete':[]}`)
	if out.Before != out.After || len(u.apply(out).MemoryUpdates) != 0 {
		t.Errorf("outcome %+v", out)
	}
}
