package postgres_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
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

// What a store was asked a moment ago it answers anew after each kind of change of its own.
func TestOwnChangesAreSeen(t *testing.T) {
	t.Parallel()
	s := pgtest.Connect(t, postgres.Config{URL: pgtest.URL(t), Recent: time.Hour})
	const tenant, shop = memory.DefaultTenant, memory.Scope("project:shop")
	name := func() string {
		who, err := s.Principal(t.Context(), "bot")
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Fatal(err)
		}
		return who.Name
	}
	around := func() string {
		above, teams, err := s.ScopesAround(t.Context(), tenant, shop, memory.ScopeTeam)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(above, teams)
	}
	bot := func(name string) change.Set {
		return change.Set{Principals: []memory.Principal{{ID: "bot", Tenant: tenant, Highest: memory.OriginAgent, Name: name}}}
	}
	for _, c := range []struct {
		set  change.Set
		ask  func() string
		want string
	}{
		{bot("one"), name, "one"},
		{bot("two"), name, "two"},
		{change.Set{ScopesKnown: []memory.Scope{"team:red"}}, around, "[] [team:red]"},
		{change.Set{ScopeLinks: []memory.ScopeLink{{Tenant: tenant, Scope: shop, Parent: "team:red", At: time.Now()}}}, around, "[team:red] [team:red]"},
		{change.Set{ScopesUnlinked: []memory.Scope{shop}}, around, "[] [team:red]"},
	} {
		before := c.ask()
		if _, err := s.Commit(t.Context(), tenant, c.set, store.InboxKey{}); err != nil {
			t.Fatal(err)
		}
		if got := c.ask(); got != c.want || got == before {
			t.Errorf("%+v: %q, want %q", c.set, got, c.want)
		}
	}
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
