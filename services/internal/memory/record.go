package memory

import "time"

// Proposal is a text that somebody wants remembered. It arrives redacted, is
// decided once by triage and may be decided again by a person.
type Proposal struct {
	ID      string        `json:"id"`
	Tenant  Tenant        `json:"tenant"`
	Scope   Scope         `json:"scope"`
	State   ProposalState `json:"state"`
	Kind    Kind          `json:"kind,omitempty"`    // as the publisher said, else as triage classified it
	Section string        `json:"section,omitempty"` // heading in MEMORY.md; empty when nobody named one
	Title   string        `json:"title,omitempty"`
	Text    string        `json:"text"` // redacted, never changed afterwards

	// Of a strategy: one sentence on when it helps, how the work ended that it
	// was learned from (success, failure or empty), and the confidence that it is
	// recorded with, 0 for what its authority gives.
	Description string  `json:"description,omitempty"`
	Outcome     string  `json:"outcome,omitempty"`
	Confidence  float64 `json:"confidence,omitempty"`

	Category   string   `json:"category,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	Importance int      `json:"importance"` // 1–10, 0 when not stated

	Principal  string    `json:"principal,omitempty"` // who published it, from the credential
	Origin     Origin    `json:"origin"`              // after clamping to what the principal may claim
	Authority  Origin    `json:"authority"`           // the least of Origin and the evidence whose words it carries
	EventID    string    `json:"event_id,omitempty"`  // the publisher's event id, unique per principal
	SessionID  string    `json:"session_id,omitempty"`
	ObservedAt time.Time `json:"observed_at,omitzero"` // when it was seen, bound to its evidence; zero when unknown (D31)
	CreatedAt  time.Time `json:"created_at,omitzero"`  // when it was accepted

	SeenCount     int       `json:"seen_count"` // 1 + repeats that became its evidence
	LastConfirmed time.Time `json:"last_confirmed,omitzero"`
	Target        string    `json:"target,omitempty"`      // what it was merged into or repeats: a memory or proposal id
	DecisionID    string    `json:"decision_id,omitempty"` // the decision in force
	Version       int64     `json:"version"`               // the scope's version at its last change
}

// ProposalState is where a proposal stands.
type ProposalState string

// The states of a proposal. All but pending and needs_review are final until a
// person or an undo says otherwise.
const (
	ProposalPending     ProposalState = "pending"
	ProposalPromoted    ProposalState = "promoted"
	ProposalRejected    ProposalState = "rejected"
	ProposalMerged      ProposalState = "merged"
	ProposalNeedsReview ProposalState = "needs_review"
	ProposalQuarantined ProposalState = "quarantined"
	ProposalExpired     ProposalState = "expired"
)

// Open reports that the proposal still waits for somebody, so that a repeat of
// it joins it instead of being judged against the memories alone.
func (s ProposalState) Open() bool {
	return s == ProposalPending || s == ProposalNeedsReview
}

// Memory is a text that the system stands behind. Its text is immutable: a
// change is a new memory that supersedes this one.
type Memory struct {
	ID          string `json:"id"`
	Tenant      Tenant `json:"tenant"`
	Scope       Scope  `json:"scope"`
	State       State  `json:"state"`
	Kind        Kind   `json:"kind,omitempty"`
	Section     string `json:"section,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Text        string `json:"text"`

	Category   string   `json:"category,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	Topics     []string `json:"topics,omitempty"`
	Importance int      `json:"importance"`        // 1–10
	Confidence float64  `json:"confidence"`        // 0–1
	Outcome    string   `json:"outcome,omitempty"` // "success", "failure" or empty

	Principal     string    `json:"principal,omitempty"`
	Origin        Origin    `json:"origin"`
	Authority     Origin    `json:"authority"`
	ObservedAt    time.Time `json:"observed_at,omitzero"`
	CreatedAt     time.Time `json:"created_at,omitzero"`
	LastConfirmed time.Time `json:"last_confirmed,omitzero"`
	SeenCount     int       `json:"seen_count"`

	ProposalID    string    `json:"proposal_id,omitempty"`
	DecisionID    string    `json:"decision_id,omitempty"` // the decision that created it
	ArchivedAt    time.Time `json:"archived_at,omitzero"`
	ArchiveReason string    `json:"archive_reason,omitempty"`
	SuccessorID   string    `json:"successor_id,omitempty"` // what it was merged into or replaced by
	Version       int64     `json:"version"`                // the scope's version at its last change
}

// State is where a memory stands.
type State string

// The states of a memory. Automation archives, it never deletes (D9).
const (
	StateActive   State = "active"
	StateArchived State = "archived"
)

// Evidence is one place that a text rests on: a span of a session, or a
// repeated proposal. Subject is the proposal or memory that it supports.
type Evidence struct {
	ID         string    `json:"id"`
	Tenant     Tenant    `json:"tenant"`
	Subject    string    `json:"subject,omitempty"`
	ProposalID string    `json:"proposal_id,omitempty"` // the proposal that brought it
	Principal  string    `json:"principal,omitempty"`
	SessionID  string    `json:"session_id,omitempty"`
	Origin     Origin    `json:"origin"`
	Role       string    `json:"role,omitempty"` // speaker of the span: user, assistant, tool; empty when not stated
	Span       string    `json:"span,omitempty"` // the quoted words, redacted; empty for a plain repeat
	ObservedAt time.Time `json:"observed_at,omitzero"`
}

// LinkKind names a relation between two memories.
type LinkKind string

// The relations (SPEC §3). The first id is the newer or derived side.
const (
	LinkSupersedes   LinkKind = "supersedes"
	LinkConsolidates LinkKind = "consolidates"
	LinkMergedInto   LinkKind = "merged_into"
	LinkDerivedFrom  LinkKind = "derived_from"
	LinkWorkflow     LinkKind = "workflow"
)

// Link relates two rows of one tenant. Creating it twice is the same as once.
type Link struct {
	Tenant Tenant   `json:"tenant"`
	From   string   `json:"from,omitempty"`
	To     string   `json:"to,omitempty"`
	Kind   LinkKind `json:"kind"`
}
