package memory

import "time"

// Digest is one reviewer's questions of one slot, as it was sent: what a reply
// is bound to. It is written once; what became of its items stands in the
// proposals and in the replies.
type Digest struct {
	ID       string `json:"id"`
	Tenant   Tenant `json:"tenant"`
	Reviewer string `json:"reviewer"` // principal
	Slot     string `json:"slot"`     // such as 2026-W47: one digest for each slot and reviewer
	Code     string `json:"code"`     // binds a reply to this digest
	Language string `json:"language"` // en or de
	// From and Until bound what it reports: after From, up to Until.
	From      time.Time `json:"from"`
	Until     time.Time `json:"until"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"` // the last moment at which a reply is taken

	Text  string       `json:"text"` // as a person reads it
	Items []DigestItem `json:"items,omitempty"`
	Spots []DigestSpot `json:"spots,omitempty"`
}

// DigestItem is a question: a proposal, and the decision that put it before a
// person. A proposal decided otherwise since is not this question any more.
type DigestItem struct {
	Number     int    `json:"number"` // from 1
	ProposalID string `json:"proposal_id"`
	DecisionID string `json:"decision_id"`
	Advice     Advice `json:"recommend"`
}

// DigestSpot is something that was promoted by itself, shown for a spot check.
type DigestSpot struct {
	Number     int    `json:"number"` // from 1; a reply names it p1, p2 …
	MemoryID   string `json:"memory_id"`
	DecisionID string `json:"decision_id"`
}

// DigestReply is what a person answered to a digest, and what came of it. A
// reply that was not understood is kept too, and changed nothing.
type DigestReply struct {
	ID        string    `json:"id"`
	Tenant    Tenant    `json:"tenant"`
	DigestID  string    `json:"digest_id"`
	Principal string    `json:"principal"` // who sent it: the reviewer, or a gateway that speaks for them
	Text      string    `json:"text"`      // as typed, redacted
	Answer    string    `json:"answer"`    // what was understood and done, or why nothing was
	Applied   bool      `json:"applied"`
	Decisions []string  `json:"decisions,omitempty"` // made by it, in their order
	Undoes    string    `json:"undoes,omitempty"`    // the reply that it took back
	At        time.Time `json:"at"`
}

// Reviewer says whose questions of which scopes a person gets.
type Reviewer struct {
	Principal string `json:"principal"`
	Scope     Scope  `json:"scope"` // empty: every scope that nobody else has
	Language  string `json:"language,omitempty"`
}

// PrefixReply starts the ids of replies to digests.
const PrefixReply = "rep_"
