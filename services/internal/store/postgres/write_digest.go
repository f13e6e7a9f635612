package postgres

import (
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/winnowhq/winnow/services/internal/memory"
)

const (
	// A reviewer gets one digest for a slot. A second digest fails winnow_expect,
	// which is store.ErrConflict.
	insertDigests = `
with hit as (
	insert into digests (tenant, id, reviewer, slot, code, language, from_at, until_at, created_at, expires_at,
		body, items, spots)
	select $1, id, reviewer, slot, code, language, from_at, until_at, created_at, expires_at,
		body, items::json, spots::json
	from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[],
		$9::timestamptz[], $10::timestamptz[], $11::text[], $12::text[], $13::text[])
	as r (id, reviewer, slot, code, language, from_at, until_at, created_at, expires_at, body, items, spots)
	on conflict (tenant, reviewer, slot) do nothing
	returning 1)
select winnow_expect(cardinality($2::text[]), (select count(*) from hit))`

	insertReplies = `
insert into digest_replies (tenant, id, digest_id, principal, body, answer, applied, decisions, undoes, replied_at)
select $1, id, digest_id, principal, body, answer, applied, decisions::text[], undoes, replied_at
from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bool[], $8::text[], $9::text[],
	$10::timestamptz[])
as r (id, digest_id, principal, body, answer, applied, decisions, undoes, replied_at)`

	deleteReviewers = `
delete from reviewers o using unnest($2::text[], $3::text[]) as r (principal, scope)
where o.tenant = $1 and o.principal = r.principal and o.scope = r.scope`

	upsertReviewers = `
insert into reviewers (tenant, principal, scope, language)
select $1, r.* from unnest($2::text[], $3::text[], $4::text[]) as r
on conflict (tenant, principal, scope) do update set language = excluded.language`
)

func (w *writer) digests(b *pgx.Batch, rows []memory.Digest) {
	type row = memory.Digest
	b.Queue(insertDigests, string(w.tenant),
		column(rows, func(d *row) string { return d.ID }),
		column(rows, func(d *row) string { return d.Reviewer }),
		column(rows, func(d *row) string { return d.Slot }),
		column(rows, func(d *row) string { return d.Code }),
		column(rows, func(d *row) string { return d.Language }),
		column(rows, func(d *row) pgtype.Timestamptz { return stamp(d.From) }),
		column(rows, func(d *row) pgtype.Timestamptz { return stamp(d.Until) }),
		column(rows, func(d *row) pgtype.Timestamptz { return stamp(d.CreatedAt) }),
		column(rows, func(d *row) pgtype.Timestamptz { return stamp(d.ExpiresAt) }),
		column(rows, func(d *row) string { return d.Text }),
		column(rows, func(d *row) string { return w.json.text(orEmpty(d.Items)) }),
		column(rows, func(d *row) string { return w.json.text(orEmpty(d.Spots)) }))
}

func (w *writer) replies(b *pgx.Batch, rows []memory.DigestReply) {
	type row = memory.DigestReply
	b.Queue(insertReplies, string(w.tenant),
		column(rows, func(r *row) string { return r.ID }),
		column(rows, func(r *row) string { return r.DigestID }),
		column(rows, func(r *row) string { return r.Principal }),
		column(rows, func(r *row) string { return r.Text }),
		column(rows, func(r *row) string { return r.Answer }),
		column(rows, func(r *row) bool { return r.Applied }),
		column(rows, func(r *row) string { return arrayLiteral(r.Decisions) }),
		column(rows, func(r *row) string { return r.Undoes }),
		column(rows, func(r *row) pgtype.Timestamptz { return stamp(r.At) }))
}

func (w *writer) reviewersGone(b *pgx.Batch, rows []memory.Reviewer) {
	b.Queue(deleteReviewers, string(w.tenant),
		column(rows, func(r *memory.Reviewer) string { return r.Principal }),
		column(rows, func(r *memory.Reviewer) string { return string(r.Scope) }))
}

func (w *writer) reviewers(b *pgx.Batch, rows []memory.Reviewer) {
	type row = memory.Reviewer
	b.Queue(upsertReviewers, string(w.tenant),
		column(rows, func(r *row) string { return r.Principal }),
		column(rows, func(r *row) string { return string(r.Scope) }),
		column(rows, func(r *row) string { return r.Language }))
}
