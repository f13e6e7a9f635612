// Package pgtest provides each test with its own canonical store: real PostgreSQL,
// migrated and provisioned as on a laptop, dropped when the test ends.
package pgtest

import (
	"cmp"
	"context"
	"sync"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/store"
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

// As opens the database's store with the rights of a worker, such as "triage". It is
// closed when the test ends.
func (d Database) As(t testing.TB, worker string) *postgres.Store {
	t.Helper()
	return Connect(t, postgres.Config{URL: d.URL, Worker: worker})
}

// addresses holds the URL of every store of Connect.
var addresses sync.Map

// Narrow returns a store on the database of s, a store of this package, with the rights
// of a worker. Any other store is returned as it is.
func Narrow(t testing.TB, s store.Store, worker string) store.Store {
	t.Helper()
	url, known := addresses.Load(s)
	if !known {
		return s
	}
	return Connect(t, postgres.Config{URL: url.(string), Worker: worker})
}

// ShortRetention provides for a retention of a microsecond in the database of s, a store
// of this package, so that a test need not wait until rows may go.
func ShortRetention(t testing.TB, s store.Store) {
	t.Helper()
	url, _ := addresses.Load(s)
	const least = time.Microsecond
	short := store.Retention{Inbox: least, Outbox: least, RejectedProposals: least, Traces: least, Research: least}
	if err := postgres.Provision(t.Context(), url.(string), postgres.Options{Retention: &short}); err != nil {
		t.Fatalf("provision retention: %v", err)
	}
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
	addresses.Store(s, cfg.URL)
	t.Cleanup(func() { addresses.Delete(s) })
	return s
}

func build(ctx context.Context, url string) error {
	if err := postgres.Migrate(ctx, url); err != nil {
		return err
	}
	return postgres.Provision(ctx, url, postgres.DevOptions())
}
