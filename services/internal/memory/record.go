package memory

import "time"

// Proposal is a text that somebody wants remembered. It arrives redacted, is
// decided once by triage and may be decided again by a person.
type Proposal struct {
	ID      string
	Tenant  Tenant
	Scope   Scope
	State   ProposalState
	Kind    Kind   // as the publisher said, else as triage classified it
	Section string // heading in MEMORY.md; empty when nobody named one
	Title   string
	Text    string // redacted, never changed afterwards

	Category   string
	Tags       []string
	Importance int // 1–10, 0 when not stated

	Principal  string // who published it, from the credential
	Origin     Origin // after clamping to what the principal may claim
	Authority  Origin // the least of Origin and the evidence whose words it carries
	EventID    string // the publisher's event id, unique per principal
	SessionID  string
	ObservedAt time.Time // when it was seen, bound to its evidence; zero when unknown (D31)
	CreatedAt  time.Time // when it was accepted

	SeenCount     int // 1 + repeats that became its evidence
	LastConfirmed time.Time
	Target        string // what it was merged into or repeats: a memory or proposal id
	DecisionID    string // the decision in force
	Version       int64  // the scope's version at its last change
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
	ID          string
	Tenant      Tenant
	Scope       Scope
	State       State
	Kind        Kind
	Section     string
	Title       string
	Description string
	Text        string

	Category   string
	Tags       []string
	Topics     []string
	Importance int     // 1–10
	Confidence float64 // 0–1
	Outcome    string  // "success", "failure" or empty

	Principal     string
	Origin        Origin
	Authority     Origin
	ObservedAt    time.Time
	CreatedAt     time.Time
	LastConfirmed time.Time
	SeenCount     int

	ProposalID    string
	DecisionID    string // the decision that created it
	ArchivedAt    time.Time
	ArchiveReason string
	SuccessorID   string // what it was merged into or replaced by
	Version       int64  // the scope's version at its last change
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
	ID         string
	Tenant     Tenant
	Subject    string
	ProposalID string // the proposal that brought it
	Principal  string
	SessionID  string
	Origin     Origin
	Role       string // speaker of the span: user, assistant, tool; empty when not stated
	Span       string // the quoted words, redacted; empty for a plain repeat
	ObservedAt time.Time
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
	Tenant Tenant
	From   string
	To     string
	Kind   LinkKind
}
