package ops_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/consolidation"
	"github.com/winnowhq/winnow/services/internal/consolidation/merge"
	"github.com/winnowhq/winnow/services/internal/consolidation/weekly"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/ops"
)

// remember stores an active memory that an agent said.
func (b *bench) remember(text string) memory.Memory {
	b.Helper()
	b.now = b.now.Add(time.Second)
	m := memory.Memory{
		ID: ident.New(memory.PrefixMemory), Tenant: memory.DefaultTenant, Scope: scope, State: memory.StateActive, Kind: memory.KindFact,
		Section: "Notes", Text: text, Tags: []string{"shop"}, Importance: 5, Confidence: 0.6, Principal: "agent", Origin: memory.OriginAgent,
		Authority: memory.OriginAgent, CreatedAt: b.now, LastConfirmed: b.now, SeenCount: 1,
	}
	e := memory.Evidence{ID: ident.New(memory.PrefixEvidence), Tenant: m.Tenant, Subject: m.ID, Principal: "agent", SessionID: "s1", Origin: memory.OriginAgent, Span: text}
	b.commit(change.Set{Memories: []memory.Memory{m}, Evidence: []memory.Evidence{e}})
	return b.memory(m.ID)
}

// begin stores a running run with so many planned steps.
func (b *bench) begin(strategy memory.RunStrategy, actions ...memory.RunAction) memory.Run {
	b.Helper()
	b.now = b.now.Add(time.Minute)
	r := memory.Run{
		ID: ident.New(memory.PrefixRun), Tenant: memory.DefaultTenant, Scope: scope, Strategy: strategy, Trigger: memory.TriggerPerson,
		State: memory.RunRunning, RequestedAt: b.now, StartedAt: b.now, Deadline: b.now.Add(10 * time.Minute),
	}
	set := change.Set{Runs: []memory.Run{r}}
	for i, action := range actions {
		set.RunItems = append(set.RunItems, memory.RunItem{Tenant: r.Tenant, RunID: r.ID, N: i + 1, Action: action, State: memory.ItemPlanned})
	}
	b.commit(set)
	return b.run(r.ID)
}

// act returns the transaction of a step over the memories with these ids.
func (b *bench) act(r memory.Run, n int, ids ...string) consolidation.Act {
	b.Helper()
	b.now = b.now.Add(time.Second)
	item, err := b.ops.Store.RunItem(b.Context(), r.Tenant, r.ID, n)
	if err != nil {
		b.Fatal(err)
	}
	a := consolidation.Act{
		Now: b.now, NewID: ident.New, RunID: r.ID, Item: item, Similarity: "lexical",
		Group:   consolidation.Group{Members: ids, Mode: consolidation.ModeMerge, Average: 0.91, Minimum: 0.88, Why: "they say the same"},
		Product: consolidation.Product{Title: "merged", Confidence: 0.7, By: "concatenation"},
	}
	for _, id := range ids {
		m := b.memory(id)
		a.Sources = append(a.Sources, consolidation.Candidate{Memory: m})
		a.Evidence = append(a.Evidence, b.evidence(id)...)
		a.Product.Text += m.Text + "\n"
	}
	return a
}

// merge takes a step, as the worker does, and returns the new memory.
func (b *bench) merge(r memory.Run, n int, ids ...string) memory.Memory {
	b.Helper()
	set, m := consolidation.Apply(b.act(r, n, ids...))
	b.commit(set)
	return b.memory(m.ID)
}

// end ends a run.
func (b *bench) end(r memory.Run, state memory.RunState) {
	b.Helper()
	r = b.run(r.ID)
	r.State, r.EndedAt = state, b.now
	b.commit(change.Set{RunUpdates: []change.RunUpdate{change.UpdateOf(r)}})
}

