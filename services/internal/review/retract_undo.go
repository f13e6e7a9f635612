package review

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// UndoRetraction undoes the latest page of the decisions of a retraction that are still
// in force, all of the page or none: at most page decisions, 0 means [RetractPage]. more
// reports that earlier ones stand; the caller commits and asks again. The error is
// store.ErrNotFound where none stands.
func (d *Decider) UndoRetraction(ctx context.Context, id string, page int) (set change.Set, done Undone, more bool, err error) {
	fail := func(err error) (change.Set, Undone, bool, error) {
		return change.Set{}, Undone{}, false, fmt.Errorf("undo %s: %w", id, err)
	}
	if page <= 0 {
		page = RetractPage
	}
	// The latest come first: what they rest on is undone after them. The retraction's
	// decisions have later ids than its own.
	first := memory.PrefixDecision + strings.TrimPrefix(id, memory.PrefixRun)
	q := store.DecisionQuery{Rule: RuleRetract, Verdict: memory.VerdictExpired, Newest: true, Limit: pageSize}
	var standing []string
	for len(standing) <= page {
		list, err := d.Store.Decisions(ctx, d.Tenant, q)
		if err != nil {
			return fail(err)
		}
		if len(list) == 0 || list[0].ID < first {
			break
		}
		q.After = list[len(list)-1].ID
		some, err := d.standing(ctx, id, list)
		if err != nil {
			return fail(err)
		}
		standing = append(standing, some...)
	}
	if len(standing) == 0 {
		return fail(fmt.Errorf("%w: nothing of such a retraction stands", store.ErrNotFound))
	}
	if more = len(standing) > page; more {
		standing = standing[:page]
	}
	slices.Reverse(standing) // Undo takes its roots in their order
	set, done, err = d.Undo(ctx, false, standing...)
	return set, done, more, err
}

// standing returns the decisions of a retraction, among these, that are in force.
func (d *Decider) standing(ctx context.Context, id string, list []memory.Decision) (standing []string, err error) {
	list = slices.DeleteFunc(list, func(made memory.Decision) bool { return RetractionOf(made) != id })
	var about []string
	for _, made := range list {
		about = append(about, made.ProposalID, made.MemoryID)
	}
	now := newRows(d)
	if err := now.load(ctx, about...); err != nil {
		return nil, err
	}
	for _, made := range list {
		m := now.w.memories[made.MemoryID]
		stands := m.State == memory.StateArchived && m.ArchiveReason == reasonRetracted
		if made.ProposalID != "" {
			stands = now.w.proposals[made.ProposalID].DecisionID == made.ID
		}
		if stands {
			standing = append(standing, made.ID)
		}
	}
	return standing, nil
}

// undoRecordOf decodes the undo record of a retraction's decision.
func undoRecordOf(d memory.Decision) (record undoRecord, err error) {
	if err = json.Unmarshal(d.Features, &record); err != nil {
		err = fmt.Errorf("what %s kept: %w", d.ID, err)
	}
	return record, err
}

// touchedBy returns the rows that undoing a decision of a retraction touches, apart
// from the proposals that it sent to review.
func touchedBy(d memory.Decision, record undoRecord) []string {
	ids := []string{d.ProposalID, d.MemoryID}
	for _, e := range record.Taken {
		ids = append(ids, e.Subject)
	}
	for _, old := range record.Restored {
		ids = append(ids, old.ID)
	}
	return ids
}

// readRetraction adds the decisions that are undone together with a decision of a
// retraction. Their rows are read already.
func (g *undoGatherer) readRetraction(d memory.Decision) error {
	record, err := undoRecordOf(d)
	for _, id := range record.Returned {
		if made, known := g.made[id]; known { // or gone by retention with its proposal
			g.w.decisions[id] = made
		}
	}
	return err
}

// unretract restores a source's texts, except where a later decision stands.
func (u *undoing) unretract(d, back memory.Decision) error {
	record, err := undoRecordOf(d)
	if err != nil {
		return err
	}
	for _, id := range record.Returned {
		if err := u.unreturn(id); err != nil {
			return err
		}
	}
	for _, old := range record.Restored {
		if m := u.w.memories[old.ID]; m.State == memory.StateActive {
			m.State, m.ArchivedAt, m.ArchiveReason, m.SuccessorID = memory.StateArchived, old.ArchivedAt, old.Reason, d.MemoryID
			u.setMemory(m)
			u.done.Archived = append(u.done.Archived, m.ID)
			u.Archived(m, back.ID)
		}
	}
	if m, ok := u.w.memories[d.MemoryID]; ok && m.State == memory.StateArchived && m.ArchiveReason == reasonRetracted {
		u.restore(m, back.ID)
	}
	u.restoreEvidence(record.Taken)
	u.reopen(d.ProposalID, record, back)
	return nil
}

// unreturn closes a proposal of another source again that the retraction sent to
// review, unless it has been answered.
func (u *undoing) unreturn(id string) error {
	made, ok := u.w.decisions[id]
	if !ok || u.w.proposals[made.ProposalID].DecisionID != id {
		return nil
	}
	record, err := undoRecordOf(made)
	if err != nil {
		return err
	}
	back := u.reversal(made)
	u.reopen(made.ProposalID, record, back)
	u.done.Undid = append(u.done.Undid, id)
	return nil
}

// reopen restores a proposal's state and the decision that was in force.
func (u *undoing) reopen(id string, record undoRecord, back memory.Decision) {
	p, ok := u.w.proposals[id]
	if !ok {
		u.Decide(back, nil)
		return
	}
	p.State, p.Target, p.DecisionID = record.Was, record.Target, record.Standing
	u.setProposal(p)
	if p.State.Open() {
		u.done.ToReview = append(u.done.ToReview, p.ID)
	}
	u.Decide(back, &p)
}

// restoreEvidence adds dropped repeats to the evidence of their subjects again.
func (u *undoing) restoreEvidence(dropped []memory.Evidence) {
	counted := map[string]bool{}
	for _, e := range dropped {
		list := append(u.w.evidence[e.Subject], e)
		u.w.evidence[e.Subject] = list
		times := 1
		if counted[e.Subject] {
			times = 0
		}
		counted[e.Subject] = true
		if m, ok := u.w.memories[e.Subject]; ok {
			u.Set.Evidence = append(u.Set.Evidence, e)
			m.SeenCount += times
			u.lift(m.ID, &m.Authority, m.Witnesses(list))
			u.setMemory(m)
		} else if p, ok := u.w.proposals[e.Subject]; ok {
			u.Set.Evidence = append(u.Set.Evidence, e)
			p.SeenCount += times
			u.lift(p.ID, &p.Authority, p.Witnesses(list))
			u.setProposal(p)
		}
	}
}

// lift restores the authority that corroboration gave.
func (u *undoing) lift(id string, authority *memory.Origin, w []memory.Witness) {
	if lifted := memory.Corroborated(*authority, w); lifted > *authority {
		*authority = lifted
		u.lifted[id] = lifted
		delete(u.lowered, id)
	}
}
