package api

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/internal/consolidation/trigger"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// capNote is in the description of the tools that compare a limited number of memories
// (S0.68, S0.73).
const capNote = "It compares the newest 1000 memories at most. "

// autoInput is S0's configuration of a run (S0.49).
type autoInput struct {
	ProjectID   string  `json:"project_id,omitempty" jsonschema:"Project whose memories are merged, such as github.com/acme/api. Without it the project default."`
	Count       int     `json:"memory_count_threshold,omitempty" jsonschema:"Begin only when the project has more memories than this. Left out or 0, the number in the settings."`
	Threshold   float64 `json:"similarity_threshold,omitempty" jsonschema:"Cosine above which two memories may be merged, strictly. Left out or 0, the point that is calibrated for the embedding model."`
	MinCluster  int     `json:"min_cluster_size,omitempty" jsonschema:"Least number of memories that are merged into one."`
	MaxAgeDays  int     `json:"max_age_days,omitempty" jsonschema:"Leave older memories alone; 0 takes all."`
	MaxMemories int     `json:"max_memories,omitempty" jsonschema:"Compare at most so many memories, the newest."`
	DryRun      bool    `json:"dry_run,omitempty" jsonschema:"Only say what would be merged."`
}

// autoEdits are the bounds of the arguments.
func (a *api) autoEdits() map[string]edit {
	return map[string]edit{
		"project_id": length(0, memory.MaxScopeID), "memory_count_threshold": number(0, 1_000_000, 0), "similarity_threshold": number(0, mostSimilar, 0),
		"min_cluster_size": number(2, 100, float64(a.consolidation.MinCluster)), "max_age_days": number(0, 36_500, float64(a.consolidation.MaxAgeDays)),
		"max_memories": number(2, float64(a.consolidation.MaxMemories), float64(a.consolidation.MaxMemories)),
	}
}

func (a *api) autoTool() (*mcp.Tool, error) {
	input, err := schemaOf[autoInput](a.autoEdits())
	if err != nil {
		return nil, err
	}
	output, err := schemaOf[runOutput](nil)
	return &mcp.Tool{
		Name: "auto_consolidate", Title: "Merge similar memories when there are many",
		Description: "Merges memories of a project that say the same, when there are more than a threshold and the last run is a day ago; " +
			"else it answers not needed. Safe in hooks. " + capNote + qualityNote,
		Annotations: merges("Merge similar memories when there are many"), InputSchema: input, OutputSchema: output,
	}, err
}

// auto implements auto_consolidate (S0.65).
func (a *api) auto(ctx context.Context, in autoInput) (runOutput, error) {
	scope, err := projectOrDefault(in.ProjectID)
	if err != nil {
		return runOutput{}, err
	}
	least := in.Count
	if least == 0 {
		least = a.consolidation.Count
	}
	f, err := a.asker().Facts(ctx, callerOf(ctx).Tenant, scope, memory.RunSimilar, least)
	if err != nil {
		return runOutput{}, err
	}
	if should := a.consolidation.Should(f, in.Count); !should.Needed {
		return notNeeded(should.Reason), nil
	}
	return a.begin(ctx, a.wanted(scope, f, in, false))
}

func (a *api) forceTool() (*mcp.Tool, error) {
	edits := a.autoEdits()
	delete(edits, "memory_count_threshold")
	input, err := schemaOf[forceInput](edits)
	if err != nil {
		return nil, err
	}
	output, err := schemaOf[runOutput](nil)
	return &mcp.Tool{
		Name: "force_consolidate", Title: "Merge similar memories now",
		Description: "Merges memories of a project that say the same, however few there are and however recent the last run, and reports on every group. " +
			capNote + qualityNote,
		Annotations: merges("Merge similar memories now"), InputSchema: input, OutputSchema: output,
	}, err
}

// forceInput is [autoInput] without a condition.
type forceInput struct {
	ProjectID   string  `json:"project_id,omitempty" jsonschema:"Project whose memories are merged, such as github.com/acme/api. Without it the project default."`
	Threshold   float64 `json:"similarity_threshold,omitempty" jsonschema:"Cosine above which two memories may be merged, strictly. Left out or 0, the point that is calibrated for the embedding model."`
	MinCluster  int     `json:"min_cluster_size,omitempty" jsonschema:"Least number of memories that are merged into one."`
	MaxAgeDays  int     `json:"max_age_days,omitempty" jsonschema:"Leave older memories alone; 0 takes all."`
	MaxMemories int     `json:"max_memories,omitempty" jsonschema:"Compare at most so many memories, the newest."`
	DryRun      bool    `json:"dry_run,omitempty" jsonschema:"Only say what would be merged."`
}

