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
	// and nothing is written. Sessions that heard words from outside wait for
	// batches that record texts of their names, and such texts must be in the
	// set's Judged, else ErrConflict. A non-empty inbox key makes it take effect once:
	// when the key is there already, nothing is written and done is true. The
	// set's slot does the same for a schedule.
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
	// Tenants lists every tenant but the system's own, by name: schedules run
	// for each.
	Tenants(ctx context.Context) ([]memory.Tenant, error)
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

	// Evidence, Links and Reviews list what hangs on some ids, in one query
	// however many there are: evidence by subject, links from or to any of the
	// ids, each once, and reviews from the oldest.
	Evidence(ctx context.Context, tenant memory.Tenant, subjects ...string) ([]memory.Evidence, error)
	Links(ctx context.Context, tenant memory.Tenant, ids ...string) ([]memory.Link, error)
	Reviews(ctx context.Context, tenant memory.Tenant, proposals ...string) ([]change.Review, error)

	// Policies lists every version of every policy that decided something or
	// was stored, so that old decisions can be derived again.
	Policies(ctx context.Context, tenant memory.Tenant) ([]change.Policy, error)
	// Registry returns the tenant's registry as it is now.
	Registry(ctx context.Context, tenant memory.Tenant) (Registry, error)
	// Principals lists the tenant's principals by id.
	Principals(ctx context.Context, tenant memory.Tenant) ([]memory.Principal, error)
	// Scopes lists the tenant's scopes with their counts, by id.
	Scopes(ctx context.Context, tenant memory.Tenant) ([]ScopeStatus, error)
	// ScopeVersions returns the versions of these scopes, of all when there are
	// none. A scope that does not exist is not in the result.
	ScopeVersions(ctx context.Context, tenant memory.Tenant, scopes ...memory.Scope) (map[memory.Scope]int64, error)
	// Counts sums proposals by state, decisions by rule and verdict, and
	// memories by state since a time (zero: ever).
	Counts(ctx context.Context, tenant memory.Tenant, since time.Time) (Counts, error)
	// Tally counts the decisions after from, up to until (zero: without that
	// bound), by scope, actor, verdict and rule, in that order.
	Tally(ctx context.Context, tenant memory.Tenant, from, until time.Time) ([]TallyLine, error)
	// DecisionSpan counts the decisions that made a scope's versions above after
	// up to until. Spans that follow one another by version count every decision
	// once, also one whose id is smaller than those counted before; decisions
	// from before versions were kept belong to version 0.
	DecisionSpan(ctx context.Context, tenant memory.Tenant, scope memory.Scope, after, until int64) (DecisionSpan, error)

	Briefings
	Digests
}

// Digests reads what was sent to reviewers, and when.
type Digests interface {
	// Digest returns one digest or ErrNotFound.
	Digest(ctx context.Context, tenant memory.Tenant, id string) (memory.Digest, error)
	// DigestByCode returns the newest digest with this code or ErrNotFound.
	DigestByCode(ctx context.Context, tenant memory.Tenant, code string) (memory.Digest, error)
	// Digests lists digests, newest first, of one reviewer or (empty) of all,
	// at most limit (default 100).
	Digests(ctx context.Context, tenant memory.Tenant, reviewer string, limit int) ([]memory.Digest, error)
	// DigestReplies lists what was answered to a digest, oldest first.
	DigestReplies(ctx context.Context, tenant memory.Tenant, digestID string) ([]memory.DigestReply, error)
	// Reviewers lists who gets which questions, by principal and scope.
	Reviewers(ctx context.Context, tenant memory.Tenant) ([]memory.Reviewer, error)
	// LastSlot is the latest slot of a schedule that ran; zero when none did.
	LastSlot(ctx context.Context, tenant memory.Tenant, schedule string) (time.Time, error)
}

// ProposalQuery selects proposals; zero fields do not restrict.
type ProposalQuery struct {
	IDs     []string // as in DecisionQuery
	Scope   memory.Scope
	States  []memory.ProposalState
	EventID string
	// Principal is who published them.
	Principal string
	SessionID string // of the session that they name, in the publisher's words
	After     string // id; exclusive
	Newest    bool
	Limit     int
}

// MemoryQuery selects memories; zero fields do not restrict.
type MemoryQuery struct {
	IDs       []string // as in DecisionQuery
	Scope     memory.Scope
	States    []memory.State
	Kinds     []memory.Kind
	Principal string // who said it first
	After     string
	Newest    bool
	Limit     int
}

// DecisionQuery selects decisions; zero fields do not restrict.
type DecisionQuery struct {
	IDs        []string // only these, and without a Limit all of them
	Scope      memory.Scope
	Verdict    memory.Verdict
	Actor      memory.Actor
	ProposalID string
	MemoryID   string // created by or about this memory
	Rule       string
	Since      time.Time
	Until      time.Time // inclusive
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

// DecisionSpan is how many decisions there are, with the least and the greatest of
// their ids; those are empty without any.
type DecisionSpan struct {
	Count       int
	First, Last string
}

// TallyLine is how often one actor came to one verdict by one rule in a scope.
type TallyLine struct {
	Scope   memory.Scope
	Actor   memory.Actor
	Verdict memory.Verdict
	Rule    string
	N       int
}
