package ops_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/consolidation"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/ops"
)

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