// force implements force_consolidate (S0.66).
func (a *api) force(ctx context.Context, in forceInput) (runOutput, error) {
	scope, err := projectOrDefault(in.ProjectID)
	if err != nil {
		return runOutput{}, err
	}
	f, err := a.asker().Facts(ctx, callerOf(ctx).Tenant, scope, memory.RunSimilar, 0)
	if err != nil {
		return runOutput{}, err
	}
	return a.begin(ctx, a.wanted(scope, f, autoInput{
		Threshold: in.Threshold, MinCluster: in.MinCluster, MaxAgeDays: in.MaxAgeDays, MaxMemories: in.MaxMemories, DryRun: in.DryRun,
	}, true))
}

func (a *api) wanted(scope memory.Scope, f trigger.Facts, in autoInput, force bool) trigger.Wanted {
	return trigger.Wanted{Scope: scope, Strategy: memory.RunSimilar, Last: f.Last, Options: a.consolidation.Options(memory.RunOptions{
		Threshold: in.Threshold, MinCluster: in.MinCluster, MaxAgeDays: in.MaxAgeDays, MaxMemories: in.MaxMemories, DryRun: in.DryRun, Force: force,
	})}
}

// idsInput names the memories to merge (S0.69).
type idsInput struct {
	IDs    []string `json:"ids" jsonschema:"Ids of the memories to merge into one: of one project, of one kind, about one thing."`
	DryRun bool     `json:"dry_run,omitempty" jsonschema:"Only say what would become of them."`
}

// maxMerged is the most memories that are merged into one.
const maxMerged = 20

func idsTool() (*mcp.Tool, error) {
	input, err := schemaOf[idsInput](map[string]edit{
		"ids": items(2, maxMerged, "Id of a memory, such as mem_01JD0000000000000000000000.", length(1, maxID)),
	})
	if err != nil {
		return nil, err
	}
	output, err := schemaOf[runOutput](nil)
	return &mcp.Tool{
		Name: "consolidate_memories", Title: "Merge these memories",
		Description: "Merges the memories that you name into one. What contradicts each other or is about different things stays as it is, and the answer says so. " +
			qualityNote,
		Annotations: merges("Merge these memories"), InputSchema: input, OutputSchema: output,
	}, err
}

// mergeIDs implements consolidate_memories.
func (a *api) mergeIDs(ctx context.Context, in idsInput) (runOutput, error) {
	rows, err := a.Store.Memories(ctx, callerOf(ctx).Tenant, store.MemoryQuery{IDs: in.IDs})
	if err != nil {
		return runOutput{}, err
	}
	byID := map[string]memory.Memory{}
	for _, m := range rows {
		if a.sees(ctx, m.Scope) {
			byID[m.ID] = m
		}
	}
	var scope memory.Scope
	for _, id := range in.IDs {
		m, known := byID[id]
		switch {
		case !known:
			return runOutput{}, fmt.Errorf("%w: %s; search again for current ids", errNotFound, oneLine(id, maxID))
		case m.State != memory.StateActive:
			return runOutput{}, request("ids: %s is archived; name its successor %s instead", m.ID, m.SuccessorID)
		case scope != "" && m.Scope != scope:
			return runOutput{}, request("ids: %s is of %s and another of %s; merge memories of one scope", m.ID, m.Scope, scope)
		}
		scope = m.Scope
	}
	if len(byID) < 2 {
		return runOutput{}, request("ids: name two different memories or more")
	}
	return a.begin(ctx, trigger.Wanted{
		Scope: scope, Strategy: memory.RunExplicit, Options: memory.RunOptions{IDs: in.IDs, DryRun: in.DryRun, Force: true},
	})
}

// projectOrDefault is projectScope, with the default project for none.
func projectOrDefault(project string) (memory.Scope, error) {
	scope, err := projectScope(project)
	if scope == "" {
		scope = "project:" + defaultProject
	}
	return scope, err
}
