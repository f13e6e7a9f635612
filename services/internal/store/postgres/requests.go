package postgres

import (
	"bytes"
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

const (
	// A claim takes the place of a row that has expired, and of one that no process
	// answers any more.
	claimRequest = `
insert into http_requests as r (tenant, principal, key, hash, status, content_type, body, begun_at, expires_at)
values ($1, $2, $3, $4, 0, '', '', $5, $6)
on conflict (tenant, principal, key) do update set hash = excluded.hash, status = 0, content_type = '', body = '',
	begun_at = excluded.begun_at, expires_at = excluded.expires_at
where r.expires_at <= $5 or r.status = 0 and r.begun_at <= $7 and r.hash = excluded.hash
returning true`

	// Rows that have expired go with the next claim, a few at a time.
	sweepRequests = `
delete from http_requests where tenant = $1 and (principal, key) in (
	select principal, key from http_requests where tenant = $1 and expires_at <= $2 limit 100 for update skip locked)`

	selectRequest = `
select hash, status, content_type, body from http_requests where tenant = $1 and principal = $2 and key = $3`

	finishRequest = `
update http_requests set status = $5, content_type = $6, body = $7
where tenant = $1 and principal = $2 and key = $3 and hash = $4 and status = 0`

	abandonRequest = `
delete from http_requests where tenant = $1 and principal = $2 and key = $3 and hash = $4 and status = 0`
)

// BeginRequest implements [store.Requests].
func (s *Store) BeginRequest(ctx context.Context, tenant memory.Tenant, key store.RequestKey, now time.Time) (store.Answer, bool, error) {
	claimed := false
	tx, err := s.begin(ctx, tenant, func(b *pgx.Batch) {
		b.Queue(sweepRequests, string(tenant), now)
		b.Queue(claimRequest, string(tenant), key.Principal, key.Key, key.Hash, now, now.Add(store.AnswerKept), now.Add(-store.RequestAbandoned)).
			Query(func(rows pgx.Rows) (err error) {
				list, err := pgx.CollectRows(rows, pgx.RowTo[bool])
				claimed = len(list) > 0
				return err
			})
		b.Queue("commit")
	})
	if err != nil {
		return store.Answer{}, false, mapError("claim a request", err)
	}
	tx.end()
	if claimed {
		return store.Answer{}, false, nil
	}
	type row struct {
		hash []byte
		store.Answer
	}
	found, err := list(ctx, s, tenant, "read a request", func(r pgx.CollectableRow) (one row, err error) {
		err = r.Scan(&one.hash, &one.Status, &one.ContentType, &one.Body)
		return one, err
	}, selectRequest, string(tenant), key.Principal, key.Key)
	switch {
	case err != nil:
		return store.Answer{}, false, err
	case len(found) == 0: // abandoned since
		return store.Answer{}, false, store.ErrInProgress
	case !bytes.Equal(found[0].hash, key.Hash):
		return store.Answer{}, false, store.ErrReused
	case found[0].Status == 0:
		return store.Answer{}, false, store.ErrInProgress
	}
	return found[0].Answer, true, nil
}

// FinishRequest implements [store.Requests].
func (s *Store) FinishRequest(ctx context.Context, tenant memory.Tenant, key store.RequestKey, a store.Answer) error {
	return s.write(ctx, tenant, "store an answer", finishRequest, string(tenant), key.Principal, key.Key, key.Hash, a.Status, a.ContentType, a.Body)
}

// AbandonRequest implements [store.Requests].
func (s *Store) AbandonRequest(ctx context.Context, tenant memory.Tenant, key store.RequestKey) error {
	return s.write(ctx, tenant, "give up a request", abandonRequest, string(tenant), key.Principal, key.Key, key.Hash)
}

const (
	insertKeys = `
insert into api_keys (tenant, id, principal, hash, name, hint, permissions, created_by, created_at, expires_at)
select $1, id, principal, hash, name, hint, permissions::text[], created_by, created_at, expires_at
from unnest($2::text[], $3::text[], $4::bytea[], $5::text[], $6::text[], $7::text[], $8::text[], $9::timestamptz[], $10::timestamptz[])
	as r (id, principal, hash, name, hint, permissions, created_by, created_at, expires_at)`

	revokeKeys = `
with gone as (
	update api_keys set revoked_at = now() where tenant = $1 and id = any ($2) and revoked_at is null returning id)
select winnow_expect($3, (select count(*) from gone))`

	selectKeys = `
select tenant, id, principal, name, hint, permissions, created_by, created_at, expires_at, revoked_at, last_used::timestamp at time zone 'utc'
from api_keys where tenant = $1 and ($2 = '' or principal = $2) order by id`
)

func (w *writer) keys(b *pgx.Batch, rows []memory.Key) {
	type row = memory.Key
	b.Queue(insertKeys, string(w.tenant),
		column(rows, func(k *row) string { return k.ID }),
		column(rows, func(k *row) string { return k.Principal }),
		column(rows, func(k *row) []byte { return k.Hash }),
		column(rows, func(k *row) string { return k.Name }),
		column(rows, func(k *row) string { return k.Hint }),
		column(rows, func(k *row) pgtype.Text { return permissionsLiteral(k.Permissions) }),
		column(rows, func(k *row) string { return k.CreatedBy }),
		column(rows, func(k *row) pgtype.Timestamptz { return stamp(k.CreatedAt) }),
		column(rows, func(k *row) pgtype.Timestamptz { return stamp(k.ExpiresAt) }))
}

func (w *writer) keysRevoked(b *pgx.Batch, ids []string) {
	b.Queue(revokeKeys, string(w.tenant), ids, len(ids))
}

// Keys implements [store.Reader].
func (s *Store) Keys(ctx context.Context, tenant memory.Tenant, principal string) ([]memory.Key, error) {
	return list(ctx, s, tenant, "list keys", func(row pgx.CollectableRow) (k memory.Key, err error) {
		err = row.Scan(&k.Tenant, &k.ID, &k.Principal, &k.Name, &k.Hint, &k.Permissions, &k.CreatedBy, nullable(&k.CreatedAt),
			nullable(&k.ExpiresAt), nullable(&k.RevokedAt), nullable(&k.LastUsed))
		return k, err
	}, selectKeys, string(tenant), principal)
}

// permissionsLiteral returns permissions as a text[] literal; nil is null.
func permissionsLiteral(list []memory.Permission) pgtype.Text {
	names := make([]string, 0, len(list))
	for _, p := range list {
		names = append(names, string(p))
	}
	return pgtype.Text{String: arrayLiteral(names), Valid: list != nil}
}
