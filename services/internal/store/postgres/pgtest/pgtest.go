// Package pgtest gives tests a canonical store of their own: real PostgreSQL,
// migrated and provisioned as on a laptop, thrown away afterwards.
package pgtest

import (
	"cmp"
	"context"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// Database is a store with the address of what it stands on.
type Database struct {
	Store *postgres.Store
	URL   string // of a superuser, to look behind the store or to open another
}

// New makes a database with the tenant default and the principals of
// [postgres.DevOptions]. It is dropped when the test ends.
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

// URL makes such a database and opens nothing.
func URL(t testing.TB) string {
	t.Helper()
	return testenv.Database(t, "store/"+postgres.SchemaHash(), build)
}

// Connect opens a store that is closed when the test ends. It connects as long
// as a slow machine needs.
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
