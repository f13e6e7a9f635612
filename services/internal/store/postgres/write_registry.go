package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

const (
	upsertRetired = `
insert into retired_terms (tenant, id, scope, term, kind, replacement, since, principal)
select $1, r.* from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::text[]) as r
on conflict (tenant, id) do update set scope = excluded.scope, term = excluded.term, kind = excluded.kind,
	replacement = excluded.replacement, since = excluded.since, principal = excluded.principal`

	upsertBootFiles = `
insert into boot_files (tenant, id, scope, name, body, principal, created_at)
select $1, r.* from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[]) as r
on conflict (tenant, id) do update set scope = excluded.scope, name = excluded.name, body = excluded.body,
	principal = excluded.principal, created_at = excluded.created_at`

	insertPolicies = `
insert into policies (tenant, name, version, body)
select $1, r.* from unnest($2::text[], $3::text[], $4::text[]) as r on conflict do nothing`

	usePolicy = `
insert into active_policies (tenant, scope_kind, name, version) values ($1, $2, $3, $4)
on conflict (tenant, scope_kind) do update set name = excluded.name, version = excluded.version`

	bumpRegistry = `
insert into registry_heads as h (tenant, version) values ($1, 1)
on conflict (tenant) do update set version = h.version + 1`

	upsertPrincipals = `
insert into principals (tenant, id, highest, name, service, speaks_for, permissions, events_json, scopes)
select $1, id, highest, name, service, speaks_for::text[], permissions::text[], events_json, scopes::text[]
from unnest($2::text[], $3::int2[], $4::text[], $5::bool[], $6::text[], $7::text[], $8::bool[], $9::text[])
	as r (id, highest, name, service, speaks_for, permissions, events_json, scopes)
on conflict (tenant, id) do update set highest = excluded.highest, name = excluded.name, service = excluded.service,
	speaks_for = excluded.speaks_for, permissions = excluded.permissions, events_json = excluded.events_json,
	scopes = excluded.scopes`
)

// registry queues the rows that operators maintain. When such a row or a review
// changes, registry also queues a new version, which makes workers read the
// registry again.
func (w *writer) registry(b *pgx.Batch) {
	set := &w.set
	before := b.Len()
	queueRows(b, set.Retired, w.retired)
	queueRows(b, set.BootFiles, w.bootFiles)
	if len(set.RetiredRemoved) > 0 {
		b.Queue(`delete from retired_terms where tenant = $1 and id = any ($2)`, string(w.tenant), set.RetiredRemoved)
	}
	if len(set.BootRemoved) > 0 {
		b.Queue(`delete from boot_files where tenant = $1 and id = any ($2)`, string(w.tenant), set.BootRemoved)
	}
	activated := slices.ContainsFunc(set.Policies, func(p change.Policy) bool { return p.ScopeKind != "" })
	if b.Len() > before || len(set.Reviews) > 0 || activated {
		b.Queue(bumpRegistry, string(w.tenant))
	}
	// A policy that is stored only for replays does not affect workers.
	queueRows(b, set.Policies, w.policies)
}

func (w *writer) retired(b *pgx.Batch, rows []memory.Retired) {
	type row = memory.Retired
	b.Queue(upsertRetired, string(w.tenant),
		column(rows, func(r *row) string { return r.ID }),
		column(rows, func(r *row) string { return string(r.Scope) }),
		column(rows, func(r *row) string { return r.Term }),
		column(rows, func(r *row) string { return r.Kind }),
		column(rows, func(r *row) string { return r.Replacement }),
		column(rows, func(r *row) pgtype.Timestamptz { return stamp(r.Since) }),
		column(rows, func(r *row) string { return r.Principal }))
}

func (w *writer) bootFiles(b *pgx.Batch, rows []memory.BootFile) {
	type row = memory.BootFile
	b.Queue(upsertBootFiles, string(w.tenant),
		column(rows, func(f *row) string { return f.ID }),
		column(rows, func(f *row) string { return string(f.Scope) }),
		column(rows, func(f *row) string { return f.Name }),
		column(rows, func(f *row) string { return f.Text }),
		column(rows, func(f *row) string { return f.Principal }),
		column(rows, func(f *row) pgtype.Timestamptz { return stamp(f.CreatedAt) }))
}

func (w *writer) policies(b *pgx.Batch, rows []change.Policy) {
	b.Queue(insertPolicies, string(w.tenant),
		column(rows, func(p *change.Policy) string { return p.Name }),
		column(rows, func(p *change.Policy) string { return p.Version }),
		column(rows, func(p *change.Policy) string { return p.Text }))
	for _, p := range rows {
		if p.ScopeKind != "" {
			b.Queue(usePolicy, string(w.tenant), string(p.ScopeKind), p.Name, p.Version)
		}
	}
}

func (w *writer) principals(b *pgx.Batch, rows []memory.Principal) {
	type row = memory.Principal
	b.Queue(upsertPrincipals, string(w.tenant),
		column(rows, func(p *row) string { return p.ID }),
		column(rows, func(p *row) int16 { return int16(p.Highest) }),
		column(rows, func(p *row) string { return p.Name }),
		column(rows, func(p *row) bool { return p.Service }),
		column(rows, func(p *row) string { return arrayLiteral(p.SpeaksFor) }),
		column(rows, func(p *row) pgtype.Text { return permissionsLiteral(p.Permissions) }),
		column(rows, func(p *row) bool { return p.EventsJSON }),
		column(rows, func(p *row) string { return arrayLiteral(p.Scopes) }))
}

const upsertScopeLinks = `
insert into scope_links (tenant, scope, parent, principal, linked_at)
select $1, r.* from unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[]) as r
on conflict (tenant, scope) do update set parent = excluded.parent, principal = excluded.principal, linked_at = excluded.linked_at`

func (w *writer) scopeLinks(b *pgx.Batch, rows []memory.ScopeLink) {
	type row = memory.ScopeLink
	b.Queue(upsertScopeLinks, string(w.tenant),
		column(rows, func(l *row) string { return string(l.Scope) }),
		column(rows, func(l *row) string { return string(l.Parent) }),
		column(rows, func(l *row) string { return l.Principal }),
		column(rows, func(l *row) pgtype.Timestamptz { return stamp(l.At) }))
}
