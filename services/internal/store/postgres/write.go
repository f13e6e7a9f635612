package postgres

import (
	"cmp"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// writer queues the statements of a change set. JSON and commitments are computed
// before a statement is sent, so that locks are held only for the database's work.
type writer struct {
	tenant memory.Tenant
	set    change.Set
	// lockedScopes lists the lanes of this transaction in the order of their
	// locks; lockedVersions lists their new versions.
	lockedScopes   []string
	lockedVersions []int64
	versions       map[memory.Scope]int64
	settles        map[string]bool // ids of a person's rejections

	json   encoder
	outbox []outgoing
	copies []outgoing // in JSON, for the gateways that read it
	audit  auditLink
}

// newWriter checks the set against the locked lanes and encodes its events and
// audit entries.
func newWriter(tenant memory.Tenant, set change.Set, locked []lane) (*writer, error) {
	// An update by unnest applies one update to each row, hence Coalesced.
	w := &writer{tenant: tenant, set: set.Coalesced(), versions: make(map[memory.Scope]int64, len(locked)), settles: map[string]bool{}}
	for _, l := range locked {
		w.lockedScopes = append(w.lockedScopes, string(l.scope))
		w.lockedVersions = append(w.lockedVersions, l.version+1)
		w.versions[l.scope] = l.version + 1
	}
	if err := w.checkRows(); err != nil {
		return nil, err
	}
	for i := range set.Decisions {
		d := &set.Decisions[i]
		if d.Actor == memory.ActorPerson && d.Verdict == memory.VerdictRejected {
			w.settles[d.ID] = true
		}
	}
	var err error
	if w.outbox, err = encodeEvents(&w.json, tenant, set.Events); err != nil {
		return nil, err
	}
	if w.copies, err = encodeCopies(&w.json, tenant, set.Events); err != nil {
		return nil, err
	}
	w.audit, err = newAuditLink(tenant, &set)
	return w, err
}

// checkRows returns ErrInvalid for a row that this transaction must not write. Row
// security refuses another tenant's rows too, but does not name the row.
func (w *writer) checkRows() error {
	own := func(id string, tenant memory.Tenant) error {
		if tenant != "" && tenant != w.tenant {
			return fmt.Errorf("%w: %s belongs to another tenant", store.ErrInvalid, id)
		}
		return nil
	}
	check := func(id string, tenant memory.Tenant, scope memory.Scope) error {
		if err := own(id, tenant); err != nil {
			return err
		}
		if _, ok := w.versions[scope]; !ok {
			return fmt.Errorf("%w: %s belongs to a scope that is not locked", store.ErrInvalid, id)
		}
		return nil
	}
	set := &w.set
	return cmp.Or(
		each(set.Proposals, func(r *memory.Proposal) error { return check(r.ID, r.Tenant, r.Scope) }),
		each(set.Memories, func(r *memory.Memory) error { return check(r.ID, r.Tenant, r.Scope) }),
		each(set.Decisions, func(r *memory.Decision) error { return check(r.ID, r.Tenant, r.Scope) }),
		each(set.Workflows, func(r *memory.Workflow) error { return check(r.ID, r.Tenant, r.Scope) }),
		each(set.WorkflowUpdates, func(r *change.WorkflowUpdate) error { return check(r.ID, w.tenant, r.Scope) }),
		each(set.ScopeLinks, func(r *memory.ScopeLink) error { return own(string(r.Scope), r.Tenant) }),
		each(set.Sessions, func(r *memory.Session) error { return own(r.ID, r.Tenant) }),
		each(set.Digests, func(r *memory.Digest) error { return own(r.ID, r.Tenant) }),
		each(set.DigestReplies, func(r *memory.DigestReply) error { return own(r.ID, r.Tenant) }),
		each(set.Keys, func(r *memory.Key) error { return own(r.ID, r.Tenant) }),
		each(set.Runs, func(r *memory.Run) error { return own(r.ID, r.Tenant) }),
		each(set.RunItems, func(r *memory.RunItem) error { return own(r.RunID, r.Tenant) }),
		each(set.Signals, func(r *memory.Signal) error { return own(r.ID, r.Tenant) }),
		each(set.Aggregates, func(r *memory.SignalAggregate) error { return own(r.MemoryID, r.Tenant) }),
		each(set.Learned, func(r *memory.Learned) error { return own(r.MemoryID, r.Tenant) }),
	)
}

// each returns the first error of check among the rows.
func each[T any](rows []T, check func(*T) error) error {
	for i := range rows {
		if err := check(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

var bumpScopes = `
update scopes s set version = r.version
from ` + byKey("scopes", `($2::text[], $3::int8[]) as r (id, version)`, "id") + ` where s.ctid = t.at`

// queue adds every statement of the set, in the order of their locks: names of
// sessions, rows of the lanes, runs, what is learned, the registry head, the audit head.
func (w *writer) queue(b *pgx.Batch) error {
	set := &w.set
	if len(w.lockedScopes) > 0 {
		b.Queue(bumpScopes, string(w.tenant), w.lockedScopes, w.lockedVersions)
	}
	queueRows(b, set.Judged, w.judged)
	queueRows(b, set.Proposals, w.proposals)
	queueRows(b, set.Decisions, w.decisions) // before the memories, which refer to them
	queueRows(b, set.Memories, w.memories)
	queueRows(b, set.Memories, w.topics)
	queueRows(b, set.WorkflowUpdates, w.workflowUpdates)
	queueRows(b, set.Workflows, w.workflows)
	queueRows(b, set.Memories, w.joining)
	queueRows(b, set.Evidence, w.evidence)
	queueRows(b, set.ProposalUpdates, w.proposalUpdates)
	queueRows(b, set.MemoryUpdates, w.memoryUpdates)
	queueRows(b, set.Links, func(b *pgx.Batch, rows []memory.Link) { w.links(b, insertLinks, rows) })
	queueRows(b, set.DroppedLinks, func(b *pgx.Batch, rows []memory.Link) { w.links(b, deleteLinks, rows) })
	queueRows(b, set.DroppedEvidence, w.dropEvidence)
	queueRows(b, set.Sessions, w.sessions)
	queueRows(b, set.Traces, w.traces)
	queueRows(b, set.SessionUpdates, w.sessionUpdates)
	queueRows(b, set.Principals, w.principals)
	queueRows(b, set.Keys, w.keys)
	queueRows(b, set.KeysRevoked, w.keysRevoked)
	queueRows(b, set.ScopeLinks, w.scopeLinks)
	if len(set.ScopesUnlinked) > 0 {
		b.Queue(`delete from scope_links where tenant = $1 and scope = any ($2)`, string(w.tenant),
			column(set.ScopesUnlinked, func(s *memory.Scope) string { return string(*s) }))
	}
	queueRows(b, set.Reviews, w.reviews)
	queueRows(b, set.ReviewersGone, w.reviewersGone)
	queueRows(b, set.Reviewers, w.reviewers)
	queueRows(b, set.Digests, w.digests)
	queueRows(b, set.DigestReplies, w.replies)
	queueRows(b, set.Runs, w.runs)
	queueRows(b, set.RunUpdates, w.runUpdates)
	queueRows(b, set.RunItems, w.runItems)
	queueRows(b, set.CountedServed, w.countedServed)
	queueRows(b, set.Signals, w.signals)
	queueRows(b, set.DroppedSignals, w.droppedSignals)
	queueRows(b, set.Aggregates, w.aggregates)
	queueRows(b, set.Learned, w.learned)
	queueRows(b, set.WeightGains, w.weightGains)
	w.registry(b)
	queueRows(b, w.outbox, w.events)
	queueRows(b, w.copies, w.eventCopies)
	w.audit.queue(b, w.tenant)
	return w.json.err
}

// queueRows calls queue unless rows is empty.
func queueRows[R any](b *pgx.Batch, rows []R, queue func(*pgx.Batch, []R)) {
	if len(rows) > 0 {
		queue(b, rows)
	}
}
