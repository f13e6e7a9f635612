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
	// maxWaiting bounds the proposals that one digest reads. It shows ten and counts
	// the rest; a larger backlog is counted as maxWaiting.
	maxWaiting = 5000
	// maxSpots bounds the promotions that a sample is drawn from, and maxSifted the
	// promotions of other reviewers that are read on the way.
	maxSpots, maxSifted = 200, 10_000
	// pageSize is how many rows one query reads. A digest is made once a week, and
	// reads in pages instead of row by row.
	pageSize = 1000
)

// waiting is a proposal that needs review, with the decision that sent it there.
type waiting struct {
	proposal memory.Proposal
	standing memory.Decision // zero when nothing has been decided yet
	sources  []memory.Memory // of an offer: what it would merge
	outdated bool            // an offer that can only be rejected
}

// since returns when the proposal began to wait for a person. After an undo it begins
// anew, at any age: no person has been asked about it yet.
func (w waiting) since() time.Time {
	if w.standing.At.IsZero() {
		return w.proposal.CreatedAt
	}
	return w.standing.At
}

// waiting lists the proposals that wait for the reviewer, oldest first.
func (m *Composer) waiting(ctx context.Context, r routes) ([]waiting, error) {
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
			mine = append(mine, waiting{proposal: p, standing: standing[p.DecisionID]})
		}
	}
	return mine, nil
}

// decisions returns the decisions in force on the proposals, by id.
func (m *Composer) decisions(ctx context.Context, list []memory.Proposal) (map[string]memory.Decision, error) {
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

// questions adds to each waiting proposal the text that it would replace or differs
// from.
func (m *Composer) questions(ctx context.Context, asked []waiting) ([]page.Question, error) {
	var ids []string
	for _, w := range asked {
		ids = append(ids, w.standing.Target)
	}
	memories, err := MemoriesOf(ctx, m.Store, m.Tenant, ids...)
	if err != nil {
		return nil, err
	}
	proposals, err := ProposalsOf(ctx, m.Store, m.Tenant, ids...)
	if err != nil {
		return nil, err
	}
	questions := make([]page.Question, 0, len(asked))
	for _, w := range asked {
		q := page.Question{Proposal: w.proposal, Decision: w.standing, Merges: Named(w.sources)}
		target := w.standing.Target
		if stored, is := memories[target]; is && stored.State == memory.StateActive {
			q.Against = stored.Text
		} else if open, is := proposals[target]; is && open.State.Open() {
			q.Against = open.Text
		} else if w.standing.Advice == memory.AdviceReplace {
			// The memory to be replaced is archived by now: whether the text is still
			// wanted is for the person to say.
			q.Decision.Target, q.Decision.Advice = "", memory.AdviceReview
		}
		questions = append(questions, q)
	}
	return questions, nil
}

// ofKind returns the ids of one kind, each once.
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

// spots returns memories that triage promoted for the reviewer in the reported period
// and that are still active, newest first.
func (m *Composer) spots(ctx context.Context, r routes, from, until time.Time) ([]page.Spot, error) {
	made, err := m.promotions(ctx, r, from, until)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, d := range made {
		ids = append(ids, d.MemoryID)
	}
	memories, err := MemoriesOf(ctx, m.Store, m.Tenant, ids...)
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

// promotions returns triage's promotions for the reviewer, newest first.
func (m *Composer) promotions(ctx context.Context, r routes, from, until time.Time) ([]memory.Decision, error) {
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
