package consolidate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/consolidation"
	"github.com/winnowhq/winnow/services/internal/consolidation/merge"
	"github.com/winnowhq/winnow/services/internal/consolidation/report"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// offeredMost bounds the questions that are remembered of each rule, the newest.
const offeredMost = 1000

// question is what a person was asked about memories of a scope.
type question struct {
	state   memory.ProposalState
	members []string
}

// questions returns what a person was asked by a rule, about a run's scope.
func (w *work) questions(ctx context.Context, run memory.Run, rule string) ([]question, error) {
	asked, err := w.Store.Decisions(ctx, run.Tenant, store.DecisionQuery{Scope: run.Scope, Rule: rule, Newest: true, Limit: offeredMost})
	if err != nil || len(asked) == 0 {
		return nil, err
	}
	var ids []string
	for _, d := range asked {
		ids = append(ids, d.ProposalID)
	}
	proposals, err := w.Store.Proposals(ctx, run.Tenant, store.ProposalQuery{IDs: ids})
	if err != nil {
		return nil, fmt.Errorf("questions: %w", err)
	}
	links, err := w.Store.Links(ctx, run.Tenant, ids...)
	if err != nil {
		return nil, fmt.Errorf("questions: %w", err)
	}
	members := map[string][]string{}
	for _, l := range links {
		if l.Kind == memory.LinkDerivedFrom {
			members[l.From] = append(members[l.From], l.To)
		}
	}
	var list []question
	for _, p := range proposals {
		if len(members[p.ID]) > 0 {
			list = append(list, question{p.State, members[p.ID]})
		}
	}
	return list, nil
}

// offered returns the groups about which a person was asked before.
func (w *work) offered(ctx context.Context, run memory.Run) ([]consolidation.Offered, error) {
	var list []consolidation.Offered
	for _, rule := range []string{consolidation.RuleTheme, consolidation.RuleContradiction} {
		asked, err := w.questions(ctx, run, rule)
		if err != nil {
			return nil, err
		}
		for _, q := range asked {
			switch {
			case q.state.Open():
				list = append(list, consolidation.Offered{Members: q.members})
			case q.state == memory.ProposalRejected, q.state == memory.ProposalExpired:
				list = append(list, consolidation.Offered{Members: q.members, Declined: true})
			}
		}
	}
	return list, nil
}

// contradiction ends a step whose sources contradict each other, and asks a person which
// of the two holds (D12). Each pair is asked about once, whatever became of the question.
func (w *work) contradiction(
	ctx context.Context, run memory.Run, item memory.RunItem, sources []consolidation.Candidate, why *merge.Refusal,
) (change.Set, error) {
	set := w.without(item, memory.ItemRefused, why.Reason)
	pair := slices.DeleteFunc(slices.Clone(sources), func(s consolidation.Candidate) bool { return !slices.Contains(why.IDs, s.ID) })
	if len(pair) != 2 {
		return set, nil
	}
	asked, err := w.questions(ctx, run, consolidation.RuleContradiction)
	if err != nil {
		return change.Set{}, err
	}
	for _, q := range asked {
		if slices.Contains(q.members, pair[0].ID) && slices.Contains(q.members, pair[1].ID) {
			return set, nil
		}
	}
	evidence, err := w.Store.Evidence(ctx, run.Tenant, pair[0].ID, pair[1].ID)
	if err != nil {
		return change.Set{}, fmt.Errorf("evidence: %w", err)
	}
	d, err := report.DetailOf(item)
	if err != nil {
		return change.Set{}, err
	}
	ended := set.RunItems[0]
	asks, p := consolidation.Contradiction(consolidation.Act{
		Now: ended.EndedAt, NewID: w.NewID, RunID: run.ID, Group: d.Group(), Sources: pair, Evidence: evidence,
		Similarity: d.Similarity, Calibration: d.Calibration,
	}, asSentence(why.Reason))
	ended.ProposalID = p.ID
	asks.RunItems = []memory.RunItem{ended}
	return asks, nil
}

// asSentence returns a reason as a decision has it: with a capital and a full stop.
func asSentence(reason string) string {
	if reason == "" {
		return ""
	}
	return strings.ToUpper(reason[:1]) + reason[1:] + "."
}
