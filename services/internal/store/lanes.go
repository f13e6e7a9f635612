package store

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Lanes is the write path of fast batch workers: one transaction per tenant
// over many scopes, with one decision lane per scope at a time.
type Lanes interface {
	// CommitBatch runs, in one transaction of the tenant:
	//
	//  1. claims every item in the inbox; an item that is there already took
	//     effect before and is not fresh;
	//  2. creates the scopes that are missing (ErrUnknownScope when b forbids
	//     it) and locks those of the fresh items in the order of their ids;
	//  3. calls decide with the fresh items and a view that is exact under the
	//     locks;
	//  4. writes the set, bumps the version of every locked scope by one, adds
	//     the audit link last, and commits.
	//
	// decide runs at most once, inside the transaction: it must not call
	// anything remote. It is not called when nothing is fresh. When it returns
	// an error nothing is written, and that error is returned wrapped.
	//
	// A set with a slot or a session is refused (ErrInvalid): a batch claims its
	// items, and sessions come in by Commit.
	//
	// Rows written by the set carry the new version of their scope. On success
	// the caller may count every item as done; on any error, none.
	CommitBatch(ctx context.Context, tenant memory.Tenant, b Batch, decide DecideFunc) (Committed, error)
}

// Batch is what a fast worker has in hand for one tenant.
type Batch struct {
	Consumer string // the durable's name: the inbox is kept per consumer
	Items    []Item
	// RefuseUnknownScopes is strict mode: scopes are not created by events.
	RefuseUnknownScopes bool
}

// Item is one event of a batch.
type Item struct {
	Key   string // inbox key, led by the event id: eventID/principal
	Scope memory.Scope
}

// DecideFunc decides the fresh items (indexes into Batch.Items, in order).
type DecideFunc func(ctx context.Context, fresh []int, view LaneView) (change.Set, error)

// LaneView reads under the scope locks of a batch. It is valid until decide
// returns.
type LaneView interface {
	// Lanes returns what changed in the locked scopes since the versions that
	// the caller already knows (absent or 0: everything). The result has one
	// entry for each scope in since, in the order of scope ids.
	Lanes(ctx context.Context, since map[memory.Scope]int64) ([]LaneRows, error)
	// Rows returns rows of a locked scope as they stand under the lock: the
	// memories named, and every active memory and open or settled proposal whose
	// text has one of the hashes. Rows written before hashes were kept have none.
	// ErrInvalid when the scope is not locked.
	Rows(ctx context.Context, scope memory.Scope, memories []string, hashes []memory.TextHash) (LaneRows, error)
	// Registry returns the tenant's registry. When its version still equals
	// since, only the version is filled in.
	Registry(ctx context.Context, since int64) (Registry, error)
	// Heard is Sessions.Heard, exact until the batch commits: a session of these
	// names with words from outside is either in the result or commits after the
	// batch, and then its commit sees the batch's texts (change.Set.Judged).
	Heard(ctx context.Context, names []change.SessionName) ([]HeardSession, error)
}

// LaneReader reads what lanes hold while no scope is locked, so that the work of
// making a lane holds up nobody. What it returns is as new as the version that
// the outline names, or newer in part: [LaneView.Lanes] since that version brings
// the rest under the lock, and rows that came twice are the same rows.
type LaneReader interface {
	// LaneOutlines lists, in one snapshot, what the lanes of the scopes hold. The
	// result has one entry for each scope, in the order of scope ids; a scope
	// that does not exist has version 0 and no rows. Of each kind of row only the
	// newest `most` of a scope are listed, and More says that there are others.
	LaneOutlines(ctx context.Context, tenant memory.Tenant, most int, scopes ...memory.Scope) ([]LaneOutline, error)
	// LaneRows reads rows by their ids, as they stand now, with what a lane reads
	// beside them. The result has one entry for each scope that has such a row,
	// in the order of scope ids, without a version. Rows that are gone are left
	// out, archived and decided ones are not.
	LaneRows(ctx context.Context, tenant memory.Tenant, memories, proposals []string) ([]LaneRows, error)
}

// LaneOutline names the rows of one lane.
type LaneOutline struct {
	Scope   memory.Scope
	Version int64
	// Memories are the active ones, Proposals those that are open or that a
	// person rejected, in the order of their ids.
	Memories, Proposals []string
	More                bool
}

// LaneRows is the news of one scope.
type LaneRows struct {
	Scope memory.Scope
	// Version is the scope's version under the lock; the commit makes it
	// Version+1.
	Version   int64
	Memories  []memory.Memory   // changed since; archived ones too
	Proposals []memory.Proposal // changed since, that are open, or that are not any more
	// Settled marks which of Proposals were rejected by a person (rule
	// `settled`), with the time of that decision.
	Settled map[string]Settlement
	// Witnesses holds, for rows of authority agent among Memories and open
	// Proposals, who said so: evidence with distinct principals or sessions, at
	// most 16 a row. A second principal may lift such a row (SPEC §7).
	Witnesses map[string][]memory.Evidence
}

// Settlement is a person's rejection of a proposal.
type Settlement struct {
	DecisionID string
	Principal  string
	At         string // RFC 3339 date, cited in the reason
}

// When is At as a time, zero when it is no date.
func (s Settlement) When() time.Time {
	at, _ := time.Parse(time.DateOnly, s.At)
	return at
}

// Registry is what a tenant's operators maintain and triage reads.
type Registry struct {
	Version   int64
	Retired   []memory.Retired
	BootFiles []memory.BootFile
	// Policies holds the text of the policy in force for each scope kind that
	// has one of its own.
	Policies map[memory.ScopeKind]change.Policy
	// RulesOff are the rules that people overrode too often; they recommend
	// but do not act (SPEC §6).
	RulesOff []string
}

// Committed says what a commit did.
type Committed struct {
	Fresh    []int                  // the items that took effect now
	Versions map[memory.Scope]int64 // the new version of each scope that was locked
	AuditSeq int64                  // the tenant's audit head, 0 when nothing was recorded
}
