package consolidate

import (
	"context"
	"slices"

	"github.com/winnowhq/winnow/services/internal/consolidation"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// find returns the groups of a run.
func (w *work) find(ctx context.Context, run memory.Run, g gathered) (consolidation.Plan, error) {
	if run.Strategy == memory.RunExplicit {
		return explicit(run, g), nil
	}
	return consolidation.Find(ctx, g.candidates, nil, g.config)
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
