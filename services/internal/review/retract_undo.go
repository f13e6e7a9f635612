package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// UndoRetraction takes back all of a retraction that still stands, all or none.
// The error is store.ErrNotFound when nothing of it does.
func (d *Desk) UndoRetraction(ctx context.Context, id string) (change.Set, Undone, error) {
	var standing []string
	// Its decisions were made after its id.
	q := store.DecisionQuery{
		Rule: RuleRetract, Verdict: memory.VerdictExpired, Limit: pageSize,
		After: memory.PrefixDecision + strings.TrimPrefix(id, memory.PrefixRun),
	}
	for {
		list, err := d.Store.Decisions(ctx, d.Tenant, q)
		if err != nil {
			return change.Set{}, Undone{}, fmt.Errorf("undo %s: %w", id, err)
		}
		if len(list) == 0 {
			break
		}
		q.After = list[len(list)-1].ID
		for _, made := range list {
			if RetractionOf(made) != id {
				continue
			}
			stands, err := d.stands(ctx, made)
			if err != nil {
				return change.Set{}, Undone{}, fmt.Errorf("undo %s: %w", id, err)
			}
			if stands {
				standing = append(standing, made.ID)
			}
		}
	}
	if len(standing) == 0 {
		return change.Set{}, Undone{}, fmt.Errorf("undo %s: %w: nothing of such a retraction stands", id, store.ErrNotFound)
	}
	return d.Undo(ctx, false, standing...)
}

// stands reports that a decision of a retraction is in force.
func (d *Desk) stands(ctx context.Context, made memory.Decision) (bool, error) {
	if made.ProposalID != "" {
		p, err := d.Store.Proposal(ctx, d.Tenant, made.ProposalID)
		return p.DecisionID == made.ID, unlessGone(err)
	}
	m, err := d.Store.Memory(ctx, d.Tenant, made.MemoryID)
	return m.State == memory.StateArchived && m.ArchiveReason == reasonRetracted, unlessGone(err)
}

// readRetraction reads what undoing a decision of a retraction touches.
func (g *undoGatherer) readRetraction(ctx context.Context, d memory.Decision) error {
	var kept retracted
	if err := json.Unmarshal(d.Features, &kept); err != nil {
		return fmt.Errorf("what %s kept: %w", d.ID, err)
	}
	ids := []string{d.ProposalID, d.MemoryID}
	for _, e := range kept.Taken {
		ids = append(ids, e.Subject)
	}
	for _, old := range kept.Restored {
		ids = append(ids, old.ID)
	}
	for _, id := range kept.Returned {
		made, err := g.Store.Decision(ctx, g.Tenant, id)
		if errors.Is(err, store.ErrNotFound) {
			continue // gone by retention with its proposal
		}
		if err != nil {
			return err
		}
		g.w.decisions[id] = made
		ids = append(ids, made.ProposalID)
	}
	for _, id := range ids {
		if err := g.present(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// present loads a row unless retention took it.
func (g *undoGatherer) present(ctx context.Context, id string) error {
	if err := g.load(ctx, id); !errors.Is(err, store.ErrNotFound) {
		return err
	}
	delete(g.w.proposals, id) // what is not there left a zero row
	delete(g.w.memories, id)
	return nil
}

// unretract puts a source's words back where they were, unless somebody has
// decided otherwise since.
func (u *undoing) unretract(d, back memory.Decision) error {
	var kept retracted
	if err := json.Unmarshal(d.Features, &kept); err != nil {
		return fmt.Errorf("what %s kept: %w", d.ID, err)
	}
	for _, id := range kept.Returned {
		if err := u.unreturn(id); err != nil {
			return err
		}
	}
	for _, old := range kept.Restored {
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
	u.giveEvidence(kept.Taken)
	u.reopen(d.ProposalID, kept, back)
	return nil
}

// unreturn ends a proposal of others again, which waits because of the
// retraction and which nobody has answered.
func (u *undoing) unreturn(id string) error {
	made, ok := u.w.decisions[id]
	if !ok || u.w.proposals[made.ProposalID].DecisionID != id {
		return nil
	}
	var kept retracted
	if err := json.Unmarshal(made.Features, &kept); err != nil {
		return fmt.Errorf("what %s kept: %w", id, err)
	}
	back := u.takeBack(made)
	u.reopen(made.ProposalID, kept, back)
	u.done.Undid = append(u.done.Undid, id)
	return nil
}

// reopen puts a proposal where it stood, with the decision that was in force.
func (u *undoing) reopen(id string, kept retracted, back memory.Decision) {
	p, ok := u.w.proposals[id]
	if !ok {
		u.Decide(back, nil)
		return
	}
	p.State, p.Target, p.DecisionID = kept.Was, kept.Target, kept.Standing
	u.setProposal(p)
	if p.State.Open() {
		u.done.ToReview = append(u.done.ToReview, p.ID)
	}
	u.Decide(back, &p)
}

// giveEvidence counts repeats again for what they were counted for.
func (u *undoing) giveEvidence(taken []memory.Evidence) {
	counted := map[string]bool{}
	for _, e := range taken {
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

// lift gives back what corroboration gave.
func (u *undoing) lift(id string, authority *memory.Origin, w []memory.Witness) {
	if lifted := memory.Corroborated(*authority, w); lifted > *authority {
		*authority = lifted
		u.lifted[id] = lifted
		delete(u.lowered, id)
	}
}
