package postgres_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// A lease ends with its database session: Lost is closed, and a waiting process
// acquires the lease.
func TestLeaseIsLostWithItsSession(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]func(context.Context, *postgres.Store) (store.Lease, error){
		"relay": func(ctx context.Context, s *postgres.Store) (store.Lease, error) { return s.Lead(ctx) },
		"name": func(ctx context.Context, s *postgres.Store) (store.Lease, error) {
			return s.Lease(ctx, "vault/default")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			lease, err := take(t.Context(), db.Store)
			if err != nil {
				t.Fatal(err)
			}
			defer lease.Release()
			var g errgroup.Group
			g.Go(func() error {
				next, err := take(t.Context(), pgtest.Connect(t, postgres.Config{URL: db.URL}))
				if err == nil {
					next.Release()
				}
				return err
			})
			_, err = testenv.Pool(t, db.URL).Exec(t.Context(), `
				select pg_terminate_backend(l.pid) from pg_locks l where l.locktype = 'advisory' and l.granted
					and l.database = (select oid from pg_database where datname = current_database())`)
			if err != nil {
				t.Fatal(err)
			}
			<-lease.Lost()
			if err := g.Wait(); err != nil {
				t.Errorf("the next one: %v", err)
			}
		})
	}
}

// A database session that dies inside a batch writes nothing, the error is
// ErrUnavailable, and the store stays usable.
func TestSessionDiesInsideBatch(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	b := store.Batch{Consumer: "triage", Items: []store.Item{{Key: "evt_1/agent", Scope: "project:a"}}}
	pool := testenv.Pool(t, db.URL)
	_, err := db.Store.CommitBatch(t.Context(), memory.DefaultTenant, b,
		func(ctx context.Context, _ []int, _ store.LaneView) (change.Set, error) {
			_, err := pool.Exec(ctx, `select pg_terminate_backend(pid) from pg_stat_activity
				where datname = current_database() and application_name = 'winnow_app'`)
			return change.Set{}, err
		})
	if !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("error %v, want ErrUnavailable", err)
	}
	c, err := db.Store.CommitBatch(t.Context(), memory.DefaultTenant, b,
		func(context.Context, []int, store.LaneView) (change.Set, error) { return change.Set{}, nil })
	if err != nil || len(c.Fresh) != 1 {
		t.Errorf("again: %+v, %v", c, err)
	}
}

// A batch with a cancelled context releases its lanes at once.
func TestCancelledBatchReleasesLanes(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t)
	b := store.Batch{Consumer: "triage", Items: []store.Item{{Key: "evt_1/agent", Scope: "project:a"}}}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.CommitBatch(ctx, memory.DefaultTenant, b,
		func(context.Context, []int, store.LaneView) (change.Set, error) {
			cancel()
			return change.Set{}, nil
		})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want the context's", err)
	}
	_, err = s.CommitBatch(t.Context(), memory.DefaultTenant, b,
		func(context.Context, []int, store.LaneView) (change.Set, error) { return change.Set{}, nil })
	if err != nil {
		t.Error(err)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	s := pgtest.Connect(t, postgres.Config{URL: "postgres://winnow@/winnow?host=" + t.TempDir()})
	if err := s.Ready(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("ready: %v", err)
	}
	if _, err := s.Lead(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("lead: %v", err)
	}
	if _, err := s.Lease(t.Context(), "vault"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("lease: %v", err)
	}
}

// A server that accepts connections and does not answer is unavailable too.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := pgtest.Connect(t, postgres.Config{
		URL: "postgres://winnow@" + l.Addr().String() + "/winnow?sslmode=disable", ConnectTimeout: 50 * time.Millisecond,
	})
	if err := s.Ready(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("ready: %v", err)
	}
	if _, err := s.Lead(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("lead: %v", err)
	}
}

func TestConfigSaysEveryProblem(t *testing.T) {
	t.Parallel()
	err := postgres.Config{RelayURL: "postgres://[bad", MaxConns: -1}.Validate()
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) || len(joined.Unwrap()) != 3 {
		t.Errorf("problems: %v", err)
	}
}
