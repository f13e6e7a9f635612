package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

const insertServed = `
insert into served (tenant, session_id, memory_id, principal, served_at)
select $1, r.* from unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[]) as r
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
	return list(ctx, s, tenant, "read what was served", func(row pgx.CollectableRow) (r store.Served, err error) {
		err = row.Scan(&r.SessionID, &r.MemoryID, &r.Principal, &r.At)
		return r, err
	}, query, string(tenant), sessions)
}
