package cluster

import (
	"context"
	"fmt"
	"slices"
)

// Greedy groups by the predecessors' algorithm (S0.55, S4.41), for `clustering:
// greedy`: each item that is in no group yet takes all others that are similar to it
// and in no group, in their order, up to MaxMembers together. Only the first of a group
// is similar to all others, and the groups depend on the order of the items, so the
// caller should sort them.
//
// Copies are ordinary members here, and Duplicate is not used.
func Greedy(ctx context.Context, items []Item, c Config) (Result, error) {
	if err := c.Validate(); err != nil {
		return Result{}, fmt.Errorf("cluster: %w", err)
	}
	vectors := make([][]float32, len(items))
	for i := range items {
		vectors[i] = items[i].Vector
	}
	pairs, used, err := Pairs(ctx, vectors, c.Threshold, c.MaxPairs)
	if err != nil {
		return Result{}, fmt.Errorf("compare: %w", err)
	}
	near := make([][]int32, len(items))
	for _, p := range pairs {
		near[p.A] = append(near[p.A], p.B)
		near[p.B] = append(near[p.B], p.A)
	}
	result := Result{Threshold: used, Pairs: len(pairs)}
	taken := make([]bool, len(items))
	for i := range items {
		if taken[i] {
			continue
		}
		slices.Sort(near[i])
		group := Group{Members: []Member{{Item: i}}}
		for _, j := range near[i] {
			if !taken[j] && len(group.Members) < c.MaxMembers {
				taken[j] = true
				group.Members = append(group.Members, Member{Item: int(j)})
			}
		}
		if taken[i] = true; len(group.Members) > 1 {
			result.Groups = append(result.Groups, group)
		}
	}
	return result, nil
}
