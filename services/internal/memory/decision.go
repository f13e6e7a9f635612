package memory

import (
	"encoding/json"
	"time"
)

// Verdict is what was decided about a proposal.
type Verdict string

// The verdicts. The first four are the seed's (S3.3); quarantine keeps
// suspicious text away from every index; expired and restored come from time
// and from undo.
const (
	VerdictPromoted    Verdict = "promoted"
	VerdictRejected    Verdict = "rejected"
	VerdictMerged      Verdict = "merged"
	VerdictNeedsReview Verdict = "needs_review"
	VerdictQuarantined Verdict = "quarantined"
	VerdictExpired     Verdict = "expired"
	VerdictUndone      Verdict = "undone"
)

// State is where a proposal stands after this verdict.
func (v Verdict) State() ProposalState {
	if v == VerdictUndone {
		return ProposalNeedsReview
	}
	return ProposalState(v)
}

// Advice is what a person is recommended to do with an item (S3.20).
type Advice string

// The recommendations. AdviceReview means that only the person can know.
const (
	AdvicePromote Advice = "promote"
	AdviceReject  Advice = "reject"
	AdviceReplace Advice = "replace"
	AdviceReview  Advice = "review"
)

// Actor says what decided.
type Actor string

// The actors of decisions and of the audit log.
const (
	ActorTriage Actor = "triage"
	ActorPerson Actor = "person"
	ActorSystem Actor = "system"
)

// Decision is a verdict with everything needed to derive it again: `winnow
// replay decision ID` extracts the features anew from the stored texts and
// compares.
type Decision struct {
	ID         string   `json:"id"`
	Tenant     Tenant   `json:"tenant"`
	Scope      Scope    `json:"scope"`
	ProposalID string   `json:"proposal_id,omitempty"` // empty for a decision about a memory alone
	Verdict    Verdict  `json:"verdict"`
	Rule       string   `json:"rule"`                // the id of the rule that decided
	Fired      []string `json:"fired,omitempty"`     // ids of all rules that matched, in order of precedence
	Advice     Advice   `json:"advice,omitempty"`    // for a person, when the verdict is needs_review
	Reason     string   `json:"reason,omitempty"`    // one line that a person can read
	Target     string   `json:"target,omitempty"`    // the memory or proposal it repeats, updates, merges with or contradicts
	MemoryID   string   `json:"memory_id,omitempty"` // the memory that it created

	Policy        string          `json:"policy,omitempty"`         // name of the policy
	PolicyVersion string          `json:"policy_version,omitempty"` // its content hash
	Calibration   string          `json:"calibration,omitempty"`    // id of the similarity's calibration, such as lex-1
	Features      json.RawMessage `json:"features,omitempty"`
	Candidates    []Candidate     `json:"candidates,omitempty"` // the nearest texts, losing ones included
	Inputs        Inputs          `json:"inputs"`

	Principal string    `json:"principal,omitempty"` // who published the proposal, or the person who decided
	Actor     Actor     `json:"actor"`
	Authority Origin    `json:"authority"`
	Undoes    string    `json:"undoes,omitempty"` // the decision that this one takes back
	At        time.Time `json:"at,omitzero"`
}

// Candidate is a stored text that the proposal was compared with.
type Candidate struct {
	ID         string        `json:"id"`
	Role       CandidateRole `json:"role"`
	Similarity float64       `json:"similarity"` // 0–1 on the decision's calibration
	Relation   string        `json:"relation"`   // of the specifics: equal, contained, superset, conflict, complement

	// What else the verdict read from it, as it was then: a repeat may have
	// lifted its authority since.
	Section    string    `json:"section,omitempty"`
	Kind       Kind      `json:"kind,omitempty"`
	Authority  Origin    `json:"authority"`
	ObservedAt time.Time `json:"observed_at,omitzero"`
	CreatedAt  time.Time `json:"created_at,omitzero"` // for a settled one: when the person said no
}

// CandidateRole is what the compared text was when the decision was made. A
// replay needs it, because the text may have moved on since.
type CandidateRole string

// The roles.
const (
	RoleMemory  CandidateRole = "memory"  // an active memory of the scope
	RoleOpen    CandidateRole = "open"    // a proposal still waiting
	RoleSettled CandidateRole = "settled" // a proposal that a person rejected
	RoleBoot    CandidateRole = "boot"    // a line of a registered boot file or system prompt
	RoleServed  CandidateRole = "served"  // a memory that was served in the proposal's session
)

// Inputs fixes what else the verdict depended on, so that a replay sees the
// same world although the scope has moved on.
type Inputs struct {
	ScopeVersion int64    `json:"scope_version"`       // the lane's version when it was decided
	Retired      []string `json:"retired,omitempty"`   // the retired terms that the text names
	RulesOff     []string `json:"rules_off,omitempty"` // rules that had stopped acting by themselves
	Similarity   string   `json:"similarity"`          // what compared the texts: lexical, embedding, both
	Beside       string   `json:"beside,omitempty"`    // who chose what was compared, where a scope was not compared whole: index
}

// Retired is a term of the registry of removed tools, old versions, closed
// projects and superseded decision records (D6).
type Retired struct {
	ID          string    `json:"id"`
	Tenant      Tenant    `json:"tenant"`
	Scope       Scope     `json:"scope"` // empty: the whole tenant
	Term        string    `json:"term,omitempty"`
	Kind        string    `json:"kind,omitempty"` // tool, version, adr, project
	Replacement string    `json:"replacement,omitempty"`
	Since       time.Time `json:"since,omitzero"`
	Principal   string    `json:"principal,omitempty"`
}

// BootFile is a text that agents load at every start, such as a system prompt
// or CLAUDE.md. What merely restates it is an echo, not a memory.
type BootFile struct {
	ID        string    `json:"id"`
	Tenant    Tenant    `json:"tenant"`
	Scope     Scope     `json:"scope"` // empty: the whole tenant
	Name      string    `json:"name,omitempty"`
	Text      string    `json:"text"` // redacted
	Principal string    `json:"principal,omitempty"`
	CreatedAt time.Time `json:"created_at,omitzero"`
}

// Principal is an authenticated publisher, agent, service or person.
type Principal struct {
	ID      string `json:"id"` // one token [A-Za-z0-9_-]{1,64}, globally unique
	Tenant  Tenant `json:"tenant"`
	Highest Origin `json:"highest"` // the highest origin that it may claim
	Name    string `json:"name,omitempty"`
	Service bool   `json:"service"` // its facts may count as asserted by a registered service
	// SpeaksFor lists the reviewers whose answers it may bring, as a chat
	// gateway does; "*" is any of its tenant. A person needs none to answer in
	// their own name.
	SpeaksFor []string  `json:"speaks_for,omitempty"`
	CreatedAt time.Time `json:"created_at,omitzero"`
}
