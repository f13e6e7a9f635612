package store

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Committer is the write path of everything that is not a fast batch worker:
// slow workers, operators, people.
type Committer interface {
	// Commit writes the set in one transaction of the tenant, audit last. It
	// locks the scopes that the set touches in the order of their ids and bumps
	// their versions. Every Expect in the set must still hold, else ErrConflict
	// and nothing is written. A non-empty inbox key makes it take effect once:
	// when the key is there already, nothing is written and done is true.
	Commit(ctx context.Context, tenant memory.Tenant, set change.Set, inbox InboxKey) (done bool, err error)
}

// InboxKey names an event that a commit is the effect of; the zero value means
// that it is none.
type InboxKey struct {
	Consumer string
	Key      string
}

// Directory finds who published.
type Directory interface {
	// Principal returns the registered principal of any tenant, ErrNotFound
	// when there is none. Principal ids are globally unique.
	Principal(ctx context.Context, id string) (memory.Principal, error)
	// PrincipalByKey finds the principal of an API key, by the key's SHA-256.
	PrincipalByKey(ctx context.Context, keyHash []byte) (memory.Principal, error)
}

// Reader reads one tenant's rows, for people and for replays.
type Reader interface {
	// Proposal, Memory, Decision and BootFile return one row or ErrNotFound.
	Proposal(ctx context.Context, tenant memory.Tenant, id string) (memory.Proposal, error)
	Memory(ctx context.Context, tenant memory.Tenant, id string) (memory.Memory, error)
	Decision(ctx context.Context, tenant memory.Tenant, id string) (memory.Decision, error)
	BootFile(ctx context.Context, tenant memory.Tenant, id string) (memory.BootFile, error)

	// Proposals, Memories and Decisions list rows in the order of their ids,
	// oldest first (newest first with q.Newest), at most q.Limit (default 100).
	Proposals(ctx context.Context, tenant memory.Tenant, q ProposalQuery) ([]memory.Proposal, error)
	Memories(ctx context.Context, tenant memory.Tenant, q MemoryQuery) ([]memory.Memory, error)
	Decisions(ctx context.Context, tenant memory.Tenant, q DecisionQuery) ([]memory.Decision, error)

	// Evidence, Links and Reviews list what hangs on one id.
	Evidence(ctx context.Context, tenant memory.Tenant, subject string) ([]memory.Evidence, error)
	Links(ctx context.Context, tenant memory.Tenant, id string) ([]memory.Link, error)
	Reviews(ctx context.Context, tenant memory.Tenant, proposalID string) ([]change.Review, error)

	// Policies lists every version of every policy that decided something or
	// was stored, so that old decisions can be derived again.
	Policies(ctx context.Context, tenant memory.Tenant) ([]change.Policy, error)
	// Registry returns the tenant's registry as it is now.
	Registry(ctx context.Context, tenant memory.Tenant) (Registry, error)
	// Principals lists the tenant's principals by id.
	Principals(ctx context.Context, tenant memory.Tenant) ([]memory.Principal, error)
	// Scopes lists the tenant's scopes with their counts, by id.
	Scopes(ctx context.Context, tenant memory.Tenant) ([]ScopeStatus, error)
	// Counts sums proposals by state, decisions by rule and verdict, and
	// memories by state since a time (zero: ever).
	Counts(ctx context.Context, tenant memory.Tenant, since time.Time) (Counts, error)
}

// ProposalQuery selects proposals; zero fields do not restrict.
type ProposalQuery struct {
	Scope   memory.Scope
	States  []memory.ProposalState
	EventID string
	After   string // id; exclusive
	Newest  bool
	Limit   int
}

// MemoryQuery selects memories; zero fields do not restrict.
type MemoryQuery struct {
	Scope  memory.Scope
	States []memory.State
	After  string
	Newest bool
	Limit  int
}

// DecisionQuery selects decisions; zero fields do not restrict.
type DecisionQuery struct {
	Scope      memory.Scope
	ProposalID string
	MemoryID   string // created by or about this memory
	Rule       string
	Since      time.Time
	After      string
	Newest     bool
	Limit      int
}

// ScopeStatus is one line of a scope list.
type ScopeStatus struct {
	Scope    memory.Scope
	Version  int64
	Active   int // memories
	Open     int // proposals that wait
	Archived int
}

// Counts sums a tenant's state.
type Counts struct {
	Proposals map[memory.ProposalState]int
	Memories  map[memory.State]int
	Rules     []RuleCount
}

// RuleCount is one rule's record.
type RuleCount struct {
	Rule     string
	Verdict  memory.Verdict
	Decided  int
	Reviewed int // items of this rule that a person answered
	Overrode int // of these, answered otherwise
}
