package ops

import (
	"context"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Edit stores another text in a memory's place: a new memory, written by the
// person, that supersedes it.
func (o *Ops) Edit(ctx context.Context, id, text string) (string, error) {
	old, err := o.active(ctx, id)
	if err != nil {
		return "", fmt.Errorf("edit %s: %w", id, err)
	}
	e := o.effect()
	m := old
	m.ID, m.Text = e.NewID(memory.PrefixMemory), o.redacted(text)
	m.Origin, m.Authority, m.Principal = memory.OriginHuman, memory.OriginHuman, e.Person
	m.CreatedAt, m.LastConfirmed, m.ObservedAt, m.SeenCount, m.Version, m.ProposalID = e.Now, e.Now, e.Now, 1, 0, ""
	d := e.Decision(old.Scope)
	d.Verdict, d.Rule, d.Fired = memory.VerdictPromoted, review.RuleEdit, []string{review.RuleEdit}
	d.MemoryID, d.Target, d.Reason = m.ID, old.ID, e.Person+" wrote it anew"
	m.DecisionID = d.ID
	e.Set.Memories = append(e.Set.Memories, m)
	e.Supersede(old, m, "edited", d.ID)
	e.Recorded(m, d.ID, old.ID)
	e.Decide(d, nil)
	if _, err := o.Store.Commit(ctx, o.Tenant, e.Set, store.InboxKey{}); err != nil {
		return "", fmt.Errorf("edit %s: commit: %w", id, err)
	}
	return m.ID, nil
}

// Archive takes a memory out of service. It can be undone.
func (o *Ops) Archive(ctx context.Context, id, reason string) (string, error) {
	m, err := o.active(ctx, id)
	if err != nil {
		return "", fmt.Errorf("archive %s: %w", id, err)
	}
	e := o.effect()
	d := e.Decision(m.Scope)
	d.Verdict, d.Rule, d.Fired, d.MemoryID = memory.VerdictRejected, review.RuleArchive, []string{review.RuleArchive}, m.ID
	d.Reason = e.Person + " archived it"
	m.State, m.ArchivedAt, m.ArchiveReason = memory.StateArchived, e.Now, "archived"
	if reason != "" {
		d.Reason += ": " + reason
		m.ArchiveReason = reason
	}
	e.UpdateMemory(m)
	e.Archived(m, d.ID)
	e.Decide(d, nil)
	if _, err := o.Store.Commit(ctx, o.Tenant, e.Set, store.InboxKey{}); err != nil {
		return "", fmt.Errorf("archive %s: commit: %w", id, err)
	}
	return d.ID, nil
}

func (o *Ops) active(ctx context.Context, id string) (memory.Memory, error) {
	m, err := o.Store.Memory(ctx, o.Tenant, id)
	if err == nil && m.State != memory.StateActive {
		err = fmt.Errorf("%w: it is archived (%s)", ErrState, m.ArchiveReason)
	}
	return m, err
}

// Memories lists memories, those in service unless archived ones are asked for.
// An empty scope means all.
func (o *Ops) Memories(ctx context.Context, scope string, archived bool, limit int) ([]memory.Memory, error) {
	q := store.MemoryQuery{States: []memory.State{memory.StateActive}, Newest: true, Limit: limit}
	if scope != "" {
		var err error
		if q.Scope, err = memory.ParseScope(scope); err != nil {
			return nil, err
		}
	}
	if archived {
		q.States = nil
	}
	return o.Store.Memories(ctx, o.Tenant, q)
}

// History is a memory with all that it superseded and was superseded by, oldest
// first.
func (o *Ops) History(ctx context.Context, id string) ([]memory.Memory, error) {
	seen := map[string]bool{}
	var chain []memory.Memory
	var visit func(string) error
	visit = func(id string) error {
		if seen[id] {
			return nil
		}
		seen[id] = true
		m, err := o.Store.Memory(ctx, o.Tenant, id)
		if err != nil {
			return err
		}
		links, err := o.Store.Links(ctx, o.Tenant, id)
		if err != nil {
			return err
		}
		for _, l := range links {
			if l.Kind == memory.LinkSupersedes && l.From == id {
				if err := visit(l.To); err != nil {
					return err
				}
			}
		}
		chain = append(chain, m)
		for _, l := range links {
			if l.Kind == memory.LinkSupersedes && l.To == id {
				if err := visit(l.From); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := visit(id); err != nil {
		return nil, fmt.Errorf("history of %s: %w", id, err)
	}
	return chain, nil
}
