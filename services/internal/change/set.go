// Package change describes the result of a handler as data.
//
// A handler decides and returns a [Set]; one function commits the Set (SPEC §2).
// Returning a Set has no side effect. A test can therefore compare the returned
// Set, and a worker can discard a batch and retry its halves without an undo.
package change

import (
	"encoding/json"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Set is everything that one transaction of one tenant changes. The order of
// the slices is the order of the effects within each kind; the commit writes
// rows first, then events to the outbox, then the audit link.
type Set struct {
	// New rows. Ids are chosen by the handler.
	Proposals []memory.Proposal
	Memories  []memory.Memory
	Decisions []memory.Decision
	Evidence  []memory.Evidence
	Links     []memory.Link

	// Changes to rows that exist.
	ProposalUpdates []ProposalUpdate
	MemoryUpdates   []MemoryUpdate
	DroppedLinks    []memory.Link
	// DroppedEvidence removes the evidence of a repeat from the row that it
	// supported, when a merge is undone. The repeat's own proposal keeps its
	// quotations.
	DroppedEvidence []memory.Evidence

	// New sessions with their traces, and the results of distillation. A session
	// with a hash that its scope already holds fails the commit with
	// store.ErrConflict: a concurrent commit stored the same session.
	Sessions       []memory.Session
	Traces         []Trace
	SessionUpdates []SessionUpdate
	// Judged lists the texts that new sessions were checked against. A text in
	// force that names one of these sessions and is not listed fails the commit
	// with store.ErrConflict: a concurrent batch recorded the text.
	Judged []Judged

	// Registry and policy rows, written by operators.
	Retired        []memory.Retired
	RetiredRemoved []string // ids
	BootFiles      []memory.BootFile
	BootRemoved    []string // ids
	Principals     []memory.Principal
	Keys           []memory.Key // new API keys
	KeysRevoked    []string     // ids; an unknown or revoked one fails the commit with store.ErrNotFound
	Policies       []Policy
	Reviews        []Review
	// ScopeLinks replace what a scope belonged to. ScopesKnown creates scopes that
	// nothing is stored in yet, and ScopesUnlinked belong to none any more.
	ScopeLinks     []memory.ScopeLink
	ScopesKnown    []memory.Scope
	ScopesUnlinked []memory.Scope
	Reviewers      []memory.Reviewer // assignments of scopes to reviewers
	ReviewersGone  []memory.Reviewer // assignments to remove

	// Digests as they were sent, and the replies to them.
	Digests       []memory.Digest
	DigestReplies []memory.DigestReply

	// Consolidation runs and their steps. A Run that another open run of its scope and
	// strategy keeps out fails the commit with store.ErrConflict; a dry run and one of
	// given memories are kept out by none. A RunItem is inserted, or replaces the
	// stored one if the state may follow its state (see memory.RunItemState); otherwise
	// the commit fails with store.ErrConflict, so that a step takes effect once. None
	// of these belongs to a lane: versions of scopes do not change by them.
	Runs       []memory.Run
	RunUpdates []RunUpdate
	RunItems   []memory.RunItem

	// Workflows. A Workflow that begins active while another one of its project is
	// fails the commit with store.ErrConflict, and so does an update that makes one
	// active then. Both lock the lane of the project, as its memories do.
	Workflows       []memory.Workflow
	WorkflowUpdates []WorkflowUpdate

	// What is learned of memories. A Signal of a session that said the same of the
	// memory before fails the commit with store.ErrConflict, and so does a
	// DroppedSignal that is not stored. Learned and Aggregates replace the stored row.
	// WeightGains are added to the stored parameters, so that concurrent feedback about
	// two memories of a scope loses none. CountedServed marks rows of the served log
	// whose usage signals are in the set, or are none.
	Signals        []memory.Signal
	DroppedSignals []string // ids, of signals that became sums
	Aggregates     []memory.SignalAggregate
	Learned        []memory.Learned
	WeightGains    []memory.ProjectWeights
	CountedServed  []Served

	// Slot, when set, is claimed first. When another replica has run the slot,
	// nothing of this set is written.
	Slot *Slot

	// Events are emitted through the outbox after the commit.
	Events []Event
	// Audit holds the entries of one link of the tenant's audit chain.
	Audit []Audit
}

// Empty reports whether committing the set would change nothing.
func (s *Set) Empty() bool {
	return len(s.Proposals)+len(s.Memories)+len(s.Decisions)+len(s.Evidence)+len(s.Links)+
		len(s.ProposalUpdates)+len(s.MemoryUpdates)+len(s.DroppedLinks)+len(s.DroppedEvidence)+
		len(s.Sessions)+len(s.Traces)+len(s.SessionUpdates)+len(s.Judged)+
		len(s.Retired)+len(s.RetiredRemoved)+len(s.BootFiles)+len(s.BootRemoved)+
		len(s.Principals)+len(s.Keys)+len(s.KeysRevoked)+len(s.Policies)+len(s.Reviews)+len(s.Reviewers)+len(s.ReviewersGone)+
		len(s.ScopeLinks)+len(s.ScopesKnown)+len(s.ScopesUnlinked)+
		len(s.Digests)+len(s.DigestReplies)+
		len(s.Runs)+len(s.RunUpdates)+len(s.RunItems)+
		len(s.Workflows)+len(s.WorkflowUpdates)+
		len(s.Signals)+len(s.DroppedSignals)+len(s.Aggregates)+len(s.Learned)+len(s.WeightGains)+len(s.CountedServed)+
		len(s.Events)+len(s.Audit) == 0 && s.Slot == nil
}

// Trace is the redacted transcript of a session, in the encoding of package
// transcript: compressed, in chunks that fit into a row.
type Trace struct {
	SessionID string
	Chunks    [][]byte
}

// SessionName is the name that a principal gave to a session. Two principals may
// use one name for two sessions.
type SessionName struct {
	Principal string
	Name      string
}

// Judged lists the proposals that a session was checked against: every proposal
// under the session's name that is or may come into force and whose authority the
// session could lower.
type Judged struct {
	SessionName
	Texts []string // ids of proposals
}

// Served names a row of the served log.
type Served struct {
	SessionID string // the session's name
	MemoryID  string
}

// SessionUpdate is the result of distilling a session. Applying a SessionUpdate is
// idempotent.
type SessionUpdate struct {
	ID          string
	State       memory.SessionState
	DistilledAt time.Time
	Distiller   string
	Prompt      string
	Extracted   int
	Ungrounded  int
	Note        string
}

// Slot is one due time of a schedule.
type Slot struct {
	Schedule string // such as "digest"
	At       time.Time
}

// ProposalUpdate updates a stored proposal. The update gives the whole mutable
// part of the row, so applying a ProposalUpdate is idempotent.
type ProposalUpdate struct {
	ID            string
	State         memory.ProposalState
	Kind          memory.Kind
	Section       string
	Target        string
	DecisionID    string
	SeenCount     int
	LastConfirmed time.Time
	// Lift raises a lower stored authority to this value, by corroboration
	// (SPEC §7). Lift never lowers an authority; unknown changes nothing.
	Lift memory.Origin
	// Lower reverts a lift: an authority above agent becomes agent. Only an undo
	// sets Lower, when the corroborating evidence is removed.
	Lower bool
	// Outside lowers a higher authority to external, because the words turned out
	// to come from outside.
	Outside bool
	// Expect, when not zero, is the version that the change was decided on. A row
	// with another version fails the commit with store.ErrConflict.
	Expect int64
}

// MemoryUpdate updates a stored memory: archive, restore, confirm. The text of a
// memory is immutable.
type MemoryUpdate struct {
	ID            string
	State         memory.State
	Confidence    float64
	SeenCount     int
	LastConfirmed time.Time
	ArchivedAt    time.Time // zero when active
	ArchiveReason string
	SuccessorID   string
	Lift          memory.Origin // as in ProposalUpdate
	Lower         bool          // as in ProposalUpdate
	Outside       bool          // as in ProposalUpdate
	Expect        int64         // as in ProposalUpdate
}

// RunUpdate updates a stored run. The update gives the whole mutable part of the
// row; who asked for what, and when, is immutable. An unknown run fails the commit
// with store.ErrConflict.
type RunUpdate struct {
	ID        string
	State     memory.RunState
	StartedAt time.Time
	Deadline  time.Time
	EndedAt   time.Time
	Examined  int
	Created   int
	Archived  int
	Offered   int
	Refused   int
	Skipped   int
	Before    int
	After     int
	OverLimit bool
	Reason    string
	Report    json.RawMessage
	Expect    int64 // as in ProposalUpdate, of the run's own version
}

// UpdateOf returns the update that writes the mutable part of r, and expects the
// version that r was read with.
func UpdateOf(r memory.Run) RunUpdate {
	return RunUpdate{
		ID: r.ID, State: r.State, StartedAt: r.StartedAt, Deadline: r.Deadline, EndedAt: r.EndedAt,
		Examined: r.Examined, Created: r.Created, Archived: r.Archived, Offered: r.Offered, Refused: r.Refused, Skipped: r.Skipped,
		Before: r.Before, After: r.After, OverLimit: r.OverLimit, Reason: r.Reason, Report: r.Report, Expect: r.Version,
	}
}

// WorkflowUpdate updates a stored workflow. The update gives the whole mutable part of
// the row.
type WorkflowUpdate struct {
	ID          string
	Scope       memory.Scope // of the stored row; another one finds nothing
	Status      memory.WorkflowStatus
	Summary     string
	UpdatedAt   time.Time
	CompletedAt time.Time // zero until completed
	// Members is how many memories the workflow had when its summary was written; with
	// another number the commit fails with store.ErrConflict. Below zero it may be any.
	Members int
	Expect  int64 // as in ProposalUpdate, of the workflow's own version
}

// Policy is a stored version of a triage policy. The version is the hash of the
// text, so storing a Policy is idempotent.
type Policy struct {
	Name    string
	Version string
	Text    string // YAML
	// ScopeKind activates the policy for scopes of that kind; empty stores the
	// policy without activating it.
	ScopeKind memory.ScopeKind
}

// Review is a person's answer about a proposal. Reviews are stored apart from the
// decisions that they led to; override rates are counted from reviews.
type Review struct {
	ID         string
	ProposalID string
	DecisionID string // the decision that the review produced
	Overrode   string // the decision that the review answered
	Rule       string // the rule of the answered decision
	Agreed     bool   // the person followed the recommendation
	Principal  string
	Note       string
	At         time.Time
}

// Event is emitted after the change is committed.
type Event struct {
	ID      string // unique; becomes ce-id and the message id
	Subject string // from pkg/event
	Type    string // with its major version
	Message proto.Message

	// Cause is the id of the event that this one follows from, where a batch has
	// several. The worker's pipeline copies that event's trace context.
	Cause string
	// Traceparent is a W3C trace context; a malformed one is left out. A tracestate is
	// not passed on: it is free text of a publisher that nobody redacts.
	Traceparent string
}

// Continue gives the events that have no trace context this one.
func (s *Set) Continue(traceparent string) {
	for i := range s.Events {
		if e := &s.Events[i]; e.Traceparent == "" {
			e.Traceparent = traceparent
		}
	}
}

// Audit is one entry of the audit log. The body can be erased, its salted
// commitment cannot (SPEC §3).
type Audit struct {
	Actor     memory.Actor
	Principal string
	Action    string // such as "proposal.decided", "memory.archived"
	Subject   string // id of the row that the entry is about
	Body      any    // marshalled to JSON; small facts and ids, no secrets
}
