package consolidate

import (
	"context"
	"fmt"
	"slices"

	"github.com/winnowhq/winnow/services/internal/consolidation"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// find returns the groups of a run. Groups that a person took apart are left out.
func (w *work) find(ctx context.Context, run memory.Run, g gathered) (consolidation.Plan, error) {
	if run.Strategy == memory.RunExplicit {
		return explicit(run, g), nil
	}
	plan, err := consolidation.Find(ctx, g.candidates, nil, g.config)
	if err != nil {
		return plan, err
	}
	undone, err := w.Store.TakenBack(ctx, run.Tenant, run.Scope)
	if err != nil {
		return plan, fmt.Errorf("undone steps: %w", err)
	}
	plan.Groups = slices.DeleteFunc(plan.Groups, func(group consolidation.Group) bool { return takenApart(group, undone) })
	return plan, nil
}

// takenApart reports whether a person undid a step that merged two of the group's
// memories. What a person takes back is not done again.
func takenApart(g consolidation.Group, undone []memory.RunItem) bool {
	sources := g.Sources()
	for _, item := range undone {
		both := 0
		for _, id := range item.Sources {
			if slices.Contains(sources, id) {
				both++
			}
		}
		if both > 1 {
			return true
		}
	}
	return false
}

// explicit returns the one group that somebody named (S0.69). Whether its texts may be
// one is decided by the merge, which refuses what contradicts itself.
func explicit(run memory.Run, g gathered) consolidation.Plan {
	group := consolidation.Group{Mode: consolidation.ModeMerge, Average: 1, Minimum: 1, Why: "Somebody asked to merge these."}
	sum, n := 0.0, 0
	for i, c := range g.candidates {
		group.Members = append(group.Members, c.ID)
		for _, other := range g.candidates[:i] {
			if len(c.Vector) == 0 || len(other.Vector) == 0 {
				continue
			}
			s := vector.Cosine(c.Vector, other.Vector)
			sum, n = sum+s, n+1
			group.Minimum = min(group.Minimum, s)
		}
	}
	if n > 0 {
		group.Average = sum / float64(n)
	}
	slices.Sort(group.Members)
	plan := consolidation.Plan{Examined: len(g.candidates), Threshold: g.config.Threshold}
	if len(group.Members) > 1 {
		plan.Groups = []consolidation.Group{group}
	}
	return plan
}

// offeredMost bounds the questions that are remembered, the newest.
const offeredMost = 1000

// offered returns the groups about which a person was asked before.
func (w *work) offered(ctx context.Context, run memory.Run) ([]consolidation.Offered, error) {
	asked, err := w.Store.Decisions(ctx, run.Tenant, store.DecisionQuery{
		Scope: run.Scope, Rule: consolidation.RuleTheme, Newest: true, Limit: offeredMost,
	})
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
	var list []consolidation.Offered
	for _, p := range proposals {
		switch {
		case len(members[p.ID]) == 0:
		case p.State.Open():
			list = append(list, consolidation.Offered{Members: members[p.ID]})
		case p.State == memory.ProposalRejected, p.State == memory.ProposalExpired:
			list = append(list, consolidation.Offered{Members: members[p.ID], Declined: true})
		}
	}
	return list, nil
}
