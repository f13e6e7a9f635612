package memory

import (
	"encoding/json"
	"time"
)

// Verdict is the outcome of a decision about a proposal.
type Verdict string

// The verdicts. The first four are the seed's (S3.3). Quarantined text reaches no
// index. A proposal expires with time; an undo leads to undone.
const (
	VerdictPromoted    Verdict = "promoted"
	VerdictRejected    Verdict = "rejected"
	VerdictMerged      Verdict = "merged"
	VerdictNeedsReview Verdict = "needs_review"
	VerdictQuarantined Verdict = "quarantined"
	VerdictExpired     Verdict = "expired"
	VerdictUndone      Verdict = "undone"
)

// State returns the state of a proposal after this verdict.
func (v Verdict) State() ProposalState {
	if v == VerdictUndone {
		return ProposalNeedsReview
	}
	return ProposalState(v)
}

// Advice is the recommendation to a person about an item (S3.20).
type Advice string

// The recommendations. AdviceReview means that only the person can know.
const (
	AdvicePromote Advice = "promote"
	AdviceReject  Advice = "reject"
	AdviceReplace Advice = "replace"
	AdviceReview  Advice = "review"
)

// Actor is the author of a decision.
type Actor string

// The actors of decisions and of the audit log.
const (
	ActorTriage Actor = "triage"
	ActorPerson Actor = "person"
	ActorSystem Actor = "system"
)

// Decision is a verdict with all inputs that a replay needs: `winnow replay
// decision ID` extracts the features again from the stored texts and compares the
// verdicts.
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
	Target     string   `json:"target,omitempty"`    // the memory or proposal that the proposal repeats, updates, merges with or contradicts
	MemoryID   string   `json:"memory_id,omitempty"` // the memory that the decision created

	Policy        string          `json:"policy,omitempty"`         // name of the policy
	PolicyVersion string          `json:"policy_version,omitempty"` // content hash of the policy
	Calibration   string          `json:"calibration,omitempty"`    // id of the similarity's calibration, such as lex-5
	Features      json.RawMessage `json:"features,omitempty"`
	Candidates    []Candidate     `json:"candidates,omitempty"` // the nearest texts, losing ones included
	Inputs        Inputs          `json:"inputs"`

	Principal string    `json:"principal,omitempty"` // publisher of the proposal, or the person who decided
	Actor     Actor     `json:"actor"`
	Authority Origin    `json:"authority"`
	Undoes    string    `json:"undoes,omitempty"` // the decision that this one reverts
	At        time.Time `json:"at,omitzero"`
}

// Candidate is a stored text that the proposal was compared with.
type Candidate struct {
	ID         string        `json:"id"`
	Role       CandidateRole `json:"role"`
	Similarity float64       `json:"similarity"` // 0–1 on the decision's calibration
	Relation   string        `json:"relation"`   // of the specifics: equal, contained, superset, conflict, complement

	// Further fields that the verdict read, with their values at the time of the
	// decision: a repeat may have lifted the authority since.
	Section    string    `json:"section,omitempty"`
	Kind       Kind      `json:"kind,omitempty"`
	Authority  Origin    `json:"authority"`
	ObservedAt time.Time `json:"observed_at,omitzero"`
	CreatedAt  time.Time `json:"created_at,omitzero"` // for a settled one: when the person said no
}

// CandidateRole is the role of the compared text at the time of the decision. A
// replay needs the role, because the text's state may have changed since.
type CandidateRole string

// The roles.
const (
	RoleMemory  CandidateRole = "memory"  // an active memory of the scope
	RoleOpen    CandidateRole = "open"    // a proposal still waiting
	RoleSettled CandidateRole = "settled" // a proposal that a person rejected
	RoleBoot    CandidateRole = "boot"    // a line of a registered boot file or system prompt
	RoleServed  CandidateRole = "served"  // a memory that was served in the proposal's session
)

// Inputs records the other inputs of the verdict, so that a replay sees the same
// inputs although the scope has changed since.
type Inputs struct {
	ScopeVersion    int64    `json:"scope_version"`       // the lane's version at the decision
	Retired         []string `json:"retired,omitempty"`   // the retired terms that the text names
	RulesOff        []string `json:"rules_off,omitempty"` // rules that recommended but did not act
	Similarity      string   `json:"similarity"`          // method of comparison: lexical, embedding, both
	CandidateSource string   `json:"beside,omitempty"`    // what named the candidates of a scope that was not compared whole: index
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

// BootFile is a text that agents load at every start, such as a system prompt or
// CLAUDE.md. A proposal that only restates a boot file is an echo, not a memory.
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
	Highest Origin `json:"highest"` // the highest origin that the principal may claim
	Name    string `json:"name,omitempty"`
	Service bool   `json:"service"` // facts may count as asserted by a registered service
	// SpeaksFor lists the reviewers whose answers the principal may forward, as a
	// chat gateway does; "*" is any reviewer of the tenant. A person needs no
	// entry to answer in their own name.
	SpeaksFor []string `json:"speaks_for,omitempty"`
	// EventsJSON is the form in which a gateway reads events: true for JSON, false for
	// protobuf.
	EventsJSON bool `json:"events_json,omitempty"`
	// Permissions say what the principal may do over HTTP and MCP; nil means
	// [DefaultPermissions].
	Permissions []Permission `json:"permissions,omitempty"`
	// Scopes bind the principal over HTTP and MCP to these projects, teams and
	// organisations; none binds it to nothing, and it sees its whole tenant.
	Scopes    []Scope   `json:"scopes,omitempty"`
	CreatedAt time.Time `json:"created_at,omitzero"`
	// Acts lists the scopes of a bound principal with all that belongs to them, and Reads
	// those with what they belong to (D25). The directory fills them in; they are empty for
	// a principal that is bound to nothing.
	Acts  []Scope `json:"-"`
	Reads []Scope `json:"-"`
}
