// Package change says what a handler wants done, as data.
//
// A handler decides and returns a [Set]; one function commits it (SPEC §2).
// Nothing in a Set has happened yet, so a handler can be tested by looking at
// what it returns, and a batch can be thrown away and halved without undoing
// anything.
package change

import (
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
	// DroppedEvidence takes repeats away from what they were counted for, when
	// a merge is undone. What was quoted stays with its own proposal.
	DroppedEvidence []memory.Evidence

	// Sessions as they came in, with their traces, and what was made of them. A
	// session whose hash its scope holds already fails the commit with
	// store.ErrConflict: it came in twice at once.
	Sessions       []memory.Session
	Traces         []Trace
	SessionUpdates []SessionUpdate
	// Judged are the texts that new sessions were held against. A text in force
	// that names such a session and is not among them fails the commit with
	// store.ErrConflict: it was recorded meanwhile.
	Judged []Judged

	// Registry and policy rows, written by operators.
	Retired        []memory.Retired
	RetiredRemoved []string // ids
	BootFiles      []memory.BootFile
	BootRemoved    []string // ids
	Principals     []memory.Principal
	Policies       []Policy
	Reviews        []Review
	Reviewers      []memory.Reviewer // who gets which scope's questions
	ReviewersGone  []memory.Reviewer

	// Digests as they were sent, and what was answered.
	Digests       []memory.Digest
	DigestReplies []memory.DigestReply

	// Slot, when set, is claimed first: if another replica ran it, nothing of
	// this set is written.
	Slot *Slot

	// What others are told, through the outbox, after commit.
	Events []Event
	// What the tenant's audit chain records, in one link.
	Audit []Audit
}

// Empty reports that committing the set would do nothing.
func (s *Set) Empty() bool {
	return len(s.Proposals)+len(s.Memories)+len(s.Decisions)+len(s.Evidence)+len(s.Links)+
		len(s.ProposalUpdates)+len(s.MemoryUpdates)+len(s.DroppedLinks)+len(s.DroppedEvidence)+
		len(s.Sessions)+len(s.Traces)+len(s.SessionUpdates)+len(s.Judged)+
		len(s.Retired)+len(s.RetiredRemoved)+len(s.BootFiles)+len(s.BootRemoved)+
		len(s.Principals)+len(s.Policies)+len(s.Reviews)+len(s.Reviewers)+len(s.ReviewersGone)+
		len(s.Digests)+len(s.DigestReplies)+len(s.Events)+len(s.Audit) == 0 && s.Slot == nil
}

// Trace is what was said in a session, redacted, as package transcript writes
// it: compressed, in pieces that a row can hold.
type Trace struct {
	SessionID string
	Chunks    [][]byte
}

// SessionName is what a principal calls a session of its own. Two principals may
// use one name for two sessions.
type SessionName struct {
	Principal string
	Name      string
}

// Judged lists the proposals that a session was held against: all of its name
// that are in force, or may come into force, and that it could lower.
type Judged struct {
	SessionName
	Texts []string // ids of proposals
}

// SessionUpdate says what distillation made of a session. Applying it twice is
// the same as once.
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

// ProposalUpdate moves a stored proposal. The whole mutable part is given, so
// applying it twice is the same as once.
type ProposalUpdate struct {
	ID            string
	State         memory.ProposalState
	Kind          memory.Kind
	Section       string
	Target        string
	DecisionID    string
	SeenCount     int
	LastConfirmed time.Time
	// Lift raises the stored authority to this where that is higher, by
	// corroboration (SPEC §7). It never lowers; unknown leaves it as it is.
	Lift memory.Origin
	// Lower takes a lift back: the authority becomes agent again, where it was
	// first_party. Only an undo does so, when what corroborated is gone.
	Lower bool
	// Outside lowers the authority to external, where it was higher: the words
	// turned out to come from outside.
	Outside bool
	// Expect, when not zero, is the version the change was decided on; a row
	// that moved on since fails the commit with store.ErrConflict.
	Expect int64
}

// MemoryUpdate moves a stored memory: archive, restore, confirm. Its text is
// immutable.
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

// Policy is a stored version of a triage policy. Its version is the hash of its
// text, so storing it twice is the same as once.
type Policy struct {
	Name    string
	Version string
	Text    string // YAML
	// ScopeKind makes this the policy of scopes of that kind; empty stores it
	// without using it.
	ScopeKind memory.ScopeKind
}

// Review is what a person said about a proposal, kept apart from the decision
// it led to: override rates are counted from it.
type Review struct {
	ID         string
	ProposalID string
	DecisionID string // the decision it produced
	Overrode   string // the decision it answered
	Rule       string // the rule of that decision
	Agreed     bool   // the person did what was recommended
	Principal  string
	Note       string
	At         time.Time
}

// Event is told to others once the change is committed.
type Event struct {
	ID      string // unique; becomes ce-id and the message id
	Subject string // from pkg/event
	Type    string // with its major version
	Message proto.Message
}

// Audit is one entry of the audit log. The body is erasable; its salted
// commitment is not (SPEC §3).
type Audit struct {
	Actor     memory.Actor
	Principal string
	Action    string // such as "proposal.decided", "memory.archived"
	Subject   string // the id it is about
	Body      any    // marshalled to JSON; small facts and ids, no secrets
}
