package postgres_test

import (
	"testing"

	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/store/storetest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t testing.TB) store.Store {
		s := pgtest.Open(t)
		pgtest.ShortRetention(t, s)
		return s
	})
}

// With one connection, state that a tenant leaves would reach the next tenant.
func TestTenantsOnOneConnection(t *testing.T) {
	t.Parallel()
	storetest.Tenants(t, pgtest.Connect(t, postgres.Config{URL: pgtest.URL(t), MaxConns: 1}))
}
