package api

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/internal/consolidation/report"
	"github.com/winnowhq/winnow/services/internal/consolidation/trigger"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// qualityNote is in the description of every tool that begins a run (S0.68).
const qualityNote = "Its quality depends on the embedding model, which consolidation_status names. Nothing is deleted; a person can undo it."

// runOutput is the seeds' result (S0.50, S4.64), with the run's id and state. It has ids
// and numbers alone: texts are read with memory_get.
type runOutput struct {
	Status         string   `json:"status" jsonschema:"completed; partial: some steps were not taken; failed; running: it goes on without you; not_needed: nothing was asked for."`
	Message        string   `json:"message" jsonschema:"What happened, in words."`
	RunID          string   `json:"run_id,omitempty" jsonschema:"Id of the run, for run_get."`
	DryRun         bool     `json:"dry_run" jsonschema:"True when nothing was changed and the numbers say what would be."`
	Created        []string `json:"created_memories" jsonschema:"Ids of the memories that were made of others. A dry run has none yet; see created_count."`
	Archived       []string `json:"archived_memories" jsonschema:"Ids of the memories that went into them, or would."`
	CreatedCount   int      `json:"created_count" jsonschema:"How many memories were made, or would be."`
	Skipped        int      `json:"skipped_count" jsonschema:"Memories that were looked at and not merged."`
	Processed      int      `json:"total_processed" jsonschema:"Memories that were looked at."`
	Clusters       int      `json:"clusters_found" jsonschema:"Groups of memories that belong together."`
	Offered        int      `json:"offered_count" jsonschema:"Groups about which a person is asked."`
	Refused        int      `json:"refused_count" jsonschema:"Groups that were left as they are, because a detail would have been lost or contradicted."`
	Duration       float64  `json:"duration_seconds" jsonschema:"How long the run took."`
	Report         []string `json:"report" jsonschema:"One line for each group: which memories, what became of them, and why."`
	NextStep       string   `json:"next_step,omitempty" jsonschema:"What to do now."`
	Consolidated   int      `json:"memories_consolidated" jsonschema:"How many memories went into others, or would."`
	ConsolidatedID []string `json:"consolidated_memory_ids" jsonschema:"The same as created_memories."`
}

// The states of a run in an answer, beside those of memory.RunState.
const (
	statusRunning   = "running"
	statusNotNeeded = "not_needed"
)

// runWithin is how long a call waits for the end of its run. The run goes on after it.
const runWithin = callWithin - 5*time.Second

// begin asks for a run and waits for its end.
func (a *api) begin(ctx context.Context, w trigger.Wanted) (runOutput, error) {
	who := callerOf(ctx)
	w.Tenant, w.Principal, w.Trigger = who.Tenant, who.ID, memory.TriggerPerson
	run, set := a.asker().Ask(w)
	_, err := a.Store.Commit(ctx, who.Tenant, set, store.InboxKey{})
	if errors.Is(err, store.ErrConflict) {
		return notNeeded("another run of " + string(w.Scope) + " has begun; its result is in consolidation_status"), nil
	}
	if err != nil {
		return runOutput{}, fmt.Errorf("commit: %w", err)
	}
	a.Publisher.Wake()
	waiting, cancel := context.WithTimeout(ctx, runWithin)
	defer cancel()
	ended, err := a.asker().Await(waiting, who.Tenant, run.ID, nil)
	if err != nil {
		return runOutput{}, err
	}
	if ended.ID == "" {
		ended = run
	}
	return a.runOf(ctx, ended)
}

func notNeeded(why string) runOutput {
	return runOutput{Status: statusNotNeeded, Message: "Not needed: " + why + ".", Created: []string{}, Archived: []string{}, ConsolidatedID: []string{}, Report: []string{}}
}

// runOf returns a run with its steps as an answer.
func (a *api) runOf(ctx context.Context, run memory.Run) (runOutput, error) {
	items, err := a.Store.RunItems(ctx, run.Tenant, run.ID)
	if err != nil {
		return runOutput{}, fmt.Errorf("steps of %s: %w", run.ID, err)
	}
	sum := report.ResultOf(run, items, a.Now())
	out := runOutput{
		Status: string(run.State), Message: sum.Message, RunID: run.ID, DryRun: run.Options.DryRun,
		Created: sum.Created, Archived: sum.Archived, CreatedCount: sum.CreatedCount, Skipped: sum.Skipped, Processed: run.Examined,
		Clusters: sum.Clusters, Offered: sum.Offered, Refused: sum.Refused, Duration: sum.Duration.Seconds(), Report: []string{},
		Consolidated: len(sum.Archived), ConsolidatedID: sum.Created,
	}
	for _, line := range sum.Lines {
		out.Report = append(out.Report, oneLine(line, maxDescription))
	}
	switch {
	case run.Open():
		out.Status, out.NextStep = statusRunning, "Go on with your work. The run ends without you; read its result with run_get."
	case run.Options.DryRun && sum.CreatedCount > 0:
		out.NextStep = "Call the tool again without dry_run to merge them."
	case sum.CreatedCount > 0:
		out.NextStep = "Search as usual: the new memories are found in place of the old ones."
	}
	return out, nil
}

