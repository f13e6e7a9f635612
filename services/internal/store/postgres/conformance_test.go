package postgres_test

import (
	"errors"
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
		s := pgtest.Open(t)
		pgtest.ShortRetention(t, s)
		return s
	})
}

// A store that keeps recent answers keeps the contract too: what it changed itself it
// answers at once, and no tenant is answered with another's.
func TestConformanceWithRecentAnswers(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t testing.TB) store.Store {
		s := pgtest.Connect(t, postgres.Config{URL: pgtest.URL(t), Recent: time.Hour})
		pgtest.ShortRetention(t, s)
		return s
	})
}

// An id that has the bytes of a key's digest is no key, and the other way round.
func TestKeyIsNoName(t *testing.T) {
	t.Parallel()
	s := pgtest.Connect(t, postgres.Config{URL: pgtest.URL(t), Recent: time.Hour})
	who, err := s.Principal(t.Context(), "agent")
	if err != nil || who.ID != "agent" {
		t.Fatalf("%+v, %v", who, err)
	}
	if who, err := s.PrincipalByKey(t.Context(), []byte("agent")); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a name was taken for a key: %+v, %v", who, err)
	}
}

// With one connection, state that a tenant leaves would reach the next tenant.
func TestTenantsOnOneConnection(t *testing.T) {
	t.Parallel()
	storetest.Tenants(t, pgtest.Connect(t, postgres.Config{URL: pgtest.URL(t), MaxConns: 1}))
}
