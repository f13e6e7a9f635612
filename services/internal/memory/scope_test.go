package memory

import (
	"strings"
	"testing"
)

// D25: a scope is one of four kinds and an id of one token.
func TestParseScope(t *testing.T) {
	t.Parallel()
	cases := []struct {
		in       string
		kind     ScopeKind // empty: refused
		id, says string
	}{
		{"user:ada", ScopeUser, "ada", ""},
		{"project:shop", ScopeProject, "shop", ""},
		{"team:payments", ScopeTeam, "payments", ""},
		{"org:acme", ScopeOrg, "acme", ""},
		{"project:github.com/acme/api", ScopeProject, "github.com/acme/api", ""},
		{"user:ada+test@example.org", ScopeUser, "ada+test@example.org", ""},
		{"project:" + strings.Repeat("x", MaxScopeID), ScopeProject, strings.Repeat("x", MaxScopeID), ""},
		{"", "", "", "want kind:id"},
		{"shop", "", "", "want kind:id"},
		{"project:", "", "", "0 bytes"},
		{"project:" + strings.Repeat("x", MaxScopeID+1), "", "", "129 bytes"},
		{":shop", "", "", "none of user, project, team, org"},
		{"workspace:shop", "", "", "none of user, project, team, org"},
		{"global:acme", "", "", "none of user, project, team, org"},
		{"Project:shop", "", "", "none of user, project, team, org"},
		{" project:shop", "", "", "none of user, project, team, org"},
		{"project:a:b", "", "", "not allowed"},
		{"project:a b", "", "", "not allowed"},
		{"project:a*", "", "", "not allowed"},
		{"project:a>", "", "", "not allowed"},
		{"project:größe", "", "", "not allowed"},
		{"project:a\x00", "", "", "not allowed"},
		{"project:a\n", "", "", "not allowed"},
	}
	for _, c := range cases {
		got, err := ParseScope(c.in)
		if c.kind == "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q: %q, %v; want an error that says %q", c.in, got, err, c.says)
			}
			continue
		}
		if err != nil || string(got) != c.in || got.Kind() != c.kind || got.ID() != c.id {
			t.Errorf("%q: kind %q, id %q, %v; want %q, %q", c.in, got.Kind(), got.ID(), err, c.kind, c.id)
		}
	}
}
