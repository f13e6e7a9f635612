// Package pgtest provides each test with its own canonical store: real PostgreSQL,
// migrated and provisioned as on a laptop, dropped when the test ends.
package pgtest

import (
	"cmp"
	"context"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// Database is a store with the address of its database.
type Database struct {
	Store *postgres.Store
	URL   string // of a superuser, to query the database directly or to open another store
}

// New creates a database with the tenant default and the principals of
// [postgres.DevOptions]. The database is dropped when the test ends.
func New(t testing.TB) Database {
	t.Helper()
	url := URL(t)
	return Database{Store: Connect(t, postgres.Config{URL: url}), URL: url}
}

// Open is New for tests that only need the store.
func Open(t testing.TB) *postgres.Store {
	t.Helper()
	return New(t).Store
}

// URL creates a database like [New] but opens no store.
func URL(t testing.TB) string {
	t.Helper()
	return testenv.Database(t, "store/"+postgres.SchemaHash(), build)
}

// Connect opens a store that is closed when the test ends. The connect timeout is
// long enough for a slow machine.
func Connect(t testing.TB, cfg postgres.Config) *postgres.Store {
	t.Helper()
	cfg.ConnectTimeout = cmp.Or(cfg.ConnectTimeout, time.Minute)
	s, err := postgres.Open(t.Context(), cfg)
	if err != nil {
		t.Fatalf("open store: %v", err)
	}
	t.Cleanup(s.Close)
	return s
}

func build(ctx context.Context, url string) error {
	if err := postgres.Migrate(ctx, url); err != nil {
		return err
	}
	return postgres.Provision(ctx, url, postgres.DevOptions())
}