// merged is a completed run that made one memory of each group.
func (b *bench) merged(groups ...[]string) (memory.Run, []memory.Memory) {
	b.Helper()
	actions := slices.Repeat([]memory.RunAction{memory.ActionMerge}, len(groups))
	r := b.begin(memory.RunSimilar, actions...)
	var made []memory.Memory
	for i, ids := range groups {
		made = append(made, b.merge(r, i+1, ids...))
	}
	b.end(r, memory.RunCompleted)
	return b.run(r.ID), made
}

func (b *bench) run(id string) memory.Run {
	b.Helper()
	r, err := b.ops.Store.Run(b.Context(), memory.DefaultTenant, id)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// states returns the states of a run's steps, in their order.
func (b *bench) states(r memory.Run) (states []memory.RunItemState) {
	b.Helper()
	items, err := b.ops.Store.RunItems(b.Context(), r.Tenant, r.ID)
	if err != nil {
		b.Fatal(err)
	}
	for _, i := range items {
		states = append(states, i.State)
	}
	return states
}

func (b *bench) wantRun(r memory.Run, state memory.RunState, items ...memory.RunItemState) {
	b.Helper()
	if got := b.run(r.ID); got.State != state {
		b.Errorf("the run is %s (%s), want %s", got.State, got.Reason, state)
	}
	if got := b.states(r); !slices.Equal(got, items) {
		b.Errorf("its steps are %v, want %v", got, items)
	}
}

func (b *bench) undoRun(r memory.Run, u ops.RunUndo) ops.RunUndone {
	b.Helper()
	b.now = b.now.Add(time.Minute)
	done, err := b.ops.UndoRun(b.Context(), r.ID, u)
	if err != nil {
		b.Fatal(err)
	}
	return done
}

// exactly returns all columns but the version of memories, with their evidence and
// their links.
func (b *bench) exactly(ids ...string) string {
	b.Helper()
	var lines []string
	for _, id := range ids {
		m := b.memory(id)
		m.Version = 0
		links, err := b.ops.Store.Links(b.Context(), memory.DefaultTenant, id)
		if err != nil {
			b.Fatal(err)
		}
		line, err := json.Marshal([]any{m, b.evidence(id), links})
		if err != nil {
			b.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	return strings.Join(lines, "\n")
}

func (b *bench) three(of string) []string {
	b.Helper()
	var ids []string
	for i := range 3 {
		ids = append(ids, b.remember(fmt.Sprintf("%s, said for the %d. time", of, i+1)).ID)
	}
	return ids
}

const (
	applied = memory.ItemApplied
	undone  = memory.ItemUndone
)

// SPEC §11, X3: the undo of a run restores every column but the version, the evidence
// and the links, archives what the run made, and says so in events and in the audit
// log. Taking it back twice changes nothing.
func TestUndoRun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.three("the gateway listens on 8443"), b.three("backups run at two")
	before := b.exactly(slices.Concat(one, two)...)
	r, made := b.merged(one, two)
	for _, id := range one {
		if m := b.memory(id); m.State != memory.StateArchived || m.SuccessorID != made[0].ID {
			t.Fatalf("the run left %s %s", id, m.State)
		}
	}
	b.drain()
	done := b.undoRun(r, ops.RunUndo{})
	if after := b.exactly(slices.Concat(one, two)...); after != before {
		t.Errorf("not as before the run:\n%s\nwant\n%s", after, before)
	}
	if len(done.Restored) != 6 || len(done.Archived) != 2 || !slices.Equal(done.Items, []int{1, 2}) || done.State != memory.RunUndone {
		t.Errorf("%+v", done)
	}
	for _, m := range made {
		if m = b.memory(m.ID); m.State != memory.StateArchived || m.ArchiveReason != "undone" || m.SuccessorID != "" {
			t.Errorf("what it made is %s (%s)", m.State, m.ArchiveReason)
		}
	}
	b.wantRun(r, memory.RunUndone, undone, undone)
	if told := b.drain(); told[event.SubjectMemoryRecorded] != 6 || told[event.SubjectMemoryArchived] != 2 {
		t.Errorf("events %v, want 6 recorded and 2 archived", told)
	}
	b.audited(r.ID)
	back, err := b.ops.Store.TakenBack(t.Context(), memory.DefaultTenant, scope)
	if err != nil || len(back) != 2 || !slices.Equal(back[0].Sources, one) {
		t.Errorf("taken back: %+v, %v", back, err)
	}

	again := b.undoRun(r, ops.RunUndo{})
	if again.State != memory.RunUndone || len(again.Items)+len(again.Restored)+len(again.Archived) != 0 {
		t.Errorf("taking it back twice: %+v", again)
	}
	if told := b.drain(); len(told) != 0 {
		t.Errorf("and told %v", told)
	}
}

// drain returns how many events wait in the outbox by subject, and empties it.
func (b *bench) drain() map[string]int {
	b.Helper()
	outbox := b.ops.Store.(store.Outbox)
	rows, err := outbox.Unpublished(b.Context(), 10_000)
	if err != nil {
		b.Fatal(err)
	}
	told, published := map[string]int{}, map[int64]uint64{}
	for _, row := range rows {
		told[row.Subject]++
		published[row.ID] = uint64(row.ID)
	}
	if len(rows) > 0 {
		if err := outbox.MarkPublished(b.Context(), published); err != nil {
			b.Fatal(err)
		}
	}
	return told
}

// One step is taken back alone; with the last one the run is.
func TestUndoOneStep(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.three("the gateway listens on 8443"), b.three("backups run at two")
	before := b.exactly(one...)
	r, made := b.merged(one, two)
	done := b.undoRun(r, ops.RunUndo{Item: 1})
	if after := b.exactly(one...); after != before || !slices.Equal(done.Items, []int{1}) {
		t.Errorf("step 1: %+v\n%s\nwant\n%s", done, after, before)
	}
	if m := b.memory(made[1].ID); m.State != memory.StateActive {
		t.Errorf("what step 2 made is %s", m.State)
	}
	b.wantRun(r, memory.RunCompleted, undone, applied)
	b.undoRun(r, ops.RunUndo{Item: 2})
	b.wantRun(r, memory.RunUndone, undone, undone)
	if _, err := b.ops.UndoRun(t.Context(), r.ID, ops.RunUndo{Item: 3}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a step that is not there: %v", err)
	}
}

// The undo of one memory, of the product or of a source, takes its step back, and
// with the last one the run. A second undo is refused.
func TestUndoByMemory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.three("the gateway listens on 8443"), b.three("backups run at two")
	before := b.exactly(slices.Concat(one, two)...)
	r, made := b.merged(one, two)
	b.undo(made[0].ID, false)
	b.wantRun(r, memory.RunCompleted, undone, applied)
	if _, err := b.ops.Undo(t.Context(), made[0].ID, false); !errors.Is(err, ops.ErrState) {
		t.Errorf("twice: %v", err)
	}
	b.undo(two[1], false) // a source means what archived it
	b.wantRun(r, memory.RunUndone, undone, undone)
	if after := b.exactly(slices.Concat(one, two)...); after != before {
		t.Errorf("not as before the run:\n%s\nwant\n%s", after, before)
	}
	// Its id works with winnow undo too, and finds nothing left.
	if done := b.undo(r.ID, false); len(done.Restored) != 0 {
		t.Errorf("%+v", done)
	}
}

// week is a weekly step that merges the first two memories of a user, merges the next
// two, and archives the fifth without a successor.
func (b *bench) week() (memory.Run, []string) {
	b.Helper()
	var rows []memory.Memory
	var ids []string
	for i := range 6 {
		rows = append(rows, b.remember(fmt.Sprintf("I drink tea of kind %d", i)))
		ids = append(ids, rows[i].ID)
	}
	r := b.begin(memory.RunWeekly, memory.ActionWeekly)
	item, err := b.ops.Store.RunItem(b.Context(), r.Tenant, r.ID, 1)
	if err != nil {
		b.Fatal(err)
	}
	b.now = b.now.Add(time.Second)
	both := func(i int) weekly.Merge {
		return weekly.Merge{
			Sources: []memory.Memory{rows[i], rows[i+1]}, Importance: 5,
			Merged: merge.Merged{Title: "tea", Text: rows[i].Text + ". " + rows[i+1].Text, Confidence: 0.7, By: "model"},
		}
	}
	b.commit(weekly.Apply(weekly.Step{Run: r, Item: item, Now: b.now, NewID: ident.New}, rows, weekly.Outcome{
		Before: 6, After: 3, Merges: []weekly.Merge{both(0), both(2)}, Archives: []weekly.Archive{{ID: ids[4], Reason: memory.ReasonDropped + ": outdated"}},
	}))
	b.end(r, memory.RunCompleted)
	return b.run(r.ID), ids
}

// S1.13, D9: what a weekly run merged and what it archived without a successor come
// back together, also where one merge was taken back before.
func TestUndoWeeklyRun(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(b *bench, ids []string) string{
		"whole":                  func(*bench, []string) string { return "" },
		"one merge before":       func(b *bench, ids []string) string { return b.memory(ids[0]).SuccessorID },
		"one source before":      func(_ *bench, ids []string) string { return ids[3] },
		"what it dropped before": func(_ *bench, ids []string) string { return ids[4] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			r, ids := b.week()
			if eroded, err := b.ops.Store.Eroded(t.Context(), memory.DefaultTenant, scope, time.Time{}); err != nil || eroded != 1 {
				t.Errorf("%d eroded, %v, want 1", eroded, err)
			}
			if id := first(b, ids); id != "" {
				b.undo(id, false)
				b.wantRun(r, memory.RunCompleted, applied)
			}
			b.undoRun(r, ops.RunUndo{})
			for _, id := range ids {
				if m := b.memory(id); m.State != memory.StateActive || m.SuccessorID+m.ArchiveReason != "" || !m.ArchivedAt.IsZero() {
					t.Errorf("%q is %s (%s)", m.Text, m.State, m.ArchiveReason)
				}
			}
			b.wantRun(r, memory.RunUndone, undone)
			if eroded, err := b.ops.Store.Eroded(t.Context(), memory.DefaultTenant, scope, time.Time{}); err != nil || eroded != 0 {
				t.Errorf("%d eroded, %v, want what came back not to count", eroded, err)
			}
			list, err := b.ops.Memories(t.Context(), string(scope), false, 0)
			if err != nil || len(list) != 6 {
				t.Errorf("%d active, %v, want the six", len(list), err)
			}
		})
	}
}

// The number of statements of an undo does not grow with the run.
func TestUndoRunStatementsDoNotGrow(t *testing.T) {
	t.Parallel()
	counts := map[int]int64{}
	for _, n := range []int{1, 40} {
		b := setup(t)
		var sent statements
		b.ops.Store = pgtest.Connect(t, postgres.Config{URL: pgtest.URL(t), MaxConns: 1, Tracer: &sent})
		var groups [][]string
		for i := range n {
			groups = append(groups, []string{b.remember(fmt.Sprint("a ", i)).ID, b.remember(fmt.Sprint("b ", i)).ID})
		}
		r, _ := b.merged(groups...)
		before := sent.n.Load()
		done := b.undoRun(r, ops.RunUndo{})
		if len(done.Restored) != 2*n {
			t.Errorf("%d restored, want %d", len(done.Restored), 2*n)
		}
		counts[n] = sent.n.Load() - before
	}
	t.Logf("%d statements for one step, %d for 40", counts[1], counts[40])
	if counts[1] != counts[40] {
		t.Errorf("%d statements for one step, %d for 40", counts[1], counts[40])
	}
}
