package postgres

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// A rule stops acting when people overrode more than overridePercent of at least
// overrideItems reviewed items (SPEC §6).
const (
	overridePercent = 20
	overrideItems   = 20
)

const (
	selectRetired = `
select tenant, id, scope, term, kind, replacement, since, principal from retired_terms where tenant = $1 order by id`

	selectBootFiles = `
select ` + bootColumns + ` from boot_files where tenant = $1 order by id`

	bootColumns = `tenant, id, scope, name, body, principal, created_at`

	selectPolicies = `
select a.scope_kind, p.name, p.version, p.body
from active_policies a join policies p using (tenant, name, version) where a.tenant = $1`

	// The last answer of an item counts.
	selectRulesOff = `
select rule from (
	select distinct on (rule, proposal_id) rule, agreed from reviews
	where tenant = $1 and rule <> '' order by rule, proposal_id, reviewed_at desc, id desc) as answers
group by rule
having count(*) >= $2 and 100 * count(*) filter (where not agreed) > $3 * count(*)
order by rule`
)

// queueRegistry reads the whole registry into r. The version is read first: a
// concurrent change then makes the stored version newer than r.Version, and the
// next read returns the change.
func queueRegistry(b *pgx.Batch, tenant memory.Tenant, r *store.Registry) {
	t := string(tenant)
	b.Queue(registryVersion, t).QueryRow(func(row pgx.Row) error { return row.Scan(&r.Version) })
	b.Queue(selectRetired, t).Query(func(rows pgx.Rows) (err error) {
		r.Retired, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (e memory.Retired, err error) {
			err = row.Scan(&e.Tenant, &e.ID, &e.Scope, &e.Term, &e.Kind, &e.Replacement, nullable(&e.Since), &e.Principal)
			return e, err
		})
		return err
	})
	b.Queue(selectBootFiles, t).Query(func(rows pgx.Rows) (err error) {
		r.BootFiles, err = pgx.CollectRows(rows, scanBootFile)
		return err
	})
	b.Queue(selectPolicies, t).Query(func(rows pgx.Rows) error {
		r.Policies = map[memory.ScopeKind]change.Policy{}
		var p change.Policy
		_, err := pgx.ForEachRow(rows, []any{&p.ScopeKind, &p.Name, &p.Version, &p.Text}, func() error {
			r.Policies[p.ScopeKind] = p
			return nil
		})
		return err
	})
	b.Queue(selectRulesOff, t, overrideItems, overridePercent).Query(func(rows pgx.Rows) (err error) {
		r.RulesOff, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
}

func scanBootFile(row pgx.CollectableRow) (f memory.BootFile, err error) {
	err = row.Scan(&f.Tenant, &f.ID, &f.Scope, &f.Name, &f.Text, &f.Principal, nullable(&f.CreatedAt))
	return f, err
}

// ScopeLinks implements [store.Reader].
func (s *Store) ScopeLinks(ctx context.Context, tenant memory.Tenant) ([]memory.ScopeLink, error) {
	const query = `select tenant, scope, parent, principal, linked_at from scope_links where tenant = $1 order by scope`
	return list(ctx, s, tenant, "read scope links", func(row pgx.CollectableRow) (l memory.ScopeLink, err error) {
		err = row.Scan(&l.Tenant, &l.Scope, &l.Parent, &l.Principal, nullable(&l.At))
		return l, err
	}, query, string(tenant))
}

// selectAbove selects at most two steps.
const selectAbove = `
select parent from scope_links where tenant = $1 and scope = $2
union all
select g.parent from scope_links p join scope_links g on g.tenant = $1 and g.scope = p.parent where p.tenant = $1 and p.scope = $2`

// ScopesAbove implements [store.Reader].
func (s *Store) ScopesAbove(ctx context.Context, tenant memory.Tenant, scope memory.Scope) ([]memory.Scope, error) {
	return list(ctx, s, tenant, "read what a scope belongs to", pgx.RowTo[memory.Scope], selectAbove, string(tenant), string(scope))
}

// ScopesAround implements [store.Reader].
func (s *Store) ScopesAround(ctx context.Context, tenant memory.Tenant, scope memory.Scope, kinds ...memory.ScopeKind) (above, named []memory.Scope, err error) {
	asked := column(kinds, func(k *memory.ScopeKind) string { return string(*k) })
	found, err := s.around.Get(aroundKey{tenant, scope, strings.Join(asked, " ")}, func() (found aroundScope, err error) {
		err = s.read(ctx, tenant, func(b *pgx.Batch) {
			b.Queue(selectAbove, string(tenant), string(scope)).Query(into(&found.above))
			b.Queue(selectScopeNames, string(tenant), asked).Query(into(&found.named))
		})
		return found, mapError("read what a scope belongs to", err)
	})
	return slices.Clone(found.above), slices.Clone(found.named), err
}

func into(list *[]memory.Scope) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*list, err = pgx.CollectRows(rows, pgx.RowTo[memory.Scope])
		return err
	}
}

// aroundKey is a question of ScopesAround.
type aroundKey struct {
	tenant memory.Tenant
	scope  memory.Scope
	kinds  string
}

// aroundScope is its answer.
type aroundScope struct{ above, named []memory.Scope }
