package memory

import (
	"encoding/json"
	"time"
)

// Run is one consolidation of one scope: a plan and its steps. Each step is a
// [RunItem], one transaction of its own, so that a killed run leaves whole steps
// only and goes on where it stopped. Nothing that a run does is deleted by it, and
// all of it can be undone.
type Run struct {
	ID       string      `json:"id"` // run_…
	Tenant   Tenant      `json:"tenant"`
	Scope    Scope       `json:"scope"`
	Strategy RunStrategy `json:"strategy"`
	Trigger  RunTrigger  `json:"trigger"`
	State    RunState    `json:"state"`
	Options  RunOptions  `json:"options"`
	// WindowStart (exclusive) and WindowEnd (inclusive) bound the period since the
	// last run. A strategy that reads the whole scope ignores them.
	WindowStart time.Time `json:"window_start,omitzero"`
	WindowEnd   time.Time `json:"window_end,omitzero"`
	Principal   string    `json:"principal,omitempty"` // who asked; empty for a schedule

	RequestedAt time.Time `json:"requested_at"`
	StartedAt   time.Time `json:"started_at,omitzero"` // when it was planned
	Deadline    time.Time `json:"deadline,omitzero"`   // no step begins after it
	EndedAt     time.Time `json:"ended_at,omitzero"`

	// Totals, written when the run ends. Created and Archived count memories,
	// Offered, Refused and Skipped count items.
	Examined int `json:"examined"`
	Created  int `json:"created"`
	Archived int `json:"archived"`
	Offered  int `json:"offered"`
	Refused  int `json:"refused"`
	Skipped  int `json:"skipped"`
	// Before and After count the active memories of the scope.
	Before int `json:"before"`
	After  int `json:"after"`
	// OverLimit says that more active memories than the strategy's limit remained
	// (weekly: 50).
	OverLimit bool            `json:"over_limit,omitempty"`
	Reason    string          `json:"reason,omitempty"` // why it is partial, failed or undone; one sentence
	Report    json.RawMessage `json:"report,omitempty"` // facts of the strategy alone; an object
	Version   int64           `json:"version"`          // 1 at first, one more with each update
}

// Open reports whether the run may still change memories.
func (r *Run) Open() bool { return r.State == RunRequested || r.State == RunRunning }

// RunStrategy says how a run finds what to merge.
type RunStrategy string

// The strategies.
const (
	RunSimilar  RunStrategy = "similar"  // clusters of similar texts
	RunWeekly   RunStrategy = "weekly"   // a model reads all memories of a user
	RunExplicit RunStrategy = "explicit" // one group of given ids
)

// RunTrigger says what asked for a run.
type RunTrigger string

// The triggers (D15).
const (
	TriggerThreshold RunTrigger = "threshold"
	TriggerInterval  RunTrigger = "interval"
	TriggerWeekly    RunTrigger = "weekly"
	TriggerPerson    RunTrigger = "person"
)

// RunState is the state of a run.
type RunState string

// The states of a run. The last four are final, except that a person may undo a
// completed or partial run.
const (
	RunRequested RunState = "requested"
	RunRunning   RunState = "running"
	RunCompleted RunState = "completed"
	RunPartial   RunState = "partial" // ended with steps that were not taken
	RunFailed    RunState = "failed"  // changed nothing
	RunUndone    RunState = "undone"
)

// RunOptions are the settings of one run. A zero field means the strategy's
// default.
type RunOptions struct {
	// Threshold is the similarity above which two texts belong together, 0–1; 0 is
	// the calibrated point, any other number is used as given (D2).
	Threshold   float64  `json:"similarity_threshold,omitempty"`
	MaxClusters int      `json:"max_clusters,omitempty"`
	MaxMemories int      `json:"max_memories,omitempty"`
	MinCluster  int      `json:"min_cluster_size,omitempty"`
	MaxAgeDays  int      `json:"max_age_days,omitempty"`
	DryRun      bool     `json:"dry_run,omitempty"` // says what it would do and changes no memory
	Force       bool     `json:"force,omitempty"`   // runs whatever the trigger's conditions say
	IDs         []string `json:"ids,omitempty"`     // of strategy explicit: the memories to merge
	Clustering  string   `json:"clustering,omitempty"`
}

// RunItem is one step of a run. An item that was applied is what an undo needs:
// its transaction archived the Sources, and archived them at EndedAt. It changed
// nothing else of them (state, ArchivedAt, ArchiveReason and SuccessorID alone),
// and each memory that it made has links to its own sources.
type RunItem struct {
	Tenant Tenant       `json:"tenant"`
	RunID  string       `json:"run_id"`
	N      int          `json:"n"` // from 1, in the order of the plan
	Action RunAction    `json:"action"`
	State  RunItemState `json:"state"`
	// Sources lists the memories that the step merges or archives, sorted. A weekly
	// step knows them only when the model has answered.
	Sources    []string        `json:"sources"`
	MemoryID   string          `json:"memory_id,omitempty"`   // the memory that it made; the first of several
	ProposalID string          `json:"proposal_id,omitempty"` // the question that it became
	Reason     string          `json:"reason,omitempty"`      // of refused, failed, skipped and undone; one sentence
	Detail     json.RawMessage `json:"detail,omitempty"`      // an object: similarity, merged text, kept, dropped, diff
	EndedAt    time.Time       `json:"ended_at,omitzero"`     // zero while planned
}

// RunAction is what an item is to do.
type RunAction string

// The actions.
const (
	ActionMerge  RunAction = "merge"  // replace the sources by one memory
	ActionOffer  RunAction = "offer"  // ask a person whether to
	ActionWeekly RunAction = "weekly" // ask a model about all memories of a user
)

// RunItemState is the state of an item.
type RunItemState string

// The states of an item. A planned item gets any other state; one that was applied
// or offered may become undone; the others are final.
const (
	ItemPlanned   RunItemState = "planned"
	ItemApplied   RunItemState = "applied"
	ItemPreviewed RunItemState = "previewed" // what a dry run would have applied
	ItemOffered   RunItemState = "offered"
	ItemRefused   RunItemState = "refused" // a gate found a reason against it
	ItemFailed    RunItemState = "failed"
	ItemSkipped   RunItemState = "skipped" // a source changed since the plan, or time ran out
	ItemUndone    RunItemState = "undone"
)

// Reasons with which automation archives a memory. A colon and words for a person
// may follow. All but the first leave no successor and count against the erosion
// budget (D10).
const (
	ReasonConsolidated = "consolidated" // its words are in the successor
	ReasonDropped      = "dropped"      // a model found it outdated or irrelevant
	ReasonFaded        = "faded"        // an old emotion that nobody repeated
	ReasonPruned       = "pruned"
	ReasonHygiene      = "hygiene"
)

// TagConsolidated marks a memory that was made of several (D13).
const TagConsolidated = "consolidated"
