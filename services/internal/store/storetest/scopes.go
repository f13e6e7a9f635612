package storetest

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// D25: a project belongs to one team, a team to one organisation; what a scope belongs
// to is read upward, and is of its tenant alone.
func testScopeLinks(t *testing.T, s store.Store) {
	ctx := t.Context()
	link := func(scope, parent memory.Scope) memory.ScopeLink {
		return memory.ScopeLink{Tenant: tenant, Scope: scope, Parent: parent, Principal: "ann", At: now()}
	}
	a, b, team := link(scopeA, "team:one"), link(scopeB, "team:two"), link("team:one", "org:acme")
	mustCommit(t, s, change.Set{ScopeLinks: []memory.ScopeLink{a, b, team}, ScopesKnown: []memory.Scope{"team:empty"}})
	if got, err := s.ScopeLinks(ctx, tenant); err != nil || !reflect.DeepEqual(got, []memory.ScopeLink{a, b, team}) {
		t.Errorf("%+v, %v", got, err)
	}
	for scope, want := range map[memory.Scope][]memory.Scope{
		scopeA: {"team:one", "org:acme"}, scopeB: {"team:two"}, "team:one": {"org:acme"}, "team:empty": nil, "org:acme": nil, "project:none": nil,
	} {
		if got, err := s.ScopesAbove(ctx, tenant, scope); err != nil || !slices.Equal(got, want) {
			t.Errorf("above %s: %v, %v, want %v", scope, got, err, want)
		}
		above, teams, err := s.ScopesAround(ctx, tenant, scope, memory.ScopeTeam)
		if err != nil || !slices.Equal(above, want) || !slices.Equal(teams, []memory.Scope{"team:empty", "team:one", "team:two"}) {
			t.Errorf("around %s: %v and %v, %v, want %v", scope, above, teams, err, want)
		}
		if got, err := s.ScopesAbove(ctx, other, scope); err != nil || len(got) != 0 {
			t.Errorf("above %s in the other tenant: %v, %v", scope, got, err)
		}
		if above, teams, err := s.ScopesAround(ctx, other, scope, memory.ScopeTeam); err != nil || len(above)+len(teams) != 0 {
			t.Errorf("around %s in the other tenant: %v and %v, %v", scope, above, teams, err)
		}
	}
	if names, err := s.ScopeNames(ctx, tenant, memory.ScopeTeam); err != nil || !slices.Equal(names, []memory.Scope{"team:empty", "team:one", "team:two"}) {
		t.Errorf("teams %v, %v", names, err)
	}
	// The last word about a scope counts.
	mustCommit(t, s, change.Set{ScopeLinks: []memory.ScopeLink{link(scopeA, "team:two"), link(scopeA, "org:acme")}, ScopesUnlinked: []memory.Scope{scopeB}})
	for scope, want := range map[memory.Scope][]memory.Scope{scopeA: {"org:acme"}, scopeB: nil} {
		if got, err := s.ScopesAbove(ctx, tenant, scope); err != nil || !slices.Equal(got, want) {
			t.Errorf("then above %s: %v, %v, want %v", scope, got, err, want)
		}
		if got, _, err := s.ScopesAround(ctx, tenant, scope, memory.ScopeTeam); err != nil || !slices.Equal(got, want) {
			t.Errorf("then around %s: %v, %v, want %v", scope, got, err, want)
		}
	}
	for _, bad := range []memory.ScopeLink{link("org:acme", "team:one"), link("team:one", "team:two"), link(scopeA, scopeB), link("user:ann", "team:one"), link(scopeA, scopeA)} {
		if _, err := s.Commit(ctx, tenant, change.Set{ScopeLinks: []memory.ScopeLink{bad}}, store.InboxKey{}); !errors.Is(err, store.ErrInvalid) || memory.CheckLink(bad.Scope, bad.Parent) == nil {
			t.Errorf("%s in %s: %v, want ErrInvalid", bad.Scope, bad.Parent, err)
		}
	}
	for _, l := range []memory.ScopeLink{a, team, link(scopeA, "org:acme")} {
		if err := memory.CheckLink(l.Scope, l.Parent); err != nil {
			t.Error(err)
		}
	}
}