// consolidateInput is S4's input (S4.63) and S2's: two tools of one name (D16). Which
// is meant follows from the arguments.
type consolidateInput struct {
	Topic     string `json:"topic,omitempty" jsonschema:"Topic of a summary, such as auth."`
	Content   string `json:"content,omitempty" jsonschema:"The summary, 200 to 4000 tokens."`
	RestoreID string `json:"restore_id,omitempty" jsonschema:"Archived summary to put back, without content."`
	SessionID string `json:"session_id,omitempty" jsonschema:"Your session, as in the searches before."`

	ProjectID   string  `json:"project_id,omitempty" jsonschema:"Your project."`
	Threshold   float64 `json:"similarity_threshold,omitempty" jsonschema:"Merge above this cosine; 0 is calibrated."`
	DryRun      bool    `json:"dry_run,omitempty" jsonschema:"Only say what would be."`
	MaxClusters int     `json:"max_clusters,omitempty" jsonschema:"Most groups; 0 is no limit."`
	Force       bool    `json:"force,omitempty" jsonschema:"Even soon after the last run."`
}

func consolidateTool() (*mcp.Tool, error) {
	edits := summarizeEdits()
	maps.Copy(edits, map[string]edit{
		"project_id": length(1, memory.MaxScope), "similarity_threshold": number(0, mostSimilar, 0), "max_clusters": number(0, mostClusters, 0),
	})
	input, err := schemaOf[consolidateInput](edits)
	if err != nil {
		return nil, err
	}
	output, err := schemaOf[consolidateOutput](nil)
	return &mcp.Tool{
		Name: "memory_consolidate", Title: "Consolidate memories",
		Description: "With topic and content it stores the executive summary of a topic. " + protocolText +
			"With project_id alone it merges memories of a project that say the same; look first with dry_run. " + qualityNote,
		Annotations: merges("Consolidate memories"), InputSchema: input, OutputSchema: output,
	}, err
}

// The largest arguments.
const (
	mostSimilar  = 0.9999
	mostClusters = 10_000
)

// consolidateOutput is the result of a run, or of a summary.
type consolidateOutput struct {
	RunOutput
	Summary *summaryOutput `json:"summary,omitempty" jsonschema:"The stored summary of a topic; the other fields tell of a run and are empty then."`
}

// RunOutput is a runOutput where it is embedded, as Card is a card.
type RunOutput = runOutput

// consolidate implements memory_consolidate.
func (a *api) consolidate(ctx context.Context, in consolidateInput) (consolidateOutput, error) {
	if in.Topic == "" && in.Content == "" && in.RestoreID == "" {
		out, err := a.consolidateProject(ctx, in)
		return consolidateOutput{RunOutput: out}, err
	}
	done, err := a.summarize(ctx, summarizeInput{
		Topic: in.Topic, Content: in.Content, RestoreID: in.RestoreID, Project: in.ProjectID, SessionID: in.SessionID,
	})
	if err != nil {
		return consolidateOutput{}, err
	}
	none := runOutput{Status: string(memory.RunCompleted), Message: done.Message, Created: []string{}, Archived: []string{}, ConsolidatedID: []string{}, Report: []string{}}
	return consolidateOutput{RunOutput: none, Summary: &done}, nil
}

// consolidateProject merges the similar memories of a project (S4.63–S4.66).
func (a *api) consolidateProject(ctx context.Context, in consolidateInput) (runOutput, error) {
	scope, err := projectOf(ctx, in.ProjectID)
	if err != nil {
		return runOutput{}, err
	}
	if a.Redactor.Secret(string(scope)) {
		return runOutput{}, request("project_id: %s", redact.SecretName)
	}
	if scope == "" {
		return runOutput{}, request("project_id: name the project whose memories are to be merged, such as github.com/acme/api")
	}
	f, err := a.asker().Facts(ctx, callerOf(ctx).Tenant, scope, memory.RunSimilar, 0)
	if err != nil {
		return runOutput{}, err
	}
	// S4.57: within the window the result is empty. A dry run changes nothing and is
	// never too early.
	if due := a.consolidation.Due(f); !due.Needed && !in.DryRun && (f.Running || !in.Force) {
		return notNeeded(due.Reason), nil
	}
	return a.begin(ctx, trigger.Wanted{Scope: scope, Strategy: memory.RunSimilar, Last: f.Last, Options: a.consolidation.Options(memory.RunOptions{
		Threshold: in.Threshold, DryRun: in.DryRun, MaxClusters: in.MaxClusters, Force: in.Force,
	})})
}

// asker reads what decides about runs.
func (a *api) asker() *trigger.Asker {
	return &trigger.Asker{Runs: a.Store, Config: a.consolidation, Now: a.Now, NewID: a.NewID}
}

// merges returns the hints of a tool that replaces memories by others. Nothing is lost,
// so it is not destructive.
func merges(title string) *mcp.ToolAnnotations {
	no := false
	return &mcp.ToolAnnotations{Title: title, ReadOnlyHint: false, DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &no}
}
