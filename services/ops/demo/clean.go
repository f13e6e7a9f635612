package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/ops"
)

// cleanReason is the reason of each decision of [Clean].
const cleanReason = "the sample week was taken out"

// Cleaned counts what [Clean] changed.
type Cleaned struct {
	Archived int `json:"archived"` // memories
	Rejected int `json:"rejected"` // questions that were open
	Removed  int `json:"removed"`  // terms and texts of the registry
}

// Clean takes the sample week out of an installation: its memories are archived, its open
// questions rejected, its registry removed. What a person proposed or remembered beside it
// stays. Each step is a decision that can be undone. Clean is idempotent.
func Clean(ctx context.Context, o *ops.Ops) (c Cleaned, err error) {
	proposals, err := proposals(ctx, o)
	if err != nil {
		return c, err
	}
	memories, err := seeded(ctx, o)
	if err != nil {
		return c, err
	}
	for _, p := range proposals {
		if p.State == memory.ProposalNeedsReview || p.State == memory.ProposalQuarantined {
			if _, err := o.Decide(ctx, p.ID, ops.Answer{Action: ops.ActionReject, Note: cleanReason}); err != nil {
				return c, err
			}
			c.Rejected++
		}
		decisions, err := o.Store.Decisions(ctx, o.Tenant, store.DecisionQuery{ProposalID: p.ID, Limit: decisionsOfOne})
		if err != nil {
			return c, fmt.Errorf("decisions of %s: %w", p.ID, err)
		}
		for _, d := range decisions {
			if d.MemoryID != "" {
				memories = append(memories, d.MemoryID)
			}
		}
	}
	slices.Sort(memories)
	for _, id := range slices.Compact(memories) {
		m, err := o.Store.Memory(ctx, o.Tenant, id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return c, fmt.Errorf("memory %s: %w", id, err)
		}
		if err != nil || m.State != memory.StateActive {
			continue
		}
		if _, err := o.Archive(ctx, id, cleanReason); err != nil {
			return c, err
		}
		c.Archived++
	}
	c.Removed, err = unregister(ctx, o)
	return c, err
}

// decisionsOfOne bounds the decisions of one proposal that are read. Each answer and undo
// of a person adds one.
const decisionsOfOne = 1000

// proposals returns what the week and its sessions proposed.
func proposals(ctx context.Context, o *ops.Ops) (list []memory.Proposal, err error) {
	week, err := Week()
	if err != nil {
		return nil, err
	}
	sessions, err := Sessions()
	if err != nil {
		return nil, err
	}
	queries := make([]store.ProposalQuery, 0, len(week)+len(sessions))
	for _, s := range week {
		queries = append(queries, store.ProposalQuery{EventID: s.Proposal.GetId(), Principal: s.Principal, Limit: 1})
	}
	for _, s := range sessions {
		queries = append(queries, store.ProposalQuery{SessionID: s.Session, Principal: SessionPrincipal, Limit: 100})
	}
	for _, q := range queries {
		some, err := o.Store.Proposals(ctx, o.Tenant, q)
		if err != nil {
			return nil, fmt.Errorf("proposals of the sample week: %w", err)
		}
		list = append(list, some...)
	}
	return list, nil
}

// seeded returns the ids of the earlier memories, which have no event: by scope and text.
func seeded(ctx context.Context, o *ops.Ops) (ids []string, err error) {
	texts := map[string][]string{} // by scope
	for lines := json.NewDecoder(bytes.NewReader(memoriesFile)); lines.More(); {
		var e ops.Entry
		if err := lines.Decode(&e); err != nil {
			return nil, fmt.Errorf("memories of the sample week: %w", err)
		}
		texts[e.Scope] = append(texts[e.Scope], e.Text)
	}
	const most = 10_000
	for scope, known := range texts {
		list, err := o.Memories(ctx, scope, false, most)
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			if slices.Contains(known, m.Text) {
				ids = append(ids, m.ID)
			}
		}
	}
	return ids, nil
}

// unregister removes the terms and the texts of the sample company, where they are as the
// week registered them.
func unregister(ctx context.Context, o *ops.Ops) (removed int, err error) {
	own, err := Registry()
	if err != nil {
		return 0, err
	}
	present, err := o.Store.Registry(ctx, o.Tenant)
	if err != nil {
		return 0, fmt.Errorf("registry: %w", err)
	}
	var terms, texts []string
	for _, r := range present.Retired {
		if slices.ContainsFunc(own.Retired, func(t ops.RetiredTerm) bool {
			return t.Term == r.Term && t.Scope == string(r.Scope) && t.Replacement == r.Replacement && t.Since == r.Since.Format(time.DateOnly)
		}) {
			terms = append(terms, r.ID)
		}
	}
	for _, b := range present.BootFiles {
		if slices.ContainsFunc(own.BootFiles, func(t ops.BootText) bool {
			return t.Name == b.Name && t.Scope == string(b.Scope) && t.Text == b.Text
		}) {
			texts = append(texts, b.ID)
		}
	}
	if len(terms) > 0 {
		if _, err := o.RemoveRetired(ctx, terms...); err != nil {
			return 0, err
		}
	}
	if len(texts) > 0 {
		if _, err := o.RemoveBootFile(ctx, texts...); err != nil {
			return len(terms), err
		}
	}
	return len(terms) + len(texts), nil
}
