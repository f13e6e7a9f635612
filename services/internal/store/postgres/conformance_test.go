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
	storetest.Run(t, func(t testing.TB) store.Store { return pgtest.Open(t) })
}

// On one connection, whatever a tenant leaves behind is what the next one gets.
func TestTenantsOnOneConnection(t *testing.T) {
	t.Parallel()
	storetest.Tenants(t, pgtest.Connect(t, postgres.Config{URL: pgtest.URL(t), MaxConns: 1}))
}
