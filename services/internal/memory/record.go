package memory

import (
	"fmt"
	"strings"
	"time"
)

// Proposal is a text that a publisher wants remembered. A Proposal arrives
// redacted, is decided once by triage and may be decided again by a person.
type Proposal struct {
	ID      string        `json:"id"`
	Tenant  Tenant        `json:"tenant"`
	Scope   Scope         `json:"scope"`
	State   ProposalState `json:"state"`
	Kind    Kind          `json:"kind,omitempty"`    // from the publisher, else classified by triage
	Section string        `json:"section,omitempty"` // heading in MEMORY.md; empty when not stated
	Title   string        `json:"title,omitempty"`
	Text    string        `json:"text"` // redacted, never changed afterwards

	// Fields of a strategy. Description says in one sentence when the strategy
	// helps. Outcome is the result of the work that it was learned from: success,
	// failure or empty. Confidence is the initial confidence of the memory; 0
	// uses the default of the authority.
	Description string  `json:"description,omitempty"`
	Outcome     string  `json:"outcome,omitempty"`
	Confidence  float64 `json:"confidence,omitempty"`

	Category string   `json:"category,omitempty"`
	Tags     []string `json:"tags,omitempty"`
	// Topics and MacroTopics say what the text is about: as the publisher gave them,
	// else drawn from tags and words.
	Topics      []string `json:"topics,omitempty"`
	MacroTopics []string `json:"macro_topics,omitempty"`
	Importance  int      `json:"importance"` // 1–10, 0 when not stated

	Principal  string    `json:"principal,omitempty"` // the publisher, from the credential
	Origin     Origin    `json:"origin"`              // clamped to the principal's highest origin
	Authority  Origin    `json:"authority"`           // the least of Origin and the evidence with words that it contains
	EventID    string    `json:"event_id,omitempty"`  // the publisher's event id, unique per principal
	SessionID  string    `json:"session_id,omitempty"`
	ObservedAt time.Time `json:"observed_at,omitzero"` // time of the observation, bound to its evidence; zero when unknown (D31)
	CreatedAt  time.Time `json:"created_at,omitzero"`  // time of acceptance

	SeenCount     int       `json:"seen_count"` // 1 + repeats that became its evidence
	LastConfirmed time.Time `json:"last_confirmed,omitzero"`
	Target        string    `json:"target,omitempty"`      // id of the memory or proposal that it repeats or was merged into
	DecisionID    string    `json:"decision_id,omitempty"` // the decision in force
	Version       int64     `json:"version"`               // the scope's version at its last change
}

// offerEvent begins the event id of an offer.
const offerEvent = "theme/"

// OfferEvent returns the event id of a proposal by which a run offers to merge
// memories.
func OfferEvent(run string) string { return offerEvent + run }

// Offer reports whether the proposal offers to merge memories that are stored, instead
// of bringing a new text. No publisher can make one, because every publisher has a
// name. Nothing is judged against an offer: its words are those of memories, so a
// repeat of them is one of the memories.
func (p *Proposal) Offer() bool {
	return p.Principal == "" && strings.HasPrefix(p.EventID, offerEvent)
}

// ProposalState is the state of a proposal.
type ProposalState string

// The states of a proposal. All except pending and needs_review are final unless a
// person or an undo changes them.
const (
	ProposalPending     ProposalState = "pending"
	ProposalPromoted    ProposalState = "promoted"
	ProposalRejected    ProposalState = "rejected"
	ProposalMerged      ProposalState = "merged"
	ProposalNeedsReview ProposalState = "needs_review"
	ProposalQuarantined ProposalState = "quarantined"
	ProposalExpired     ProposalState = "expired"
)

// Open reports whether the proposal awaits a decision. A repeat of an open
// proposal becomes its evidence and is not judged against the memories alone.
func (s ProposalState) Open() bool {
	return s == ProposalPending || s == ProposalNeedsReview
}

// Memory is an accepted text. The text is immutable: a change is a new memory that
// supersedes the old one.
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

	Category    string   `json:"category,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	Topics      []string `json:"topics,omitempty"`       // what it is about
	MacroTopics []string `json:"macro_topics,omitempty"` // the broad themes that the topics belong to
	Importance  int      `json:"importance"`             // 1–10
	Confidence  float64  `json:"confidence"`             // 0–1
	Outcome     string   `json:"outcome,omitempty"`      // "success", "failure" or empty

	// Of a topic summary, empty for any other memory: its topic, and its footer (S2.9).
	// A summary without a time has no footer, and is treated as stale (D18).
	SummaryTopic string    `json:"summary_topic,omitempty"`
	SummaryCount int       `json:"summary_count,omitempty"` // memories on the topic when it was written
	SummaryAt    time.Time `json:"summary_at,omitzero"`     // when it was written

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
	SuccessorID   string    `json:"successor_id,omitempty"` // the memory that it was merged into or replaced by
	Version       int64     `json:"version"`                // the scope's version at its last change
}

// ReasonForgotten is the archive reason of a memory that a person had erased (D9). Only its
// id, times and counts are left, so it never serves again.
const ReasonForgotten = "forgotten"

// Forgotten reports whether the memory was erased.
func (m Memory) Forgotten() bool { return m.ArchiveReason == ReasonForgotten }

// State is the state of a memory.
type State string

// The states of a memory. Automation archives, it never deletes (D9).
const (
	StateActive   State = "active"
	StateArchived State = "archived"
)

// Evidence is one source of a text: a span of a session, or a repeated proposal.
// Subject is the proposal or memory that the evidence supports.
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

// Link relates two rows of one tenant. Creating a Link is idempotent.
type Link struct {
	Tenant Tenant   `json:"tenant"`
	From   string   `json:"from,omitempty"`
	To     string   `json:"to,omitempty"`
	Kind   LinkKind `json:"kind"`
}

// The typed prefixes of ids: a prefix and a ULID (D26).
const (
	PrefixMemory   = "mem_"
	PrefixProposal = "prop_"
	PrefixDecision = "dec_"
	PrefixEvidence = "evi_"
	PrefixEvent    = "evt_"
	PrefixRun      = "run_"
	PrefixSession  = "sess_"
	PrefixDigest   = "dig_"
	PrefixWorkflow = "wf_"
	PrefixSignal   = "sig_"
)

const ulidLength = 26

// ParseID returns the prefix of the id s, which must be one of prefixes. The error
// names the allowed prefixes.
func ParseID(s string, prefixes ...string) (string, error) {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(s, p); ok && len(rest) == ulidLength {
			return p, nil
		}
	}
	return "", fmt.Errorf("id %q: want %s and %d letters and digits, as lists print it", s, strings.Join(prefixes, " or "), ulidLength)
}
