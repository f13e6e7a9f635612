package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

var sessionColumns, scanSession = sessionTable.columns, sessionTable.scan

const selectTrace = `
select chunk from session_traces where tenant = $1 and session_id = $2 order by n`

// Session implements [store.Sessions].
func (s *Store) Session(ctx context.Context, tenant memory.Tenant, id string) (memory.Session, error) {
	return one(ctx, s, tenant, id, scanSession,
		`select `+sessionColumns+` from sessions s where s.tenant = $1 and s.id = $2`)
}

// Sessions implements [store.Sessions].
func (s *Store) Sessions(ctx context.Context, tenant memory.Tenant, q store.SessionQuery) ([]memory.Session, error) {
	var f filter
	f.where("s.tenant = $", string(tenant))
	f.whereText("s.scope = $", string(q.Scope))
	f.whereText("s.principal = $", q.Principal)
	f.whereText("s.name = $", q.Name)
	f.whereText("s.hash = $", q.Hash)
	f.whereText("s.state = $", string(q.State))
	query := f.query(`select `+sessionColumns+` from sessions s`, "s.id", q.Before, true, q.Limit)
	return list(ctx, s, tenant, "list sessions", scanSession, query, f.args...)
}

// Trace implements [store.Sessions].
func (s *Store) Trace(ctx context.Context, tenant memory.Tenant, id string) ([][]byte, error) {
	chunks, err := list(ctx, s, tenant, "read trace", pgx.RowTo[[]byte], selectTrace, string(tenant), id)
	if err == nil && len(chunks) == 0 {
		err = fmt.Errorf("%w: trace of %s", store.ErrNotFound, id)
	}
	return chunks, err
}

// A scope holds a session once. A second copy fails winnow_expect, which is
// store.ErrConflict.
var insertSessions = `
with hit as (` + sessionTable.insert + `
	on conflict (tenant, scope, hash) do nothing
	returning 1)
select winnow_expect(cardinality($2::text[]), (select count(*) from hit))`

const insertTraces = `
insert into session_traces (tenant, session_id, n, chunk)
select $1, r.* from unnest($2::text[], $3::int4[], $4::bytea[]) as r`

var updateSessions = `
with hit as (
	update sessions s set state = r.state, distilled_at = r.distilled_at, distiller = r.distiller, prompt = r.prompt,
		extracted = r.extracted, ungrounded = r.ungrounded, note = r.note
	from ` + byKey("sessions", `($2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::int4[], $8::int4[], $9::text[])
		as r (id, state, distilled_at, distiller, prompt, extracted, ungrounded, note)`, "id") + `
	where s.ctid = t.at
	returning 1)
select winnow_expect(cardinality($2::text[]), (select count(*) from hit))`

// sessions adds sessions to existing scopes. A session belongs to no lane, so the
// versions of scopes do not change.
func (w *writer) sessions(b *pgx.Batch, rows []memory.Session) {
	b.Queue(insertSessions, sessionTable.values(w, rows)...)
}

// chunk is one numbered chunk of a session's trace.
type chunk struct {
	session string
	n       int32
	data    []byte
}

// traces adds the chunks of all traces in one statement.
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

// The event of a drawn lesson is <session id>/<n>, n from 1. A session is distilled in
// the transaction that proposes its lessons, and extracted counts them. The id of a
// recorded lesson begins with its principal.
const selectOwnLessons = `
select r.at - 1
from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::int4[]) with ordinality as r (event, principal, name, session, n, at)
where starts_with(r.event, r.principal || '/')
		and exists (select from inbox i where i.key = r.event and i.consumer = $7 and i.tenant = $1)
	or exists (select from sessions s where s.tenant = $1 and s.id = r.session and s.principal = r.principal and s.name = r.name
		and s.state = $8 and r.n between 1 and s.extracted)
order by r.at`

// OwnLessons implements [store.Lessons].
func (s *Store) OwnLessons(ctx context.Context, tenant memory.Tenant, events []store.LessonEvent) ([]int, error) {
	if len(events) == 0 {
		return nil, nil
	}
	type event = store.LessonEvent
	return list(ctx, s, tenant, "list own lessons", pgx.RowTo[int], selectOwnLessons, string(tenant),
		column(events, func(e *event) string { return e.ID }),
		column(events, func(e *event) string { return e.Principal }),
		column(events, func(e *event) string { return e.Session }),
		column(events, func(e *event) string { session, _ := drawnFrom(e.ID); return session }),
		column(events, func(e *event) int32 { _, n := drawnFrom(e.ID); return n }),
		store.RecordConsumer, string(memory.SessionDistilled))
}

// drawnFrom returns the session and the number that the id of a drawn lesson names,
// and 0 for an id of another form.
func drawnFrom(event string) (session string, n int32) {
	session, number, _ := strings.Cut(event, "/")
	i, err := strconv.ParseInt(number, 10, 32)
	if err != nil || strconv.FormatInt(i, 10) != number {
		return session, 0
	}
	return session, int32(i)
}
