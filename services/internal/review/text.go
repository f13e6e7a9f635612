package review

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// MemoriesOf returns the memories among the ids, by id. Other ids, and rows that are
// not stored any more, are not in it.
func MemoriesOf(ctx context.Context, s store.Reader, tenant memory.Tenant, ids ...string) (map[string]memory.Memory, error) {
	all := map[string]memory.Memory{}
	for page := range slices.Chunk(ofKind(ids, memory.PrefixMemory), pageSize) {
		found, err := s.Memories(ctx, tenant, store.MemoryQuery{IDs: page})
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			all[m.ID] = m
		}
	}
	return all, nil
}

// ProposalsOf is [MemoriesOf] for proposals.
func ProposalsOf(ctx context.Context, s store.Reader, tenant memory.Tenant, ids ...string) (map[string]memory.Proposal, error) {
	all := map[string]memory.Proposal{}
	for page := range slices.Chunk(ofKind(ids, memory.PrefixProposal), pageSize) {
		found, err := s.Proposals(ctx, tenant, store.ProposalQuery{IDs: page})
		if err != nil {
			return nil, err
		}
		for _, p := range found {
			all[p.ID] = p
		}
	}
	return all, nil
}

// Texts returns the texts of memories and proposals, by id. Other ids, such as a line
// of a boot file, and rows that retention deleted are not in it.
func Texts(ctx context.Context, s store.Reader, tenant memory.Tenant, ids ...string) (map[string]string, error) {
	memories, err := MemoriesOf(ctx, s, tenant, ids...)
	if err != nil {
		return nil, err
	}
	proposals, err := ProposalsOf(ctx, s, tenant, ids...)
	if err != nil {
		return nil, err
	}
	texts := make(map[string]string, len(memories)+len(proposals))
	for id, m := range memories {
		texts[id] = m.Text
	}
	for id, p := range proposals {
		texts[id] = p.Text
	}
	return texts, nil
}

// Standing returns the decisions in force on proposals, by the proposals' ids.
// Proposals without a decision are not in it.
func Standing(ctx context.Context, s store.Reader, tenant memory.Tenant, list []memory.Proposal) (map[string]memory.Decision, error) {
	var ids []string
	for _, p := range list {
		if p.DecisionID != "" {
			ids = append(ids, p.DecisionID)
		}
	}
	standing := map[string]memory.Decision{}
	for page := range slices.Chunk(ids, pageSize) {
		found, err := s.Decisions(ctx, tenant, store.DecisionQuery{IDs: page})
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			standing[d.ID] = d
		}
	}
	byProposal := make(map[string]memory.Decision, len(standing))
	for _, p := range list {
		d, known := standing[p.DecisionID]
		if p.DecisionID != "" && !known {
			return nil, fmt.Errorf("decision of %s: %w: %s", p.ID, store.ErrNotFound, p.DecisionID)
		}
		if known {
			byProposal[p.ID] = d
		}
	}
	return byProposal, nil
}

// clip cuts a text to at most this many bytes, at the end of a character.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	cut := most - len("…")
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
