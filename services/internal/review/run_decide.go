package review

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// runUndoing is the undo of a run in the course of its decision.
type runUndoing struct {
	Effect
	w    *undoWorld
	of   memory.Run
	done RunUndone
}

// drops restores memories that no decision archived.
func (r *runUndoing) drops(ids []string) {
	for _, id := range ids {
		m := r.w.memories[id]
		back := r.Decision(m.Scope)
		back.Verdict, back.Rule, back.Fired, back.MemoryID = memory.VerdictUndone, RuleUndo, []string{RuleUndo}, id
		back.Reason = r.Person + " took back " + r.of.ID
		m.State, m.ArchivedAt, m.ArchiveReason, m.SuccessorID = memory.StateActive, time.Time{}, "", ""
		r.w.memories[id] = m
		r.UpdateMemory(m)
		r.Recorded(m, back.ID)
		r.Decide(back, nil)
		r.done.Restored = append(r.done.Restored, id)
	}
}

// item ends a step that is not applied: a planned one is not taken any more, and a
// question is withdrawn unless it was answered, that about a contradiction too.
func (r *runUndoing) item(i memory.RunItem) {
	switch i.State {
	case memory.ItemPlanned:
		i.State, i.EndedAt, i.Reason = memory.ItemSkipped, r.Now, r.Person+" took the run back"
		r.done.Stopped = append(r.done.Stopped, i.N)
	case memory.ItemOffered:
		if !r.withdrawn(i) {
			return
		}
		i.State, i.Reason = memory.ItemUndone, r.Person+" took it back"
	case memory.ItemRefused:
		r.withdrawn(i) // the step changed nothing and stays refused
		return
	default:
		return
	}
	r.Set.RunItems = append(r.Set.RunItems, i)
}

// withdrawn withdraws the question of a step while it is open, and reports whether nothing of
// it stands afterwards. What a person answered with yes is listed and stays.
func (r *runUndoing) withdrawn(i memory.RunItem) bool {
	p, ok := r.w.proposals[i.ProposalID]
	switch {
	case !ok, p.State == memory.ProposalExpired, p.State == memory.ProposalRejected:
		return true
	case p.State.Open():
		r.withdraw(p)
		return true
	}
	r.done.Kept = append(r.done.Kept, Touched{p.ID, p.Scope, p.Text, fmt.Sprintf("step %d: it was answered; to take the answer back: winnow undo %s", i.N, p.ID)})
	return false
}

// withdraw closes a question that the run asked. It is not a rejection, so the same
// text may be proposed.
func (r *runUndoing) withdraw(p memory.Proposal) {
	d := r.Decision(p.Scope)
	d.ProposalID, d.Verdict, d.Rule, d.Fired = p.ID, memory.VerdictExpired, RuleUndo, []string{RuleUndo}
	d.Reason = r.Person + " took back " + r.of.ID + ", which asked"
	p.State, p.Target, p.DecisionID = memory.ProposalExpired, "", d.ID
	r.UpdateProposal(p)
	r.Decide(d, &p)
	r.done.Withdrawn = append(r.done.Withdrawn, p.ID)
}

// settle marks the steps of which nothing stands any more, of whatever runs, and ends
// the runs of which no step does. whole is the run that is taken back as a whole, or
// empty: it ends with its unanswered questions, and goes no further. settle returns the
// state of that run.
func (d *Decider) settle(ctx context.Context, e *Effect, w *undoWorld, whole string) (memory.RunState, error) {
	for _, i := range w.items {
		held := func(id string) bool { m, ok := w.memories[id]; return ok && holds(i, m) }
		if i.State == memory.ItemApplied && !slices.ContainsFunc(i.Sources, held) {
			i.State, i.Reason = memory.ItemUndone, e.Person+" took it back"
			e.Set.RunItems = append(e.Set.RunItems, i)
		}
	}
	slices.SortFunc(e.Set.RunItems, func(a, b memory.RunItem) int {
		return cmp.Or(strings.Compare(a.RunID, b.RunID), cmp.Compare(a.N, b.N))
	})
	var ids []string
	if whole != "" {
		ids = append(ids, whole)
	}
	for _, i := range e.Set.RunItems {
		ids = append(ids, i.RunID)
	}
	if ids = sorted(ids); len(ids) == 0 {
		return "", nil
	}
	runs, err := d.Store.Runs(ctx, d.Tenant, store.RunQuery{IDs: ids})
	if err != nil {
		return "", err
	}
	var state memory.RunState
	for _, run := range runs {
		if run, err = d.endRun(ctx, e, w, run, run.ID == whole); err != nil {
			return "", err
		}
		if run.ID == whole {
			state = run.State
		}
	}
	return state, nil
}

// endRun ends a run if none of its steps stands, counting those that the set changes.
func (d *Decider) endRun(ctx context.Context, e *Effect, w *undoWorld, run memory.Run, whole bool) (memory.Run, error) {
	counts, err := d.Store.RunProgress(ctx, d.Tenant, run.ID)
	if err != nil {
		return run, err
	}
	changed := 0
	for _, i := range e.Set.RunItems {
		if i.RunID != run.ID {
			continue
		}
		changed++
		was := memory.ItemOffered
		if _, applied := w.items[stepOf(i)]; applied {
			was = memory.ItemApplied
		} else if i.State == memory.ItemSkipped {
			was = memory.ItemPlanned
		}
		counts[was]--
	}
	stands := counts[memory.ItemApplied] + counts[memory.ItemPlanned]
	if !whole {
		stands += counts[memory.ItemOffered]
	}
	state := run.State
	switch {
	case stands == 0:
		state = memory.RunUndone
	case whole && run.Open():
		state = memory.RunPartial
	}
	if changed > 0 || state != run.State {
		e.Audit("run.undone", run.ID, map[string]string{"steps": fmt.Sprint(changed), "state": string(state)})
	}
	if state == run.State {
		return run, nil
	}
	run.State, run.Reason = state, e.Person+" took it back"
	if run.EndedAt.IsZero() {
		run.EndedAt = e.Now
	}
	e.Set.RunUpdates = append(e.Set.RunUpdates, change.UpdateOf(run))
	return run, nil
}
