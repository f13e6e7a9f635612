package memory

import "time"

// Digest holds one reviewer's questions of one slot, as they were sent. A reply is
// bound to one Digest. A Digest is written once; proposals and replies record what
// became of its items.
type Digest struct {
	ID       string `json:"id"`
	Tenant   Tenant `json:"tenant"`
	Reviewer string `json:"reviewer"` // principal
	Slot     string `json:"slot"`     // such as 2026-W47: one digest for each slot and reviewer
	Code     string `json:"code"`     // binds a reply to this digest
	Language string `json:"language"` // en or de
	// From (exclusive) and Until (inclusive) bound the reported period.
	From      time.Time `json:"from"`
	Until     time.Time `json:"until"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"` // the last moment at which a reply is accepted

	Text  string       `json:"text"` // as a person reads it
	Items []DigestItem `json:"items,omitempty"`
	Spots []DigestSpot `json:"spots,omitempty"`
}

// DigestItem is a question: a proposal, and the decision that sent the proposal to
// review. A later decision about the proposal closes the question.
type DigestItem struct {
	Number     int    `json:"number"` // from 1
	ProposalID string `json:"proposal_id"`
	DecisionID string `json:"decision_id"`
	Advice     Advice `json:"recommend"`
}

// DigestSpot is an automatically promoted memory, shown for a spot check.
type DigestSpot struct {
	Number     int    `json:"number"` // from 1; a reply names it p1, p2 …
	MemoryID   string `json:"memory_id"`
	DecisionID string `json:"decision_id"`
}

// DigestReply is a person's reply to a digest, with its effect. A reply that was
// not understood is stored too and changes nothing.
type DigestReply struct {
	ID        string    `json:"id"`
	Tenant    Tenant    `json:"tenant"`
	DigestID  string    `json:"digest_id"`
	Principal string    `json:"principal"` // sender: the reviewer, or a gateway that speaks for the reviewer
	Text      string    `json:"text"`      // as typed, redacted
	Answer    string    `json:"answer"`    // what was understood and done, or why nothing was done
	Applied   bool      `json:"applied"`
	Decisions []string  `json:"decisions,omitempty"` // ids of the decisions of the reply, in order
	Undoes    string    `json:"undoes,omitempty"`    // the reply that this one reverted
	At        time.Time `json:"at"`
}

// Reviewer assigns the questions of a scope to a person.
type Reviewer struct {
	Principal string `json:"principal"`
	Scope     Scope  `json:"scope"` // empty: every scope without another reviewer
	Language  string `json:"language,omitempty"`
}

// PrefixReply starts the ids of replies to digests.
const PrefixReply = "rep_"
