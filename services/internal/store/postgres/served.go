package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// insertServed inserts in one order. Two concurrent answers of a session with the
// same memories in different orders would deadlock, and the server would abort one.
const insertServed = `
insert into served (tenant, session_id, memory_id, principal, served_at)
select $1, r.*
from unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[]) as r (session_id, memory_id, principal, served_at)
order by r.session_id, r.memory_id
on conflict do nothing`

// RecordServed implements [store.ServedLog].
func (s *Store) RecordServed(ctx context.Context, tenant memory.Tenant, list []store.Served) error {
	if len(list) == 0 {
		return nil
	}
	type row = store.Served
	return s.write(ctx, tenant, "record what was served", insertServed, string(tenant),
		column(list, func(r *row) string { return r.SessionID }),
		column(list, func(r *row) string { return r.MemoryID }),
		column(list, func(r *row) string { return r.Principal }),
		column(list, func(r *row) pgtype.Timestamptz { return stamp(r.At) }))
}

// ServedIn implements [store.ServedLog].
func (s *Store) ServedIn(ctx context.Context, tenant memory.Tenant, sessions ...string) ([]store.Served, error) {
	const query = `
select session_id, memory_id, principal, served_at from served
where tenant = $1 and session_id = any ($2) order by session_id, memory_id`
	return list(ctx, s, tenant, "read what was served", scanServed, query, string(tenant), sessions)
}

// ServedOf implements [store.ServedLog].
func (s *Store) ServedOf(ctx context.Context, tenant memory.Tenant, memories ...string) ([]store.Served, error) {
	const query = `
select session_id, memory_id, principal, served_at from served
where tenant = $1 and memory_id = any ($2) order by memory_id, session_id`
	return list(ctx, s, tenant, "read where it was served", scanServed, query, string(tenant), memories)
}

func scanServed(row pgx.CollectableRow) (r store.Served, err error) {
	err = row.Scan(&r.SessionID, &r.MemoryID, &r.Principal, nullable(&r.At))
	return r, err
}

// Uses implements [store.ServedLog].
func (s *Store) Uses(ctx context.Context, tenant memory.Tenant, session string, memories ...string) (map[string]int, error) {
	const query = `
select memory_id, count(*) from served where tenant = $1 and memory_id = any ($2) and session_id <> $3
group by memory_id`
	type use struct {
		id string
		n  int
	}
	rows, err := list(ctx, s, tenant, "count what was served", func(row pgx.CollectableRow) (u use, err error) {
		err = row.Scan(&u.id, &u.n)
		return u, err
	}, query, string(tenant), memories, session)
	uses := make(map[string]int, len(rows))
	for _, u := range rows {
		uses[u.id] = u.n
	}
	return uses, err
}

// LastServed implements [store.ServedLog].
func (s *Store) LastServed(ctx context.Context, tenant memory.Tenant, principal, session string) (time.Time, error) {
	const query = `
select served_at from served where tenant = $1 and principal = $2 and session_id <> $3
order by served_at desc limit 1`
	rows, err := list(ctx, s, tenant, "read when something was served", pgx.RowTo[time.Time], query, string(tenant), principal, session)
	if err != nil || len(rows) == 0 {
		return time.Time{}, err
	}
	return rows[0].UTC(), nil
}
