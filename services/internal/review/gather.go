package review

import (
	"context"
	"slices"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review/page"
	"github.com/winnowhq/winnow/services/internal/store"
)

const (
	// maxWaiting bounds what one digest looks at. It shows ten and counts the
	// rest; a backlog beyond this is counted as so many.
	maxWaiting = 5000
	// maxSpots bounds the promotions that a sample is drawn from, and maxSifted
	// those of other reviewers that are passed over on the way to them.
	maxSpots, maxSifted = 200, 10_000
	// pageSize is how many rows one query brings. A digest is made once a week,
	// and not by a query for each row.
	pageSize = 1000
)

// waiting is a proposal that waits, with the decision that put it before a
// person.
type waiting struct {
	proposal memory.Proposal
	standing memory.Decision // zero when nothing has been decided yet
}

// since is when it began to wait for a person. What an undo put back begins
// anew, whatever its age: nobody has been asked about it yet.
func (w waiting) since() time.Time {
	if w.standing.At.IsZero() {
		return w.proposal.CreatedAt
	}
	return w.standing.At
}

// waiting lists what waits for the reviewer, oldest first.
func (m *Mail) waiting(ctx context.Context, r routes) ([]waiting, error) {
	var mine []waiting
	query := store.ProposalQuery{States: []memory.ProposalState{memory.ProposalNeedsReview}, Limit: pageSize}
	for len(mine) < maxWaiting {
		list, err := m.Store.Proposals(ctx, m.Tenant, query)
		if err != nil || len(list) == 0 {
			return mine, err
		}
		query.After = list[len(list)-1].ID
		list = slices.DeleteFunc(list, func(p memory.Proposal) bool { return r.reviewer(p.Scope) != m.Reviewer })
		standing, err := m.decisions(ctx, list)
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			mine = append(mine, waiting{p, standing[p.DecisionID]})
		}
	}
	return mine, nil
}

// decisions are those in force on the proposals, by id.
func (m *Mail) decisions(ctx context.Context, list []memory.Proposal) (map[string]memory.Decision, error) {
	var ids []string
	for _, p := range list {
		if p.DecisionID != "" {
			ids = append(ids, p.DecisionID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := m.Store.Decisions(ctx, m.Tenant, store.DecisionQuery{IDs: ids})
	return byID(found, func(d memory.Decision) string { return d.ID }), err
}

// questions adds to what waits the text that it stands against.
func (m *Mail) questions(ctx context.Context, asked []waiting) ([]page.Question, error) {
	var ids []string
	for _, w := range asked {
		ids = append(ids, w.standing.Target)
	}
	memories, err := m.memories(ctx, ids)
	if err != nil {
		return nil, err
	}
	proposals, err := m.proposals(ctx, ids)
	if err != nil {
		return nil, err
	}
	questions := make([]page.Question, 0, len(asked))
	for _, w := range asked {
		q := page.Question{Proposal: w.proposal, Decision: w.standing}
		target := w.standing.Target
		if stored, is := memories[target]; is && stored.State == memory.StateActive {
			q.Against = stored.Text
		} else if open, is := proposals[target]; is && open.State.Open() {
			q.Against = open.Text
		} else if w.standing.Advice == memory.AdviceReplace {
			// What was to be replaced is out of service by now: whether the text
			// is wanted all the same is for the person to say.
			q.Decision.Target, q.Decision.Advice = "", memory.AdviceReview
		}
		questions = append(questions, q)
	}
	return questions, nil
}

// memories reads the memories among the ids. Those that are gone are left out.
func (m *Mail) memories(ctx context.Context, ids []string) (map[string]memory.Memory, error) {
	all := map[string]memory.Memory{}
	for page := range slices.Chunk(ofKind(ids, memory.PrefixMemory), pageSize) {
		found, err := m.Store.Memories(ctx, m.Tenant, store.MemoryQuery{IDs: page})
		if err != nil {
			return nil, err
		}
		for _, row := range found {
			all[row.ID] = row
		}
	}
	return all, nil
}

// proposals does so for proposals.
func (m *Mail) proposals(ctx context.Context, ids []string) (map[string]memory.Proposal, error) {
	all := map[string]memory.Proposal{}
	for page := range slices.Chunk(ofKind(ids, memory.PrefixProposal), pageSize) {
		found, err := m.Store.Proposals(ctx, m.Tenant, store.ProposalQuery{IDs: page})
		if err != nil {
			return nil, err
		}
		for _, row := range found {
			all[row.ID] = row
		}
	}
	return all, nil
}

// ofKind are the ids of one kind, each once.
func ofKind(ids []string, prefix string) []string {
	var list []string
	for _, id := range ids {
		if kind, _ := memory.ParseID(id, prefix); kind == prefix {
			list = append(list, id)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func byID[R any](rows []R, id func(R) string) map[string]R {
	all := make(map[string]R, len(rows))
	for _, row := range rows {
		all[id(row)] = row
	}
	return all
}

// spots are memories that triage promoted for the reviewer in the time reported
// and that are in service still, newest first.
func (m *Mail) spots(ctx context.Context, r routes, from, until time.Time) ([]page.Spot, error) {
	made, err := m.promotions(ctx, r, from, until)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, d := range made {
		ids = append(ids, d.MemoryID)
	}
	memories, err := m.memories(ctx, ids)
	if err != nil {
		return nil, err
	}
	var spots []page.Spot
	for _, d := range made {
		if mem, is := memories[d.MemoryID]; is && mem.State == memory.StateActive {
			spots = append(spots, page.Spot{
				MemoryID: mem.ID, DecisionID: d.ID, Text: mem.Text, Rule: d.Rule, Scope: mem.Scope, Authority: mem.Authority,
			})
		}
	}
	return spots, nil
}

// promotions are triage's for the reviewer, newest first.
func (m *Mail) promotions(ctx context.Context, r routes, from, until time.Time) ([]memory.Decision, error) {
	var mine []memory.Decision
	query := store.PromotionQuery{Since: from, Until: until, Limit: maxSpots}
	for sifted := 0; sifted < maxSifted; sifted += query.Limit {
		list, err := m.Store.Promotions(ctx, m.Tenant, query)
		if err != nil || len(list) == 0 {
			return mine, err
		}
		query.After = list[len(list)-1]
		for _, d := range list {
			if d.MemoryID == "" || r.reviewer(d.Scope) != m.Reviewer {
				continue
			}
			if mine = append(mine, d); len(mine) == maxSpots {
				return mine, nil
			}
		}
	}
	return mine, nil
}
