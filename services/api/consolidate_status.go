package api

import (
	"context"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/internal/consolidation/trigger"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// statusInput is the input of consolidation_status (S0.52, S0.62).
type statusInput struct {
	ProjectID string `json:"project_id,omitempty" jsonschema:"Project such as github.com/acme/api. Without it the project default."`
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
	input, err := schemaOf[statusInput](map[string]edit{"project_id": length(0, memory.MaxScopeID), "history_limit": number(0, 100, 5)})
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
	scope, err := projectOrDefault(in.ProjectID)
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
	RunID string `json:"run_id" jsonschema:"Id of the run, as the tool that began it gave it."`
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
	if errors.Is(err, store.ErrNotFound) || err == nil && !a.sees(ctx, run.Scope) {
		return runOutput{}, unknown
	}
	if err != nil {
		return runOutput{}, err
	}
	return a.runOf(ctx, run)
}
