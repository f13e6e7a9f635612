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
	//  1. claims every item in the inbox; an item with a stored key took effect
	//     earlier and is not fresh;
	//  2. creates the missing scopes (ErrUnknownScope when b forbids that) and
	//     locks the scopes of the fresh items in the order of their ids;
	//  3. calls decide with the fresh items and a view that is exact under the
	//     locks;
	//  4. writes the set, increments the version of every locked scope, adds the
	//     audit link last, and commits.
	//
	// decide runs at most once, inside the transaction, so it must not make a
	// remote call. CommitBatch does not call decide without a fresh item. An
	// error of decide is returned wrapped, and nothing is written.
	//
	// A set with a slot or a session is refused (ErrInvalid): a batch claims
	// items only, and sessions are written by Commit.
	//
	// Rows written by the set carry the new version of their scope. On success
	// every item of the batch is done; on an error none is.
	CommitBatch(ctx context.Context, tenant memory.Tenant, b Batch, decide DecideFunc) (Committed, error)
}

// Batch is the input of one CommitBatch, for one tenant.
type Batch struct {
	Consumer string // the durable's name: each consumer has its own inbox
	Items    []Item
	// RefuseUnknownScopes is strict mode: an event does not create a scope.
	RefuseUnknownScopes bool
}

// Item is one event of a batch.
type Item struct {
	Key   string // inbox key: eventID/principal
	Scope memory.Scope
}

// DecideFunc decides the fresh items (indexes into Batch.Items, in order).
type DecideFunc func(ctx context.Context, fresh []int, view LaneView) (change.Set, error)

// LaneView reads under the scope locks of a batch. A LaneView is valid until
// decide returns.
type LaneView interface {
	// Lanes returns the rows of the locked scopes that changed after the versions
	// in since (0: every row). The result has one entry for each scope in since,
	// in the order of scope ids.
	Lanes(ctx context.Context, since map[memory.Scope]int64) ([]LaneRows, error)
	// Rows returns rows of a locked scope as they stand under the lock: the
	// memories named, and every active memory and open or settled proposal whose
	// text has one of the hashes. Rows written before hashes were kept have none.
	// ErrInvalid when the scope is not locked.
	Rows(ctx context.Context, scope memory.Scope, memories []string, hashes []memory.TextHash) (LaneRows, error)
	// Registry returns the tenant's registry. When the stored version equals
	// since, only the version is filled in.
	Registry(ctx context.Context, since int64) (Registry, error)
	// ExternalSessions is Sessions.ExternalSessions, exact until the batch commits. A session with one
	// of these names and with external words is either in the result or commits
	// after the batch. In the second case the commit of the session sees the
	// batch's texts (change.Set.Judged).
	ExternalSessions(ctx context.Context, names []change.SessionName) ([]ExternalSession, error)
}

// LaneReader reads what lanes hold while no scope is locked, so that no
// batch waits while a lane is made. What it returns is as new as the version that
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

// LaneRows holds the changed rows of one scope.
type LaneRows struct {
	Scope memory.Scope
	// Version is the scope's version under the lock. The commit stores
	// Version+1.
	Version   int64
	Memories  []memory.Memory   // changed memories, archived ones included
	Proposals []memory.Proposal // changed proposals, open or decided
	// Settled holds the Proposals that a person rejected (rule `settled`), by
	// id, with the time of that decision.
	Settled map[string]Settlement
	// Witnesses holds the evidence of rows with authority agent among Memories
	// and open Proposals, by id: distinct principals or sessions, at most 16 for
	// each row. A second principal may lift the authority of the row (SPEC §7).
	Witnesses map[string][]memory.Evidence
}

// Settlement is a person's rejection of a proposal.
type Settlement struct {
	DecisionID string
	Principal  string
	At         string // RFC 3339 date, cited in the reason
}

// When returns At as a time, or zero when At is not a date.
func (s Settlement) When() time.Time {
	at, _ := time.Parse(time.DateOnly, s.At)
	return at
}

// Registry holds the settings that a tenant's operators maintain and triage
// reads.
type Registry struct {
	Version   int64
	Retired   []memory.Retired
	BootFiles []memory.BootFile
	// Policies holds the active policy of each scope kind with a policy of its
	// own.
	Policies map[memory.ScopeKind]change.Policy
	// RulesOff lists the rules that people overrode too often. These rules
	// recommend but do not act (SPEC §6).
	RulesOff []string
}

// Committed is the result of a batch commit.
type Committed struct {
	Fresh    []int                  // items that took effect in this commit
	Versions map[memory.Scope]int64 // new version of each locked scope
	AuditSeq int64                  // sequence number of the new audit link, 0 without one
}
