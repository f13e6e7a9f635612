package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// rows reads the rows that an undo or a retraction touches into its undoWorld: in
// batches, each row once. Later reads of single rows find them there.
type rows struct {
	*Decider
	w       *undoWorld
	gone    map[string]bool            // proposals and memories that retention deleted
	made    map[string]memory.Decision // every decision that was read
	links   map[string][]memory.Link   // by either end
	answers map[string]bool            // proposals whose reviews were read
	reviews map[string][]string        // answered decisions, by the answer
}

func newRows(d *Decider) *rows {
	return &rows{
		Decider: d, w: newUndoWorld(), gone: map[string]bool{}, made: map[string]memory.Decision{},
		links: map[string][]memory.Link{}, answers: map[string]bool{}, reviews: map[string][]string{},
	}
}

// load reads the proposals and memories among the ids, with their evidence. Ids of
// other things, such as a line of a boot file, are skipped.
func (r *rows) load(ctx context.Context, ids ...string) error {
	lacking := func(id string) bool {
		_, known := r.w.evidence[id]
		return !known && !r.gone[id]
	}
	proposals, memories := only(prefixed(ids, memory.PrefixProposal), lacking), only(prefixed(ids, memory.PrefixMemory), lacking)
	for page := range slices.Chunk(proposals, pageSize) {
		found, err := r.Store.Proposals(ctx, r.Tenant, store.ProposalQuery{IDs: page})
		if err != nil {
			return err
		}
		for _, p := range found {
			r.w.proposals[p.ID] = p
		}
	}
	for page := range slices.Chunk(memories, pageSize) {
		found, err := r.Store.Memories(ctx, r.Tenant, store.MemoryQuery{IDs: page})
		if err != nil {
			return err
		}
		for _, m := range found {
			r.w.memories[m.ID] = m
		}
	}
	var there []string
	for _, id := range append(proposals, memories...) {
		_, isProposal := r.w.proposals[id]
		_, isMemory := r.w.memories[id]
		if !isProposal && !isMemory {
			r.gone[id] = true
			continue
		}
		r.w.evidence[id] = nil
		there = append(there, id)
	}
	for page := range slices.Chunk(there, pageSize) {
		found, err := r.Store.Evidence(ctx, r.Tenant, page...)
		if err != nil {
			return err
		}
		for _, e := range found {
			r.w.evidence[e.Subject] = append(r.w.evidence[e.Subject], e)
		}
	}
	return nil
}

// need is load for required rows: the error is store.ErrNotFound for a row that
// retention deleted.
func (r *rows) need(ctx context.Context, ids ...string) error {
	if err := r.load(ctx, ids...); err != nil {
		return err
	}
	for _, id := range ids {
		if r.gone[id] {
			return fmt.Errorf("%s is gone by retention: %w: %s", id, store.ErrNotFound, id)
		}
	}
	return nil
}

// readDecisions reads decisions. Missing ones are left out.
func (r *rows) readDecisions(ctx context.Context, ids ...string) error {
	ids = only(sorted(ids), func(id string) bool { return id != "" && r.made[id].ID == "" })
	for page := range slices.Chunk(ids, pageSize) {
		found, err := r.Store.Decisions(ctx, r.Tenant, store.DecisionQuery{IDs: page})
		if err != nil {
			return err
		}
		for _, d := range found {
			r.made[d.ID] = d
		}
	}
	return nil
}

// decision returns a required decision; the error is store.ErrNotFound.
func (r *rows) decision(ctx context.Context, id string) (memory.Decision, error) {
	if err := r.readDecisions(ctx, id); err != nil {
		return memory.Decision{}, err
	}
	if d, known := r.made[id]; known {
		return d, nil
	}
	return memory.Decision{}, fmt.Errorf("%w: %s", store.ErrNotFound, id)
}

// readLinks reads the links from and to the ids.
func (r *rows) readLinks(ctx context.Context, ids ...string) error {
	ids = only(sorted(ids), func(id string) bool { _, known := r.links[id]; return !known && id != "" })
	for page := range slices.Chunk(ids, pageSize) {
		found, err := r.Store.Links(ctx, r.Tenant, page...)
		if err != nil {
			return err
		}
		asked := map[string]bool{}
		for _, id := range page {
			asked[id], r.links[id] = true, nil
		}
		for _, l := range found {
			if asked[l.From] {
				r.links[l.From] = append(r.links[l.From], l)
			}
			if asked[l.To] && l.To != l.From {
				r.links[l.To] = append(r.links[l.To], l)
			}
		}
	}
	return nil
}

// readAnswers reads people's answers to the proposals, and the decisions that they
// answered.
func (r *rows) readAnswers(ctx context.Context, proposals ...string) error {
	proposals = only(prefixed(proposals, memory.PrefixProposal), func(id string) bool { return !r.answers[id] })
	var overrode []string
	for page := range slices.Chunk(proposals, pageSize) {
		found, err := r.Store.Reviews(ctx, r.Tenant, page...)
		if err != nil {
			return err
		}
		for _, id := range page {
			r.answers[id] = true
		}
		for _, v := range found {
			if v.Overrode != "" {
				r.reviews[v.DecisionID] = append(r.reviews[v.DecisionID], v.Overrode)
				overrode = append(overrode, v.Overrode)
			}
		}
	}
	return r.readDecisions(ctx, overrode...)
}

// prefixed returns the ids with the prefix, each once.
func prefixed(ids []string, prefix string) []string {
	return only(sorted(ids), func(id string) bool { return strings.HasPrefix(id, prefix) })
}

func only(ids []string, wanted func(string) bool) []string {
	return slices.DeleteFunc(ids, func(id string) bool { return !wanted(id) })
}

// sorted returns the ids in order, each once.
func sorted(ids []string) []string {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}
