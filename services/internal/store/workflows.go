package store

import (
	"context"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Workflows reads workflows with their memories. Workflows are written by [Committer],
// as part of a change set, and so are the links: a commit links each new memory that
// joins (memory.Memory.JoinsWorkflow) to the workflow that is active in its project, in
// the same transaction and without another round trip (S0.40–S0.43).
type Workflows interface {
	// Workflow returns a workflow with its newest memories, or ErrNotFound.
	Workflow(ctx context.Context, tenant memory.Tenant, id string, most int) (Thread, error)
	// ActiveWorkflow is Workflow for the active workflow of a project. Without one it
	// returns a Thread without an id (S0.20).
	ActiveWorkflow(ctx context.Context, tenant memory.Tenant, project memory.Scope, most int) (Thread, error)
	// Workflows lists workflows with their counts in the order of their ids, oldest
	// first (newest first with q.Newest), at most q.Limit (default 100).
	Workflows(ctx context.Context, tenant memory.Tenant, q WorkflowQuery) ([]memory.Workflow, error)
}

// Thread is a workflow with memories that belong to it: the newest first, those in
// force only. A memory that was replaced stands for its successor.
type Thread struct {
	memory.Workflow
	Memories []memory.Memory
}

// WorkflowQuery selects workflows; zero fields do not restrict.
type WorkflowQuery struct {
	Scope  memory.Scope
	Status memory.WorkflowStatus
	After  string // id; exclusive
	Newest bool
	Limit  int
}
