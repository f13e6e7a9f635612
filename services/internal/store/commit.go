package store

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Committer is the write path of slow workers, operators and people. Fast batch
// workers use [Lanes].
type Committer interface {
	// Commit writes the set in one transaction of the tenant, the audit link
	// last. The transaction locks the touched scopes in the order of their ids
	// and increments their versions.
	//
	// Every Expect in the set must still hold; otherwise Commit returns
	// ErrConflict and writes nothing. A session with external words waits for
	// batches that record texts under its name. Each of those texts must be in
	// the set's Judged; otherwise Commit returns ErrConflict.
	//
	// A non-empty inbox key makes the set take effect once: when the key is
	// already stored, Commit writes nothing and returns done. The set's slot
	// does the same for a schedule.
	Commit(ctx context.Context, tenant memory.Tenant, set change.Set, inbox InboxKey) (done bool, err error)
}

// InboxKey names the event that caused a commit. The zero value means that no
// event caused the commit.
type InboxKey struct {
	Consumer string
	Key      string
}

// Directory finds principals and tenants.
type Directory interface {
	// Principal returns the registered principal with this id, of any tenant, or
	// ErrNotFound. Principal ids are globally unique.
	Principal(ctx context.Context, id string) (memory.Principal, error)
	// PrincipalByKey returns the principal of an API key, by the key's SHA-256,
	// with what the key allows. An unknown, expired or revoked key is ErrNotFound.
	// It records the day on which a key was used.
	PrincipalByKey(ctx context.Context, keyHash []byte) (memory.Principal, error)
	// Tenants lists every tenant except the system tenant, by name. Schedules
	// run once for each.
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

	// Evidence, Links and Reviews list the rows that refer to the given ids, in
	// one query for any number of ids. Evidence is ordered by subject. Links
	// from or to any of the ids are listed once. Reviews are ordered from the
	// oldest.
	Evidence(ctx context.Context, tenant memory.Tenant, subjects ...string) ([]memory.Evidence, error)
	Links(ctx context.Context, tenant memory.Tenant, ids ...string) ([]memory.Link, error)
	Reviews(ctx context.Context, tenant memory.Tenant, proposals ...string) ([]change.Review, error)

	// Policies lists every stored version of every policy, so that a replay can
	// derive old decisions again.
	Policies(ctx context.Context, tenant memory.Tenant) ([]change.Policy, error)
	// Registry returns the tenant's current registry.
	Registry(ctx context.Context, tenant memory.Tenant) (Registry, error)
	// Principals lists the tenant's principals by id.
	Principals(ctx context.Context, tenant memory.Tenant) ([]memory.Principal, error)
	// Keys lists the API keys of a principal, or of all when it is empty, the oldest
	// first; expired and revoked ones too, without their hashes.
	Keys(ctx context.Context, tenant memory.Tenant, principal string) ([]memory.Key, error)
	// Scopes lists the tenant's scopes with their counts, by id.
	Scopes(ctx context.Context, tenant memory.Tenant) ([]ScopeStatus, error)
	// ScopeVersions returns the versions of the given scopes, or of every scope
	// when none is given. An unknown scope is not in the result.
	ScopeVersions(ctx context.Context, tenant memory.Tenant, scopes ...memory.Scope) (map[memory.Scope]int64, error)
	// ScopeLinks lists which scope belongs to which, by scope.
	ScopeLinks(ctx context.Context, tenant memory.Tenant) ([]memory.ScopeLink, error)
	// ScopesAbove lists what a scope belongs to, the nearest first: a project's team
	// and that team's organisation. An unlinked scope has none.
	ScopesAbove(ctx context.Context, tenant memory.Tenant, scope memory.Scope) ([]memory.Scope, error)
	// ScopesAround returns ScopesAbove of a scope and ScopeNames of kinds, in one look.
	ScopesAround(ctx context.Context, tenant memory.Tenant, scope memory.Scope, kinds ...memory.ScopeKind) (above, named []memory.Scope, err error)
	// ScopeNames lists the tenant's scopes of these kinds by id. No kind selects
	// nothing.
	ScopeNames(ctx context.Context, tenant memory.Tenant, kinds ...memory.ScopeKind) ([]memory.Scope, error)
	// Counts sums proposals by state, decisions by rule and verdict, and
	// memories by state since a time (zero: ever).
	Counts(ctx context.Context, tenant memory.Tenant, since time.Time) (Counts, error)
	// Tally counts the decisions after from (exclusive) up to until (inclusive),
	// grouped and ordered by scope, actor, verdict and rule. A zero time is no
	// bound.
	Tally(ctx context.Context, tenant memory.Tenant, from, until time.Time) ([]TallyLine, error)
	// DecisionSpan counts the decisions of a scope with a version above after, up
	// to until. Consecutive spans count every decision once, even a decision
	// with an id below those of an earlier span. Decisions from before versions
	// were stored belong to version 0.
	DecisionSpan(ctx context.Context, tenant memory.Tenant, scope memory.Scope, after, until int64) (DecisionSpan, error)

	Briefings
	Digests
	Topics
}

