package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Proposal implements [store.Reader].
func (s *Store) Proposal(ctx context.Context, tenant memory.Tenant, id string) (memory.Proposal, error) {
	return one(ctx, s, tenant, id, scanProposal,
		`select `+proposalColumns+` from proposals p where p.tenant = $1 and p.id = $2`)
}

// Memory implements [store.Reader].
func (s *Store) Memory(ctx context.Context, tenant memory.Tenant, id string) (memory.Memory, error) {
	return one(ctx, s, tenant, id, scanMemory,
		`select `+memoryColumns+` from memories m where m.tenant = $1 and m.id = $2`)
}

// Decision implements [store.Reader].
func (s *Store) Decision(ctx context.Context, tenant memory.Tenant, id string) (memory.Decision, error) {
	return one(ctx, s, tenant, id, scanDecision,
		`select `+decisionColumns+` from decisions d where d.tenant = $1 and d.id = $2`)
}

// BootFile implements [store.Reader].
func (s *Store) BootFile(ctx context.Context, tenant memory.Tenant, id string) (memory.BootFile, error) {
	return one(ctx, s, tenant, id, scanBootFile,
		`select `+bootColumns+` from boot_files where tenant = $1 and id = $2`)
}

// Evidence implements [store.Reader].
func (s *Store) Evidence(ctx context.Context, tenant memory.Tenant, subjects ...string) ([]memory.Evidence, error) {
	const query = `
select tenant, subject, id, proposal_id, principal, session_id, origin, role, span, observed_at
from evidence where tenant = $1 and subject = any ($2) order by subject, id`
	return list(ctx, s, tenant, "read evidence", scanEvidence, query, string(tenant), subjects)
}

func scanEvidence(row pgx.CollectableRow) (e memory.Evidence, err error) {
	err = row.Scan(&e.Tenant, &e.Subject, &e.ID, &e.ProposalID, &e.Principal, &e.SessionID,
		(*origin)(&e.Origin), &e.Role, &e.Span, nullable(&e.ObservedAt))
	return e, err
}

// Policies implements [store.Reader].
func (s *Store) Policies(ctx context.Context, tenant memory.Tenant) ([]change.Policy, error) {
	const query = `select name, version, body from policies where tenant = $1 order by name, version`
	return list(ctx, s, tenant, "read policies", func(row pgx.CollectableRow) (p change.Policy, err error) {
		err = row.Scan(&p.Name, &p.Version, &p.Text)
		return p, err
	}, query, string(tenant))
}

// Links implements [store.Reader], for links in both directions.
func (s *Store) Links(ctx context.Context, tenant memory.Tenant, ids ...string) ([]memory.Link, error) {
	const query = `
select tenant, from_id, kind, to_id from memory_links where tenant = $1 and from_id = any ($2)
union
select tenant, from_id, kind, to_id from memory_links where tenant = $1 and to_id = any ($2)
order by 2, 3, 4`
	return list(ctx, s, tenant, "read links", func(row pgx.CollectableRow) (l memory.Link, err error) {
		err = row.Scan(&l.Tenant, &l.From, &l.Kind, &l.To)
		return l, err
	}, query, string(tenant), ids)
}

// Reviews implements [store.Reader].
func (s *Store) Reviews(ctx context.Context, tenant memory.Tenant, proposals ...string) ([]change.Review, error) {
	const query = `
select id, proposal_id, decision_id, overrode, rule, agreed, principal, note, reviewed_at
from reviews where tenant = $1 and proposal_id = any ($2) order by reviewed_at, id`
	return list(ctx, s, tenant, "read reviews", func(row pgx.CollectableRow) (r change.Review, err error) {
		err = row.Scan(&r.ID, &r.ProposalID, &r.DecisionID, &r.Overrode, &r.Rule, &r.Agreed, &r.Principal,
			&r.Note, nullable(&r.At))
		return r, err
	}, query, string(tenant), proposals)
}

// Principals implements [store.Reader].
func (s *Store) Principals(ctx context.Context, tenant memory.Tenant) ([]memory.Principal, error) {
	const query = `select ` + registeredColumns + ` from principals where tenant = $1 order by id`
	return list(ctx, s, tenant, "read principals", scanPrincipal, query, string(tenant))
}

// Registry implements [store.Reader].
func (s *Store) Registry(ctx context.Context, tenant memory.Tenant) (store.Registry, error) {
	var r store.Registry
	err := s.read(ctx, tenant, func(b *pgx.Batch) { queueRegistry(b, tenant, &r) })
	return r, mapError("read registry", err)
}

// one returns the row with the id, or ErrNotFound.
func one[T any](ctx context.Context, s *Store, tenant memory.Tenant, id string, scan pgx.RowToFunc[T], query string) (T, error) {
	rows, err := list(ctx, s, tenant, "read "+id, scan, query, string(tenant), id)
	if err != nil || len(rows) > 0 {
		return first(rows), err
	}
	var none T
	return none, fmt.Errorf("%w: %s", store.ErrNotFound, id)
}

func first[T any](rows []T) (row T) {
	if len(rows) > 0 {
		row = rows[0]
	}
	return row
}

// list returns the rows of one query.
func list[T any](ctx context.Context, s *Store, tenant memory.Tenant, op string, scan pgx.RowToFunc[T], query string, args ...any) ([]T, error) {
	var found []T
	err := s.readOne(ctx, tenant, func(b *pgx.Batch) {
		b.Queue(query, args...).Query(func(rows pgx.Rows) (err error) {
			found, err = pgx.CollectRows(rows, scan)
			return err
		})
	})
	return found, mapError(op, err)
}
