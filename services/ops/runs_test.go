package ops_test

import (
	"context"
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

// What was built on a product is named, nothing changes, and --cascade takes it back.
func TestUndoRunNamesWhatRestsOnIt(t *testing.T) {
	t.Parallel()
	for name, build := range map[string]func(b *bench, product memory.Memory) string{
		"edited by a person": func(b *bench, product memory.Memory) string {
			id, err := b.ops.Edit(b.Context(), product.ID, "The gateway listens on 9443.")
			if err != nil {
				b.Fatal(err)
			}
			return id
		},
		"edited twice": func(b *bench, product memory.Memory) string {
			id, err := b.ops.Edit(b.Context(), product.ID, "The gateway listens on 9443.")
			if err == nil {
				_, err = b.ops.Edit(b.Context(), id, "The gateway listens on 9444.")
			}
			if err != nil {
				b.Fatal(err)
			}
			return id
		},
		"merged further": func(b *bench, product memory.Memory) string {
			_, made := b.merged([]string{product.ID, b.remember("The gateway has a port.").ID})
			return made[0].ID
		},
		"archived by a person": func(b *bench, product memory.Memory) string {
			if _, err := b.ops.Archive(b.Context(), product.ID, "closed"); err != nil {
				b.Fatal(err)
			}
			return product.ID
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			ids := b.three("the gateway listens on 8443")
			before := b.exactly(ids...)
			r, made := b.merged(ids)
			rests := build(b, made[0])
			changed := b.exactly(ids...)
			_, err := b.ops.UndoRun(t.Context(), r.ID, ops.RunUndo{})
			var dependents *ops.DependentsError
			if !errors.As(err, &dependents) || !strings.Contains(err.Error(), rests) || !strings.Contains(err.Error(), "--cascade") {
				t.Fatalf("error %v, want one that names %s and --cascade", err, rests)
			}
			if b.exactly(ids...) != changed || b.run(r.ID).State != memory.RunCompleted {
				t.Error("the refused undo changed something")
			}
			b.undoRun(r, ops.RunUndo{Cascade: true})
			if after := b.exactly(ids...); after != before {
				t.Errorf("with --cascade not as before the run:\n%s\nwant\n%s", after, before)
			}
			b.wantRun(r, memory.RunUndone, undone)
			list, err := b.ops.Memories(t.Context(), string(scope), false, 0)
			for _, m := range list {
				if m.ID != ids[0] && m.ID != ids[1] && m.ID != ids[2] && m.Text != "The gateway has a port." {
					t.Errorf("%q is in service", m.Text)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// A text that was rejected as a repeat of the product comes back to review with it.
func TestUndoRunReturnsRepeats(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.propose(fact, memory.VerdictPromoted, "fact").MemoryID
	second := b.remember("`pgbouncer` has a pool.").ID
	r, _ := b.merged([]string{first, second})
	b.relearn()
	repeat := b.said("other", "s2", strings.TrimSpace(b.memory(b.memory(first).SuccessorID).Text), memory.VerdictRejected, "dup.exact")
	if _, err := b.ops.UndoRun(t.Context(), r.ID, ops.RunUndo{}); err == nil || !strings.Contains(err.Error(), repeat.ProposalID) {
		t.Fatalf("error %v, want one that names %s", err, repeat.ProposalID)
	}
	done := b.undoRun(r, ops.RunUndo{Cascade: true})
	if p := b.proposal(repeat.ProposalID); p.State != memory.ProposalNeedsReview || !slices.Contains(done.ToReview, p.ID) {
		t.Errorf("the repeat is %s, to review %v", p.State, done.ToReview)
	}
}

// D-lineage, SPEC §7: retracting a source takes the product with its words out of
// service and restores the other sources. The undo of the run does not bring the
// retracted words back; after the undo of the retraction it restores all.
func TestRetractedSourceStaysOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bad := b.said("bot", "run-7", fact, memory.VerdictPromoted, "fact").MemoryID
	good := b.propose(moved, memory.VerdictPromoted, "fact").MemoryID
	other := b.three("backups run at two")
	before := b.exactly(append(other, bad, good)...)
	r, made := b.merged([]string{bad, good}, other)
	retracted := b.retract(ops.RetractRequest{Session: "run-7"}, true)
	wantIDs(t, "archived", retracted.Archived, made[0].ID)
	wantIDs(t, "restored", retracted.Restored, good)

	active := func(id string, want memory.State) {
		t.Helper()
		if m := b.memory(id); m.State != want {
			t.Errorf("%q is %s, want %s", m.Text, m.State, want)
		}
	}
	for range 2 {
		done := b.undoRun(r, ops.RunUndo{})
		if len(done.Kept) != 1 || done.Kept[0].ID != made[0].ID {
			t.Errorf("kept %+v, want what was retracted", done.Kept)
		}
		active(bad, memory.StateArchived)
		active(made[0].ID, memory.StateArchived)
		active(good, memory.StateActive)
		active(other[0], memory.StateActive)
		b.wantRun(r, memory.RunCompleted, applied, undone)
	}
	for _, id := range []string{bad, made[0].DecisionID} {
		if _, err := b.ops.Undo(t.Context(), id, true); !errors.Is(err, ops.ErrState) {
			t.Errorf("undo %s: %v, want a refusal", id, err)
		}
	}
	b.undo(retracted.ID, false)
	active(made[0].ID, memory.StateActive)
	b.undoRun(r, ops.RunUndo{})
	if after := b.exactly(append(other, bad, good)...); after != before {
		t.Errorf("not as before the run:\n%s\nwant\n%s", after, before)
	}
	b.wantRun(r, memory.RunUndone, undone, undone)
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

// A memory that was archived by a later run stays: the undo of the earlier one is over
// what that run did.
func TestUndoRunLeavesLaterRuns(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.three("the gateway listens on 8443")
	first, _ := b.merged(ids)
	b.undoRun(first, ops.RunUndo{})
	second, made := b.merged(ids)
	b.undoRun(first, ops.RunUndo{})
	b.wantRun(second, memory.RunCompleted, applied)
	if m := b.memory(ids[0]); m.SuccessorID != made[0].ID {
		t.Errorf("the source is %s, successor %q", m.State, m.SuccessorID)
	}
}

// A run that is taken back while it runs goes no further: what is planned is not
// taken any more, and a step that comes to its commit too late fails and leaves
// nothing.
func TestUndoRunningRun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.three("the gateway listens on 8443"), b.three("backups run at two")
	before := b.exactly(slices.Concat(one, two)...)
	r := b.begin(memory.RunSimilar, memory.ActionMerge, memory.ActionMerge)
	b.merge(r, 1, one...)
	late, product := consolidation.Apply(b.act(r, 2, two...))
	done := b.undoRun(r, ops.RunUndo{})
	if !slices.Equal(done.Items, []int{1}) || !slices.Equal(done.Stopped, []int{2}) {
		t.Errorf("%+v", done)
	}
	b.wantRun(r, memory.RunUndone, undone, memory.ItemSkipped)
	if _, err := b.ops.Store.Commit(t.Context(), memory.DefaultTenant, late, store.InboxKey{}); !errors.Is(err, store.ErrConflict) {
		t.Errorf("the late step: %v, want ErrConflict", err)
	}
	if _, err := b.ops.Store.Memory(t.Context(), memory.DefaultTenant, product.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("its memory: %v", err)
	}
	if after := b.exactly(slices.Concat(one, two)...); after != before {
		t.Errorf("not as before the run:\n%s\nwant\n%s", after, before)
	}
	// One that has not begun is withdrawn.
	requested := memory.Run{
		ID: ident.New(memory.PrefixRun), Tenant: memory.DefaultTenant, Scope: scope, Strategy: memory.RunSimilar, Trigger: memory.TriggerPerson,
		State: memory.RunRequested, RequestedAt: b.now,
	}
	b.commit(change.Set{Runs: []memory.Run{requested}})
	b.undoRun(requested, ops.RunUndo{})
	b.wantRun(requested, memory.RunUndone)
}

// interrupting commits a set before the first commit that it is asked for.
type interrupting struct {
	ops.Store
	first *change.Set
}

func (s interrupting) Commit(ctx context.Context, tenant memory.Tenant, set change.Set, inbox store.InboxKey) (bool, error) {
	if late := *s.first; !late.Empty() {
		*s.first = change.Set{}
		if _, err := s.Store.Commit(ctx, tenant, late, store.InboxKey{}); err != nil {
			return false, err
		}
	}
	return s.Store.Commit(ctx, tenant, set, inbox)
}

// A step that commits between the reading and the commit of the undo is taken back
// too: the undo is decided again.
func TestUndoRunBesideItsSteps(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.three("the gateway listens on 8443"), b.three("backups run at two")
	before := b.exactly(slices.Concat(one, two)...)
	r := b.begin(memory.RunSimilar, memory.ActionMerge, memory.ActionMerge)
	b.merge(r, 1, one...)
	late, _ := consolidation.Apply(b.act(r, 2, two...))
	real := b.ops.Store
	b.ops.Store = interrupting{Store: real, first: &late}
	done := b.undoRun(r, ops.RunUndo{})
	b.ops.Store = real
	if !slices.Equal(done.Items, []int{1, 2}) {
		t.Errorf("steps %v, want both", done.Items)
	}
	if after := b.exactly(slices.Concat(one, two)...); after != before {
		t.Errorf("not as before the run:\n%s\nwant\n%s", after, before)
	}
	b.wantRun(r, memory.RunUndone, undone, undone)
}

// A question of the run that nobody answered is withdrawn; an answer of a person
// stays and is named.
func TestUndoRunAndItsQuestions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.three("the gateway listens on 8443"), b.three("backups run at two")
	r := b.begin(memory.RunSimilar, memory.ActionOffer, memory.ActionOffer)
	var asked []memory.Proposal
	for i, ids := range [][]string{one, two} {
		set, p := consolidation.Offer(b.act(r, i+1, ids...))
		b.commit(set)
		asked = append(asked, p)
	}
	b.end(r, memory.RunCompleted)
	if _, err := b.ops.Decide(t.Context(), asked[1].ID, ops.Answer{Action: ops.ActionPromote}); err != nil {
		t.Fatal(err)
	}
	done := b.undoRun(r, ops.RunUndo{})
	if !slices.Equal(done.Withdrawn, []string{asked[0].ID}) || len(done.Kept) != 1 || done.Kept[0].ID != asked[1].ID {
		t.Errorf("withdrawn %v, kept %+v", done.Withdrawn, done.Kept)
	}
	if p := b.proposal(asked[0].ID); p.State != memory.ProposalExpired {
		t.Errorf("the question is %s", p.State)
	}
	if p := b.proposal(asked[1].ID); p.State != memory.ProposalPromoted {
		t.Errorf("the answered one is %s", p.State)
	}
	b.wantRun(r, memory.RunUndone, undone, memory.ItemOffered)
}

// What changed nothing cannot be taken back.
func TestUndoRunRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	dry := memory.Run{
		ID: ident.New(memory.PrefixRun), Tenant: memory.DefaultTenant, Scope: scope, Strategy: memory.RunSimilar, Trigger: memory.TriggerPerson,
		State: memory.RunCompleted, RequestedAt: b.now, Options: memory.RunOptions{DryRun: true},
	}
	failed := dry
	failed.ID, failed.State, failed.Options, failed.Reason = ident.New(memory.PrefixRun), memory.RunFailed, memory.RunOptions{}, "the model is away"
	b.commit(change.Set{Runs: []memory.Run{dry, failed}})
	for _, r := range []memory.Run{dry, failed} {
		if _, err := b.ops.UndoRun(t.Context(), r.ID, ops.RunUndo{}); !errors.Is(err, ops.ErrState) {
			t.Errorf("%s: %v", r.State, err)
		}
	}
	if _, err := b.ops.UndoRun(t.Context(), "run_none", ops.RunUndo{}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an unknown run: %v", err)
	}
}

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
