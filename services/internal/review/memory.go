package review

import (
	"cmp"
	"context"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Edit stores another text in a memory's place: a new memory, written by the person,
// that supersedes the old one. An empty section means that of the old one. It returns
// the new id.
func (d *Decider) Edit(ctx context.Context, id, text, section string) (change.Set, string, error) {
	old, err := d.active(ctx, id)
	if err != nil {
		return change.Set{}, "", fmt.Errorf("edit %s: %w", id, err)
	}
	e := &Effect{Stamp: d.Stamp}
	m := old
	m.ID, m.Text = e.NewID(memory.PrefixMemory), d.Redact(text)
	m.Section = cmp.Or(section, old.Section)
	m.Origin, m.Authority, m.Principal = memory.OriginHuman, memory.OriginHuman, e.Person
	m.CreatedAt, m.LastConfirmed, m.ObservedAt, m.SeenCount, m.Version, m.ProposalID = e.Now, e.Now, e.Now, 1, 0, ""
	made := e.Decision(old.Scope)
	made.Verdict, made.Rule, made.Fired = memory.VerdictPromoted, RuleEdit, []string{RuleEdit}
	made.MemoryID, made.Target, made.Reason = m.ID, old.ID, e.Person+" wrote it anew"
	m.DecisionID = made.ID
	e.Set.Memories = append(e.Set.Memories, m)
	e.Supersede(old, m, "edited", made.ID)
	e.Recorded(m, made.ID, old.ID)
	e.Decide(made, nil)
	return e.Set, m.ID, nil
}

// Archive takes a memory out of service. It returns the decision's id.
func (d *Decider) Archive(ctx context.Context, id, reason string) (change.Set, string, error) {
	m, err := d.active(ctx, id)
	if err != nil {
		return change.Set{}, "", fmt.Errorf("archive %s: %w", id, err)
	}
	e := &Effect{Stamp: d.Stamp}
	made := e.Decision(m.Scope)
	made.Verdict, made.Rule, made.Fired, made.MemoryID = memory.VerdictRejected, RuleArchive, []string{RuleArchive}, m.ID
	made.Reason = e.Person + " archived it"
	m.State, m.ArchivedAt, m.ArchiveReason = memory.StateArchived, e.Now, "archived"
	if reason != "" {
		made.Reason += ": " + reason
		m.ArchiveReason = reason
	}
	e.UpdateMemory(m)
	e.Archived(m, made.ID)
	e.Decide(made, nil)
	return e.Set, made.ID, nil
}

func (d *Decider) active(ctx context.Context, id string) (memory.Memory, error) {
	m, err := d.Store.Memory(ctx, d.Tenant, id)
	if err == nil && m.State != memory.StateActive {
		err = fmt.Errorf("%w: it is archived (%s)", ErrState, m.ArchiveReason)
	}
	return m, err
}
