package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/store/storetest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t testing.TB) store.Store {
		db := pgtest.New(t)
		provisionShort(t, db.URL)
		return db.Store
	})
}

// provisionShort lets retention delete what is a microsecond old.
func provisionShort(t testing.TB, db string) {
	t.Helper()
	short := store.Retention{Inbox: time.Microsecond, Outbox: time.Microsecond, RejectedProposals: time.Microsecond, Traces: time.Microsecond, Research: time.Microsecond}
	if err := postgres.Provision(context.WithoutCancel(t.Context()), db, postgres.Options{Retention: &short}); err != nil {
		t.Fatal(err)
	}
}

// With one connection, state that a tenant leaves would reach the next tenant.
func TestTenantsOnOneConnection(t *testing.T) {
	t.Parallel()
	storetest.Tenants(t, pgtest.Connect(t, postgres.Config{URL: pgtest.URL(t), MaxConns: 1}))
}
