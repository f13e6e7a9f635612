package ops

import (
	"context"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Edit stores another text in a memory's place; see [review.Decider.Edit].
func (o *Ops) Edit(ctx context.Context, id, text string) (string, error) {
	set, edited, err := o.decider().Edit(ctx, id, text, "")
	if err == nil {
		_, err = o.Store.Commit(ctx, o.Tenant, set, store.InboxKey{})
	}
	return edited, err
}

// Archive takes a memory out of service and returns the decision. It can be
// undone.
func (o *Ops) Archive(ctx context.Context, id, reason string) (string, error) {
	set, decision, err := o.decider().Archive(ctx, id, reason)
	if err == nil {
		_, err = o.Store.Commit(ctx, o.Tenant, set, store.InboxKey{})
	}
	return decision, err
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
