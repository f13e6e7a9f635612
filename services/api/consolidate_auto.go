package api

import (
	"context"
	"errors"
	"fmt"
	"time"

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
	ProjectID   string  `json:"project_id,omitempty" jsonschema:"Project whose memories are merged, such as github.com/acme/api; else default."`
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
		"project_id": length(0, memory.MaxScope), "memory_count_threshold": number(0, 1_000_000, 0), "similarity_threshold": number(0, mostSimilar, 0),
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
	scope, err := a.newProject(ctx, in.ProjectID)
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
	ProjectID   string  `json:"project_id,omitempty" jsonschema:"Project whose memories are merged, such as github.com/acme/api; else default."`
	Threshold   float64 `json:"similarity_threshold,omitempty" jsonschema:"Cosine above which two memories may be merged, strictly. Left out or 0, the point that is calibrated for the embedding model."`
	MinCluster  int     `json:"min_cluster_size,omitempty" jsonschema:"Least number of memories that are merged into one."`
	MaxAgeDays  int     `json:"max_age_days,omitempty" jsonschema:"Leave older memories alone; 0 takes all."`
	MaxMemories int     `json:"max_memories,omitempty" jsonschema:"Compare at most so many memories, the newest."`
	DryRun      bool    `json:"dry_run,omitempty" jsonschema:"Only say what would be merged."`
}

