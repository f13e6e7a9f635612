package projection

import (
	"context"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/store"
)

// page is how many rows are read at once.
const page = 1000

// waitingImportance ranks new entries of people above all others, so that the budget
// never hides them from their authors.
const waitingImportance = 10

// items returns the content of a scope's MEMORY.md: its active memories, and entries
// written by hand that wait for a decision, in place of the memories that they would
// replace. open says that there are waiting entries.
func items(ctx context.Context, r store.Reader, tenant memory.Tenant, scope memory.Scope) (items []memoryfile.Item, open bool, err error) {
	waiting, err := Waiting(ctx, r, tenant, scope)
	if err != nil {
		return nil, false, err
	}
	replaced := map[string]bool{}
	for _, w := range waiting {
		items = append(items, w.item())
		replaced[w.Replaces] = true
	}
	active, err := Active(ctx, r, tenant, scope)
	if err != nil {
		return nil, false, err
	}
	for _, m := range active {
		if !replaced[m.ID] {
			items = append(items, memoryfile.ItemOf(m))
		}
	}
	return items, len(waiting) > 0, nil
}

// Active returns a scope's active memories, by id.
func Active(ctx context.Context, r store.Reader, tenant memory.Tenant, scope memory.Scope) ([]memory.Memory, error) {
	var all []memory.Memory
	q := store.MemoryQuery{Scope: scope, States: []memory.State{memory.StateActive}, Limit: page}
	for {
		list, err := r.Memories(ctx, tenant, q)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
		if len(list) < page {
			return all, nil
		}
		q.After = list[len(list)-1].ID
	}
}

// HandWritten is an entry of a file that a person wrote and that waits for a decision.
type HandWritten struct {
	memory.Proposal
	Replaces string // memory whose place it would take; empty for none
}

// Waiting returns the entries that people wrote into a scope's files and that wait for
// a decision, by id.
func Waiting(ctx context.Context, r store.Reader, tenant memory.Tenant, scope memory.Scope) ([]HandWritten, error) {
	q := store.ProposalQuery{
		Scope: scope, Principal: memory.VaultPrincipal(tenant), Limit: page,
		States: []memory.ProposalState{memory.ProposalPending, memory.ProposalNeedsReview},
	}
	var all []HandWritten
	for {
		list, err := r.Proposals(ctx, tenant, q)
		if err != nil {
			return nil, err
		}
		standing, err := standing(ctx, r, tenant, list)
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			w := HandWritten{Proposal: p}
			d, known := standing[p.DecisionID]
			if p.DecisionID != "" && !known {
				return nil, fmt.Errorf("decision of %s: %w: %s", p.ID, store.ErrNotFound, p.DecisionID)
			}
			if d.Advice == memory.AdviceReplace {
				w.Replaces = d.Target
			}
			all = append(all, w)
		}
		if len(list) < page {
			return all, nil
		}
		q.After = list[len(list)-1].ID
	}
}

// standing returns the decisions in force on a page of proposals, by id.
func standing(ctx context.Context, r store.Reader, tenant memory.Tenant, list []memory.Proposal) (map[string]memory.Decision, error) {
	var ids []string
	for _, p := range list {
		if p.DecisionID != "" {
			ids = append(ids, p.DecisionID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := r.Decisions(ctx, tenant, store.DecisionQuery{IDs: ids})
	byID := make(map[string]memory.Decision, len(found))
	for _, d := range found {
		byID[d.ID] = d
	}
	return byID, err
}

func (w HandWritten) item() memoryfile.Item {
	section := w.Section
	if section == "" {
		section = memory.SectionFor(w.Kind)
	}
	return memoryfile.Item{
		ID: w.ID, Section: section, Text: w.Text, Importance: waitingImportance, Confidence: 1, Seen: w.SeenCount,
		CreatedAt: w.CreatedAt, Pinned: true,
	}
}
