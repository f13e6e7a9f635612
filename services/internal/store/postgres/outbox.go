package postgres

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/store"
)

const (
	selectUnpublished = `
select id, event_id, tenant, subject, header, data, created_at
from outbox where published_at is null order by id limit $1`

	markPublished = `
update outbox o set published_at = now(), stream_seq = r.seq
from unnest($1::int8[], $2::int8[]) as r (id, seq) where o.id = r.id and o.published_at is null`

	// A refused row has a publication time and no stream sequence.
	markRefused = `
update outbox set published_at = now() where id = any ($1) and published_at is null`

	retryRefused = `
update outbox set published_at = null where id = $1 and published_at is not null and stream_seq is null`

	republish = `
update outbox set published_at = null, stream_seq = null where created_at >= $1 and published_at is not null`

	outboxStatus = `
select count(*), coalesce(extract(epoch from now() - min(created_at)), 0)::float8
from outbox where published_at is null`

	// Traces and the answers of models are deleted together. A slot prevents a
	// second run, as an inbox key does, and is stored as long as one. What locks heads
	// of the audit comes last.
	sweep = `
select 'schedule_runs', winnow_sweep_runs($1)
union all select swept, deleted from winnow_sweep_traces($4)
union all select swept, deleted from winnow_sweep_research($5)
union all select swept, deleted from winnow_sweep($1, $2, $3)`
)

// Unpublished implements [store.Outbox].
func (s *Store) Unpublished(ctx context.Context, limit int) ([]store.OutboxRow, error) {
	rows, err := s.relay.Query(ctx, selectUnpublished, limit)
	if err != nil {
		return nil, mapError("read outbox", err)
	}
	waiting, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (o store.OutboxRow, err error) {
		err = row.Scan(&o.ID, &o.EventID, &o.Tenant, &o.Subject, header{&o.Header}, &o.Data, nullable(&o.At))
		return o, err
	})
	return waiting, mapError("read outbox", err)
}

// MarkPublished implements [store.Outbox].
func (s *Store) MarkPublished(ctx context.Context, published map[int64]uint64) error {
	if len(published) == 0 {
		return nil
	}
	// Republish and retention lock rows in the order of ids too.
	ids := slices.Sorted(maps.Keys(published))
	seqs := column(ids, func(id *int64) int64 { return int64(published[*id]) })
	_, err := s.relay.Exec(ctx, markPublished, ids, seqs)
	return mapError("mark published", err)
}

// MarkRefused implements [store.Outbox].
func (s *Store) MarkRefused(ctx context.Context, ids ...int64) error {
	slices.Sort(ids)
	_, err := s.relay.Exec(ctx, markRefused, ids)
	return mapError("mark refused", err)
}

// RetryRefused implements [store.Outbox].
func (s *Store) RetryRefused(ctx context.Context, id int64) (bool, error) {
	tag, err := s.relay.Exec(ctx, retryRefused, id)
	return tag.RowsAffected() > 0, mapError("retry refused", err)
}

// Republish implements [store.Outbox].
func (s *Store) Republish(ctx context.Context, since time.Time) (int64, error) {
	tag, err := s.relay.Exec(ctx, republish, since)
	return tag.RowsAffected(), mapError("republish", err)
}

// OutboxStatus implements [store.Outbox].
func (s *Store) OutboxStatus(ctx context.Context) (store.OutboxStatus, error) {
	var st store.OutboxStatus
	var seconds float64
	err := s.relay.QueryRow(ctx, outboxStatus).Scan(&st.Waiting, &seconds)
	st.Oldest = time.Duration(seconds * float64(time.Second))
	return st, mapError("outbox status", err)
}

// Analyze implements [store.Janitor].
func (s *Store) Analyze(ctx context.Context) error {
	_, err := s.relay.Exec(ctx, `select winnow_analyze()`)
	return mapError("analyze", err)
}

// Sweep implements [store.Janitor].
func (s *Store) Sweep(ctx context.Context, r store.Retention) (map[string]int64, error) {
	age := func(d time.Duration) *time.Duration {
		if d <= 0 {
			return nil // no row compares with an age of null
		}
		return &d
	}
	swept := map[string]int64{}
	rows, err := s.relay.Query(ctx, sweep,
		age(r.Inbox), age(r.Outbox), age(r.RejectedProposals), age(r.Traces), age(r.Research))
	if err != nil {
		return nil, mapError("sweep", err)
	}
	var table string
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&table, &n}, func() error {
		swept[table] = n
		return nil
	})
	return swept, mapError("sweep", err)
}
