package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

const (
	// A scope holds a session once. A second one counts as a row that was not as
	// expected, which is store.ErrConflict.
	insertSessions = `
with hit as (
	insert into sessions (tenant, id, scope, name, event_id, principal, highest, format, agent, source, project, task,
		language, outcome, outcome_inferred, outcome_basis, started_at, ended_at, ingested_at, hash, turns, skipped,
		redactions, external, bytes, state, distilled_at, distiller, prompt, extracted, ungrounded, note)
	select $1, r.*
	from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int2[], $8::text[], $9::text[],
		$10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::bool[], $16::text[],
		$17::timestamptz[], $18::timestamptz[], $19::timestamptz[], $20::text[], $21::int4[], $22::int4[],
		$23::int4[], $24::int4[], $25::int8[], $26::text[], $27::timestamptz[], $28::text[], $29::text[],
		$30::int4[], $31::int4[], $32::text[]) as r
	on conflict (tenant, scope, hash) do nothing
	returning 1)
select winnow_expect(cardinality($2::text[]), (select count(*) from hit))`

	insertTraces = `
insert into session_traces (tenant, session_id, n, chunk)
select $1, r.* from unnest($2::text[], $3::int4[], $4::bytea[]) as r`
)

var updateSessions = `
with hit as (
	update sessions s set state = r.state, distilled_at = r.distilled_at, distiller = r.distiller, prompt = r.prompt,
		extracted = r.extracted, ungrounded = r.ungrounded, note = r.note
	from ` + byKey("sessions", `($2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::int4[], $8::int4[], $9::text[])
		as r (id, state, distilled_at, distiller, prompt, extracted, ungrounded, note)`, "id") + `
	where s.ctid = t.at
	returning 1)
select winnow_expect(cardinality($2::text[]), (select count(*) from hit))`

// sessions adds sessions and the scopes that they are the first to name. A
// session concerns no lane, so no scope gets another version.
func (w *writer) sessions(b *pgx.Batch, rows []memory.Session) {
	type row = memory.Session
	scopes := column(rows, func(s *row) string { return string(s.Scope) })
	named := slices.Clone(scopes)
	slices.Sort(named)
	b.Queue(createScopes, string(w.tenant), slices.Compact(named))
	b.Queue(insertSessions, string(w.tenant),
		column(rows, func(s *row) string { return s.ID }),
		scopes,
		column(rows, func(s *row) string { return s.Name }),
		column(rows, func(s *row) string { return s.EventID }),
		column(rows, func(s *row) string { return s.Principal }),
		column(rows, func(s *row) int16 { return int16(s.Highest) }),
		column(rows, func(s *row) string { return s.Format }),
		column(rows, func(s *row) string { return s.Agent }),
		column(rows, func(s *row) string { return s.Source }),
		column(rows, func(s *row) string { return s.Project }),
		column(rows, func(s *row) string { return s.Task }),
		column(rows, func(s *row) string { return s.Language }),
		column(rows, func(s *row) string { return s.Outcome }),
		column(rows, func(s *row) bool { return s.OutcomeInferred }),
		column(rows, func(s *row) string { return s.OutcomeBasis }),
		column(rows, func(s *row) pgtype.Timestamptz { return stamp(s.StartedAt) }),
		column(rows, func(s *row) pgtype.Timestamptz { return stamp(s.EndedAt) }),
		column(rows, func(s *row) pgtype.Timestamptz { return stamp(s.IngestedAt) }),
		column(rows, func(s *row) string { return s.Hash }),
		column(rows, func(s *row) int32 { return int32(s.Turns) }),
		column(rows, func(s *row) int32 { return int32(s.Skipped) }),
		column(rows, func(s *row) int32 { return int32(s.Redactions) }),
		column(rows, func(s *row) int32 { return int32(s.External) }),
		column(rows, func(s *row) int64 { return s.Bytes }),
		column(rows, func(s *row) string { return string(s.State) }),
		column(rows, func(s *row) pgtype.Timestamptz { return stamp(s.DistilledAt) }),
		column(rows, func(s *row) string { return s.Distiller }),
		column(rows, func(s *row) string { return s.Prompt }),
		column(rows, func(s *row) int32 { return int32(s.Extracted) }),
		column(rows, func(s *row) int32 { return int32(s.Ungrounded) }),
		column(rows, func(s *row) string { return s.Note }))
}

// chunk is one piece of a trace in its place.
type chunk struct {
	session string
	n       int32
	data    []byte
}

// traces adds the pieces of all traces in one statement.
func (w *writer) traces(b *pgx.Batch, rows []change.Trace) {
	var chunks []chunk
	for _, t := range rows {
		for n, data := range t.Chunks {
			chunks = append(chunks, chunk{t.SessionID, int32(n), data})
		}
	}
	b.Queue(insertTraces, string(w.tenant),
		column(chunks, func(c *chunk) string { return c.session }),
		column(chunks, func(c *chunk) int32 { return c.n }),
		column(chunks, func(c *chunk) []byte { return c.data }))
}

func (w *writer) sessionUpdates(b *pgx.Batch, rows []change.SessionUpdate) {
	type row = change.SessionUpdate
	b.Queue(updateSessions, string(w.tenant),
		column(rows, func(u *row) string { return u.ID }),
		column(rows, func(u *row) string { return string(u.State) }),
		column(rows, func(u *row) pgtype.Timestamptz { return stamp(u.DistilledAt) }),
		column(rows, func(u *row) string { return u.Distiller }),
		column(rows, func(u *row) string { return u.Prompt }),
		column(rows, func(u *row) int32 { return int32(u.Extracted) }),
		column(rows, func(u *row) int32 { return int32(u.Ungrounded) }),
		column(rows, func(u *row) string { return u.Note }))
}
