package postgres

import (
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

func (w *writer) proposals(b *pgx.Batch, rows []memory.Proposal) {
	b.Queue(proposalTable.insert, proposalTable.values(w, rows)...)
}

func (w *writer) memories(b *pgx.Batch, rows []memory.Memory) {
	b.Queue(memoryTable.insert, memoryTable.values(w, rows)...)
}

const insertTopics = `
insert into memory_topics (tenant, scope, topic, memory_id)
select $1, r.* from unnest($2::text[], $3::text[], $4::text[]) as r on conflict do nothing`

// topics writes under which topics memories are found. Rows are never removed: a
// read asks for the state and the kind of the memory.
func (w *writer) topics(b *pgx.Batch, rows []memory.Memory) {
	var scopes, topics, ids []string
	for i := range rows {
		for _, list := range [][]string{rows[i].Topics, rows[i].MacroTopics} {
			for _, topic := range list {
				scopes, topics, ids = append(scopes, string(rows[i].Scope)), append(topics, topic), append(ids, rows[i].ID)
			}
		}
	}
	if len(ids) > 0 {
		b.Queue(insertTopics, string(w.tenant), scopes, topics, ids)
	}
}

func (w *writer) decisions(b *pgx.Batch, rows []memory.Decision) {
	b.Queue(decisionTable.insert, decisionTable.values(w, rows)...)
}

const insertEvidence = `
insert into evidence (tenant, subject, id, proposal_id, principal, session_id, origin, role, span, observed_at)
select $1, r.* from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int2[], $8::text[],
	$9::text[], $10::timestamptz[]) as r`

func (w *writer) evidence(b *pgx.Batch, rows []memory.Evidence) {
	type row = memory.Evidence
	b.Queue(insertEvidence, string(w.tenant),
		column(rows, func(e *row) string { return e.Subject }),
		column(rows, func(e *row) string { return e.ID }),
		column(rows, func(e *row) string { return e.ProposalID }),
		column(rows, func(e *row) string { return e.Principal }),
		column(rows, func(e *row) string { return e.SessionID }),
		column(rows, func(e *row) int16 { return int16(e.Origin) }),
		column(rows, func(e *row) string { return e.Role }),
		column(rows, func(e *row) string { return e.Span }),
		column(rows, func(e *row) pgtype.Timestamptz { return stamp(e.ObservedAt) }))
}

var deleteEvidence = `
delete from evidence e using ` + byKey("evidence", `($2::text[], $3::text[]) as r (subject, id)`, "id", "subject") + `
where e.ctid = t.at`

func (w *writer) dropEvidence(b *pgx.Batch, rows []memory.Evidence) {
	b.Queue(deleteEvidence, string(w.tenant),
		column(rows, func(e *memory.Evidence) string { return e.Subject }),
		column(rows, func(e *memory.Evidence) string { return e.ID }))
}

const insertLinks = `
insert into memory_links (tenant, from_id, kind, to_id)
select $1, r.* from unnest($2::text[], $3::text[], $4::text[]) as r on conflict do nothing`

// Both indexes of links contain the order of one end; only the primary key begins
// with from_id.
var deleteLinks = `
delete from memory_links l using ` + byKey("memory_links", `($2::text[], $3::text[], $4::text[])
	as r (from_id, kind, to_id)`, "from_id", "kind", "to_id") + `
where l.ctid = t.at`

func (w *writer) links(b *pgx.Batch, statement string, rows []memory.Link) {
	b.Queue(statement, string(w.tenant),
		column(rows, func(l *memory.Link) string { return l.From }),
		column(rows, func(l *memory.Link) string { return string(l.Kind) }),
		column(rows, func(l *memory.Link) string { return l.To }))
}

const insertReviews = `
insert into reviews (tenant, id, proposal_id, decision_id, overrode, rule, agreed, principal, note, reviewed_at)
select $1, r.* from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bool[], $8::text[],
	$9::text[], $10::timestamptz[]) as r`

func (w *writer) reviews(b *pgx.Batch, rows []change.Review) {
	type row = change.Review
	b.Queue(insertReviews, string(w.tenant),
		column(rows, func(r *row) string { return r.ID }),
		column(rows, func(r *row) string { return r.ProposalID }),
		column(rows, func(r *row) string { return r.DecisionID }),
		column(rows, func(r *row) string { return r.Overrode }),
		column(rows, func(r *row) string { return r.Rule }),
		column(rows, func(r *row) bool { return r.Agreed }),
		column(rows, func(r *row) string { return r.Principal }),
		column(rows, func(r *row) string { return r.Note }),
		column(rows, func(r *row) pgtype.Timestamptz { return stamp(r.At) }))
}
