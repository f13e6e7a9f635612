package memory

import "time"

// Workflow is a task of a project that goes on over several sessions. At most one of
// a project is active. Its memories are links of kind [LinkWorkflow], from the memory
// to the workflow (S0.10, S0.11).
type Workflow struct {
	ID          string         `json:"id"` // wf_…
	Tenant      Tenant         `json:"tenant"`
	Scope       Scope          `json:"scope"` // always a project
	Status      WorkflowStatus `json:"status"`
	Name        string         `json:"name"`                  // redacted, never changed afterwards
	Description string         `json:"description,omitempty"` // as the name
	Summary     string         `json:"summary,omitempty"`     // written on completion
	Principal   string         `json:"principal,omitempty"`   // who started it
	CreatedAt   time.Time      `json:"created_at"`
	UpdatedAt   time.Time      `json:"updated_at"` // of its status
	CompletedAt time.Time      `json:"completed_at,omitzero"`
	// MemoryCount is derived from the links and stored nowhere. A read fills it in.
	MemoryCount int   `json:"memory_count"`
	Version     int64 `json:"version"` // 1 at first, one more with each update
}

// WorkflowStatus is the state of a workflow (S0.8).
type WorkflowStatus string

// The states. An active workflow may be paused or completed, a paused one resumed or
// completed; completed is final.
const (
	WorkflowActive    WorkflowStatus = "active"
	WorkflowPaused    WorkflowStatus = "paused"
	WorkflowCompleted WorkflowStatus = "completed"
)

// WorkflowStatuses lists the states.
func WorkflowStatuses() []WorkflowStatus {
	return []WorkflowStatus{WorkflowActive, WorkflowPaused, WorkflowCompleted}
}

// TagWorkflow begins the tag of a memory that belongs to a workflow; the id follows.
// The tag is computed from the link where tags are shown (S0.2).
const TagWorkflow = "workflow:"

// JoinsWorkflow reports whether a new memory becomes part of its project's active
// workflow, if there is one (S0.2, S0.42). What was proposed in a project does. A
// memory of a team, an organisation or a user holds beyond the task, an import is older
// than it, and a summary or a merged memory has its words from other memories.
func (m *Memory) JoinsWorkflow() bool {
	if m.Scope.Kind() != ScopeProject || m.State != StateActive || m.ProposalID == "" {
		return false
	}
	if m.Kind == KindSummary {
		return false
	}
	for _, tag := range m.Tags {
		if tag == TagConsolidated {
			return false
		}
	}
	return true
}
