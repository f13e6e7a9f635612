package postgres

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/winnowhq/winnow/services/internal/store"
)

const (
	// The advisory lock of the relay has the class "WINO" and the only shard.
	// The scope of an advisory lock is one database.
	classRelay = 0x57494e4f
	relayShard = 0
	// Leases by name have the class "WINL"; their key is a hash of the name.
	classNamed = 0x57494e4c

	// acquireInterval is the poll interval of a process that waits for a lease.
	// A blocking pg_advisory_lock would hold a snapshot during the wait, and
	// vacuum could not remove published rows.
	acquireInterval = 250 * time.Millisecond
	// A holder pings its server every pingInterval. A ping without an answer
	// within pingTimeout ends the lease. The timeout is long because a busy
	// server must not cause a useless change of the holder.
	pingInterval = 2 * time.Second
	pingTimeout  = 15 * time.Second
	// A holder that stands still, with its connection open, loses the lease when the
	// server has heard nothing for so long. It notices when it wakes.
	idleTimeout = 20 * time.Second
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
	return acquire(ctx, "lead", s.relay, classRelay, relayShard)
}

// Lease implements [store.Leases] with the application's login, which every worker
// has. Two names with the same hash would exclude each other, which is slow but
// never wrong.
func (s *Store) Lease(ctx context.Context, name string) (store.Lease, error) {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(name)) // a hash never fails
	return acquire(ctx, "lease "+name, s.app, classNamed, int32(sum.Sum32()))
}

// acquire waits for an advisory lock on a database session of its own. The session
// uses the login of the pool but is no connection of the pool.
func acquire(ctx context.Context, op string, login *pgxpool.Pool, class, key int32) (store.Lease, error) {
	cc := login.Config().ConnConfig
	cc.RuntimeParams["idle_session_timeout"] = fmt.Sprintf("%dms", idleTimeout.Milliseconds())
	conn, err := pgx.ConnectConfig(ctx, cc)
	if err != nil {
		return nil, mapError(op, err)
	}
	tick := time.NewTicker(acquireInterval)
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

// watch owns the connection. It waits for the end of the connection and pings the
// server every pingInterval.
func (l *lease) watch(ctx context.Context) {
	defer close(l.done)
	defer close(l.lost)
	defer func() { _ = closeQuietly(l.conn) }() // ends the session and with it the lock
	for ctx.Err() == nil {
		wait, cancel := context.WithTimeout(ctx, pingInterval)
		_, err := l.conn.WaitForNotification(wait)
		cancel()
		if err != nil && !pgconn.Timeout(err) || l.conn.IsClosed() {
			return
		}
		ping, cancel := context.WithTimeout(ctx, pingTimeout)
		err = l.conn.Ping(ping)
		cancel()
		if err != nil {
			return
		}
	}
}

// Lost implements [store.Lease]. Release closes the channel too.
func (l *lease) Lost() <-chan struct{} { return l.lost }

// Release implements [store.Lease].
func (l *lease) Release() {
	l.once.Do(l.stop)
	<-l.done
}

// closeQuietly closes the connection within pingInterval, even when the server
// does not answer. A timeout is not an error.
func closeQuietly(conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(context.Background(), pingInterval)
	defer cancel()
	if err := conn.Close(ctx); err != nil && !pgconn.Timeout(err) {
		return err
	}
	return nil
}
