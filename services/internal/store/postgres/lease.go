package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/winnowhq/winnow/services/internal/store"
)

const (
	// The advisory lock of the relay: the class is "WINO", the shard is the
	// only one there is. Advisory locks are kept per database.
	lockClass = 0x57494e4f
	lockShard = 0

	// A waiting relay asks again and again. A blocking pg_advisory_lock would
	// hold a snapshot for as long as it waits, and nothing published would be
	// vacuumed meanwhile.
	leadEvery = 250 * time.Millisecond
	// A leader whose server vanished without a word notices within this.
	proveEvery = 2 * time.Second
)

// lease is an advisory lock on a session of its own.
type lease struct {
	conn *pgx.Conn
	lost chan struct{}
	stop context.CancelFunc
	done chan struct{}
	once sync.Once
}

// Lead implements [store.Outbox].
func (s *Store) Lead(ctx context.Context) (store.Lease, error) {
	conn, err := pgx.ConnectConfig(ctx, s.relay.Config().ConnConfig)
	if err != nil {
		return nil, mapError("lead", err)
	}
	tick := time.NewTicker(leadEvery)
	defer tick.Stop()
	for {
		var leads bool
		err := conn.QueryRow(ctx, `select pg_try_advisory_lock($1, $2)`, lockClass, lockShard).Scan(&leads)
		if err == nil && leads {
			return newLease(conn), nil
		}
		if err == nil {
			select {
			case <-tick.C:
				continue
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		return nil, errors.Join(mapError("lead", err), closeQuietly(conn))
	}
}

func newLease(conn *pgx.Conn) *lease {
	ctx, stop := context.WithCancel(context.Background())
	l := &lease{conn: conn, lost: make(chan struct{}), stop: stop, done: make(chan struct{})}
	go l.watch(ctx)
	return l
}

// watch owns the connection: it listens for its end, and between proves with a
// ping that the server still answers.
func (l *lease) watch(ctx context.Context) {
	defer close(l.done)
	defer close(l.lost)
	defer func() { _ = closeQuietly(l.conn) }() // ends the session and with it the lock
	for ctx.Err() == nil {
		wait, cancel := context.WithTimeout(ctx, proveEvery)
		_, err := l.conn.WaitForNotification(wait)
		cancel()
		if err != nil && !pgconn.Timeout(err) || l.conn.IsClosed() {
			return
		}
		prove, cancel := context.WithTimeout(ctx, proveEvery)
		err = l.conn.Ping(prove)
		cancel()
		if err != nil {
			return
		}
	}
}

// Lost implements [store.Lease]. It is closed by Release too.
func (l *lease) Lost() <-chan struct{} { return l.lost }

// Release implements [store.Lease]; it may be called twice.
func (l *lease) Release() {
	l.once.Do(l.stop)
	<-l.done
}

// closeQuietly closes within a bound even when the server is gone.
func closeQuietly(conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(context.Background(), proveEvery)
	defer cancel()
	if err := conn.Close(ctx); err != nil && !pgconn.Timeout(err) {
		return err
	}
	return nil
}
