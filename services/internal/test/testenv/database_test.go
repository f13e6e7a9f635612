package testenv_test

import (
	"context"
	"crypto/rand"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// Many tests, one template: built once, and what one test writes no other sees.
func TestDatabaseClonesOneTemplate(t *testing.T) {
	t.Parallel()
	var builds atomic.Int32
	key := "things/" + rand.Text() // a server that is used again has the last run's
	build := func(ctx context.Context, url string) error {
		builds.Add(1)
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		defer conn.Close(ctx)
		_, err = conn.Exec(ctx, `create table thing (name text primary key)`)
		return err
	}
	t.Run("clones", func(t *testing.T) {
		for range 4 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				pool := testenv.Pool(t, testenv.Database(t, key, build))
				// The same key in each database: a shared one would refuse it.
				if _, err := pool.Exec(t.Context(), `insert into thing values ('a')`); err != nil {
					t.Error(err)
				}
			})
		}
	})
	if got := builds.Load(); got != 1 {
		t.Errorf("template was built %d times, want once", got)
	}
}

func TestPostgresIsEmpty(t *testing.T) {
	t.Parallel()
	var tables int
	err := testenv.Postgres(t).QueryRow(t.Context(),
		`select count(*) from pg_class where relnamespace = 'public'::regnamespace`).Scan(&tables)
	if err != nil || tables != 0 {
		t.Errorf("fresh database has %d tables (err %v), want none", tables, err)
	}
}

func BenchmarkEmptyDatabase(b *testing.B) {
	testenv.Require(b, testenv.CapabilityPostgres)
	for b.Loop() {
		_ = testenv.EmptyDatabase(b)
	}
}