// force implements force_consolidate (S0.66).
func (a *api) force(ctx context.Context, in forceInput) (runOutput, error) {
	scope, err := a.newProject(ctx, in.ProjectID)
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
	IDs     []string `json:"ids" jsonschema:"Ids of the memories to merge into one: of one project, of one kind, about one thing."`
	Project string   `json:"project,omitempty" jsonschema:"Your project, such as github.com/acme/api. What is not visible from it is unknown."`
	DryRun  bool     `json:"dry_run,omitempty" jsonschema:"Only say what would become of them."`
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
	sees, err := a.from(ctx, in.Project)
	if err != nil {
		return runOutput{}, err
	}
	byID := map[string]memory.Memory{}
	for _, m := range rows {
		if sees(m.Scope) && callerOf(ctx).MayAct(m.Scope) {
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

// statusInput is the input of consolidation_status (S0.52, S0.62).
type statusInput struct {
	ProjectID string `json:"project_id,omitempty" jsonschema:"Project such as github.com/acme/api; else default."`
	History   int    `json:"history_limit,omitempty" jsonschema:"How many past runs to list."`
}

// statusOutput is S0.67's answer.
type statusOutput struct {
	Scope          string    `json:"scope" jsonschema:"The scope that it is about."`
	Memories       int       `json:"memory_count" jsonschema:"Active memories."`
	Threshold      int       `json:"memory_count_threshold" jsonschema:"With more memories than this a run begins by itself, when the last one is a window ago."`
	Window         string    `json:"window" jsonschema:"Least time between two runs."`
	LastRun        string    `json:"last_run,omitempty" jsonschema:"When the last run was asked for, in UTC; absent before the first."`
	Running        string    `json:"running,omitempty" jsonschema:"Id of the run that has not ended."`
	Needed         bool      `json:"needed" jsonschema:"True when a run is due."`
	Recommendation string    `json:"recommendation" jsonschema:"What to do, in words."`
	Provider       string    `json:"embedding_provider" jsonschema:"The model that finds what is similar."`
	Warning        string    `json:"warning,omitempty" jsonschema:"What limits the quality of a run."`
	History        []pastRun `json:"history" jsonschema:"Past runs, the newest first."`
}

// pastRun is one line of a scope's history.
type pastRun struct {
	RunID    string `json:"run_id" jsonschema:"Its id, for run_get."`
	Status   string `json:"status" jsonschema:"How it ended, or how far it is."`
	Trigger  string `json:"trigger" jsonschema:"What asked for it: threshold, interval, weekly or person."`
	At       string `json:"at" jsonschema:"When it was asked for, in UTC."`
	DryRun   bool   `json:"dry_run" jsonschema:"True when it changed nothing."`
	Examined int    `json:"total_processed" jsonschema:"Memories that it looked at."`
	Created  int    `json:"created_count" jsonschema:"Memories that it made of others."`
	Archived int    `json:"archived_count" jsonschema:"Memories that went into those."`
	Offered  int    `json:"offered_count" jsonschema:"Groups about which it asked a person."`
}

func statusTool() (*mcp.Tool, error) {
	input, err := schemaOf[statusInput](map[string]edit{"project_id": length(0, memory.MaxScope), "history_limit": number(0, 100, 5)})
	if err != nil {
		return nil, err
	}
	output, err := schemaOf[statusOutput](nil)
	return &mcp.Tool{
		Name: "consolidation_status", Title: "State of consolidation",
		Description: "Says how many memories a project has, when they were last merged, whether a run is due, and which embedding model finds what is similar. " +
			"It changes nothing.",
		Annotations: reads("State of consolidation"), InputSchema: input, OutputSchema: output,
	}, err
}

// status implements consolidation_status.
func (a *api) status(ctx context.Context, in statusInput) (statusOutput, error) {
	out := statusOutput{History: []pastRun{}}
	scope, err := a.newProject(ctx, in.ProjectID)
	if err != nil {
		return out, err
	}
	tenant := callerOf(ctx).Tenant
	provider, err := trigger.ProviderOf(ctx, a.Truth, tenant)
	if err != nil {
		return out, err
	}
	s, err := a.asker().Status(ctx, tenant, scope, provider)
	if err != nil {
		return out, err
	}
	out.Scope, out.Memories, out.Threshold, out.Window = string(scope), s.Memories, s.Threshold, s.Window
	out.Running, out.Needed, out.Recommendation, out.Provider, out.Warning = s.Running, s.Needed, s.Recommendation, s.Provider, s.Warning
	if !s.LastRun.IsZero() {
		out.LastRun = s.LastRun.UTC().Format(time.RFC3339)
	}
	if in.History == 0 {
		return out, nil
	}
	list, err := a.Store.Runs(ctx, tenant, store.RunQuery{Scope: scope, Newest: true, Limit: in.History})
	for _, r := range list {
		out.History = append(out.History, pastRun{
			RunID: r.ID, Status: string(r.State), Trigger: string(r.Trigger), At: r.RequestedAt.UTC().Format(time.RFC3339), DryRun: r.Options.DryRun,
			Examined: r.Examined, Created: r.Created, Archived: r.Archived, Offered: r.Offered,
		})
	}
	return out, err
}

type runGetInput struct {
	RunID   string `json:"run_id" jsonschema:"Id of the run, as the tool that began it gave it."`
	Project string `json:"project,omitempty" jsonschema:"Your project, such as github.com/acme/api. A run that is not visible from it is unknown."`
}

func runGetTool() (*mcp.Tool, error) {
	input, err := schemaOf[runGetInput](map[string]edit{"run_id": length(1, maxID)})
	if err != nil {
		return nil, err
	}
	output, err := schemaOf[runOutput](nil)
	return &mcp.Tool{
		Name: "run_get", Title: "Result of a run",
		Description: "Reads what a consolidation run did, or how far it is. It changes nothing; the texts are read with memory_get.",
		Annotations: reads("Result of a run"), InputSchema: input, OutputSchema: output,
	}, err
}

// runGet implements run_get. The run of a scope that the caller may not read does not
// exist for the caller.
func (a *api) runGet(ctx context.Context, in runGetInput) (runOutput, error) {
	unknown := request("run_id: there is no run %s; consolidation_status lists the runs of a project", oneLine(in.RunID, maxID))
	if _, err := memory.ParseID(in.RunID, memory.PrefixRun); err != nil {
		return runOutput{}, unknown
	}
	run, err := a.Store.Run(ctx, callerOf(ctx).Tenant, in.RunID)
	if errors.Is(err, store.ErrNotFound) {
		return runOutput{}, unknown
	}
	if err == nil {
		var sees func(memory.Scope) bool
		if sees, err = a.from(ctx, in.Project); err == nil && !sees(run.Scope) {
			return runOutput{}, unknown
		}
	}
	if err != nil {
		return runOutput{}, err
	}
	return a.runOf(ctx, run)
}