// Digests reads the digests that reviewers received, and their replies.
type Digests interface {
	// Digest returns one digest or ErrNotFound.
	Digest(ctx context.Context, tenant memory.Tenant, id string) (memory.Digest, error)
	// DigestByCode returns the newest digest with this code or ErrNotFound.
	DigestByCode(ctx context.Context, tenant memory.Tenant, code string) (memory.Digest, error)
	// Digests lists digests, newest first, of one reviewer or (empty) of all,
	// at most limit (default 100).
	Digests(ctx context.Context, tenant memory.Tenant, reviewer string, limit int) ([]memory.Digest, error)
	// DigestReplies lists the replies to a digest, oldest first.
	DigestReplies(ctx context.Context, tenant memory.Tenant, digestID string) ([]memory.DigestReply, error)
	// Reviewers lists the assignments of scopes to reviewers, by principal and
	// scope.
	Reviewers(ctx context.Context, tenant memory.Tenant) ([]memory.Reviewer, error)
	// LastSlot returns the latest slot of a schedule that ran, or zero before
	// the first run.
	LastSlot(ctx context.Context, tenant memory.Tenant, schedule string) (time.Time, error)
}

// ProposalQuery selects proposals; zero fields do not restrict.
type ProposalQuery struct {
	IDs       []string // as in DecisionQuery
	Scope     memory.Scope
	States    []memory.ProposalState
	EventID   string
	Principal string // the publisher
	SessionID string // the session's name, as the publisher wrote it
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
	Principal string // author of the first statement
	After     string
	Newest    bool
	Limit     int
}

// DecisionQuery selects decisions; zero fields do not restrict.
type DecisionQuery struct {
	IDs        []string // restricts to these ids; a Limit of 0 then returns all of them
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
	Open     int // proposals that await a decision
	Archived int
}

// Counts sums a tenant's state.
type Counts struct {
	Proposals map[memory.ProposalState]int
	Memories  map[memory.State]int
	Rules     []RuleCount
}

// RuleCount counts the decisions of one rule and their reviews.
type RuleCount struct {
	Rule     string
	Verdict  memory.Verdict
	Decided  int
	Reviewed int // items of this rule with a person's answer
	Overrode int // items with an answer other than the recommendation
}

// DecisionSpan counts decisions. First and Last are the least and the greatest
// id, empty for a count of zero.
type DecisionSpan struct {
	Count       int
	First, Last string
}

// TallyLine counts the decisions of one actor with one verdict by one rule in a
// scope.
type TallyLine struct {
	Scope   memory.Scope
	Actor   memory.Actor
	Verdict memory.Verdict
	Rule    string
	N       int
}
