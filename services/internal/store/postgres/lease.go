package postgres

import (
	"context"
	"errors"
	"hash/fnv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/winnowhq/winnow/services/internal/store"
)

const (
	// The advisory lock of the relay: the class is "WINO", the shard is the
	// only one there is. Advisory locks are kept per database.
	classRelay = 0x57494e4f
	relayShard = 0
	// Leases by name are of the class "WINL"; their key is a hash of the name.
	classNamed = 0x57494e4c

	// Whoever waits asks again and again. A blocking pg_advisory_lock would
	// hold a snapshot for as long as it waits, and nothing published would be
	// vacuumed meanwhile.
	askEvery = 250 * time.Millisecond
	// A holder asks its server this often whether it is there, and takes it for
	// gone when no answer comes in time: a server that only has much to do would
	// otherwise cost a hand-over, which helps nobody.
	proveEvery  = 2 * time.Second
	proveWithin = 15 * time.Second
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
	return hold(ctx, "lead", s.relay, classRelay, relayShard)
}

// Lease implements [store.Leases]. It uses the application's login, which every
// worker has. Two names of the same hash would exclude each other, which is
// slow and never wrong.
func (s *Store) Lease(ctx context.Context, name string) (store.Lease, error) {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(name)) // a hash never fails
	return hold(ctx, "lease "+name, s.app, classNamed, int32(sum.Sum32()))
}

// hold waits for an advisory lock on a session of its own, outside the pool
// whose login it uses.
func hold(ctx context.Context, op string, login *pgxpool.Pool, class, key int32) (store.Lease, error) {
	conn, err := pgx.ConnectConfig(ctx, login.Config().ConnConfig)
	if err != nil {
		return nil, mapError(op, err)
	}
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for {
		var held bool
		err := conn.QueryRow(ctx, `select pg_try_advisory_lock($1, $2)`, class, key).Scan(&held)
		if err == nil && held {
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
		return nil, errors.Join(mapError(op, err), closeQuietly(conn))
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
		prove, cancel := context.WithTimeout(ctx, proveWithin)
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
