package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store/postgres/wire"
)

// setTenant sets the tenant of the running transaction, which row security
// compares with. No other statement sets the tenant.
const setTenant = `select set_config('winnow.tenant', $1, true)`

// transaction is a tenant's transaction. Its statements are sent in pipelines,
// begin and commit included.
type transaction struct {
	conn   *pgxpool.Conn
	tenant memory.Tenant
}

// begin acquires a connection and starts a transaction of the tenant with the
// statements that queue adds, in one round trip. The caller must call end.
func (s *Store) begin(ctx context.Context, tenant memory.Tenant, queue func(*pgx.Batch)) (*transaction, error) {
	conn, err := s.app.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	tx := &transaction{conn: conn, tenant: tenant}
	err = tx.send(ctx, func(b *pgx.Batch) {
		b.Queue("begin")
		b.Queue(setTenant, string(tenant))
		queue(b)
	})
	if err != nil {
		tx.end()
		return nil, err
	}
	return tx, nil
}

// send runs the queued statements in one round trip. The statements after a failed
// one do not run.
func (tx *transaction) send(ctx context.Context, queue func(*pgx.Batch)) error {
	b := &pgx.Batch{}
	queue(b)
	if b.Len() == 0 {
		return nil
	}
	wire.MakeRoom(tx.conn.Conn(), b)
	return tx.conn.SendBatch(ctx, b).Close()
}

// end rolls back an open transaction and releases the connection.
func (tx *transaction) end() {
	const idle = 'I'
	if tx.conn.Conn().PgConn().TxStatus() != idle && !tx.conn.Conn().IsClosed() {
		// The rollback must run even when the caller's context has ended, and must
		// not block on a server that does not answer.
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_, _ = tx.conn.Exec(ctx, "rollback") // on failure the pool drops the connection
	}
	tx.conn.Release()
}

// read runs the queued queries of one tenant as a read-only transaction, in one
// round trip and on one snapshot.
func (s *Store) read(ctx context.Context, tenant memory.Tenant, queue func(*pgx.Batch)) error {
	return s.sendOnce(ctx, tenant, func(b *pgx.Batch) {
		b.Queue("begin isolation level repeatable read read only")
		b.Queue(setTenant, string(tenant))
		queue(b)
		b.Queue("commit")
	})
}

// readOne is read for one query, which needs no transaction block for its snapshot: what is
// sent together is one transaction to the server, and row security holds for it. Two of four
// statements less are a fifth of what a small read costs.
func (s *Store) readOne(ctx context.Context, tenant memory.Tenant, queue func(*pgx.Batch)) error {
	return s.sendOnce(ctx, tenant, func(b *pgx.Batch) {
		b.Queue(setTenant, string(tenant))
		queue(b)
	})
}

// sendOnce sends one batch on a connection of its own, which goes back to the pool.
func (s *Store) sendOnce(ctx context.Context, tenant memory.Tenant, queue func(*pgx.Batch)) error {
	conn, err := s.app.Acquire(ctx)
	if err != nil {
		return err
	}
	tx := &transaction{conn: conn, tenant: tenant}
	defer tx.end()
	return tx.send(ctx, queue)
}

// column returns the values of one column, as a parameter for unnest.
func column[R, T any](rows []R, value func(*R) T) []T {
	out := make([]T, len(rows))
	for i := range rows {
		out[i] = value(&rows[i])
	}
	return out
}

// stamp returns t as a parameter; the zero time is null.
func stamp(t time.Time) pgtype.Timestamptz {
	return pgtype.Timestamptz{Time: t, Valid: !t.IsZero()}
}
