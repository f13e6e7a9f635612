package memory

import (
	"fmt"
	"strings"
	"time"
)

// Tenant is the isolation boundary. The tenant comes from a credential, never from
// a payload or an argument.
type Tenant string

const (
	// DefaultTenant is the only tenant of a laptop.
	DefaultTenant Tenant = "default"
	// SystemTenant owns the rows without a tenant: undecodable events and events
	// of unregistered principals.
	SystemTenant Tenant = "_system"
)

// ScopeKind is the first half of a scope.
type ScopeKind string

// The kinds of scope; a search from a project cascades to its team and its
// organisation (D25).
const (
	ScopeUser    ScopeKind = "user"
	ScopeProject ScopeKind = "project"
	ScopeTeam    ScopeKind = "team"
	ScopeOrg     ScopeKind = "org"
)

// Scope is `kind:id`, for example `project:billing`, inside one tenant.
type Scope string

// MaxScopeID bounds the length of an id in bytes, because the id becomes part of
// subjects, paths and keys.
const MaxScopeID = 128

// MaxScope bounds the length of a scope as callers write it, in bytes: the longest kind, the
// colon and an id. The contracts over HTTP and MCP say so of each scope and project.
const MaxScope = len(ScopeProject) + 1 + MaxScopeID

// ParseScope validates a scope. The id is one token of letters, digits and
// `._/@+-`, so that a git remote such as `github.com/acme/api` is a valid id.
func ParseScope(s string) (Scope, error) {
	kind, id, found := strings.Cut(s, ":")
	if !found {
		return "", fmt.Errorf("scope %q: want kind:id, for example project:billing", s)
	}
	switch ScopeKind(kind) {
	case ScopeUser, ScopeProject, ScopeTeam, ScopeOrg:
	default:
		return "", fmt.Errorf("scope %q: kind %q is none of user, project, team, org", s, kind)
	}
	if id == "" || len(id) > MaxScopeID {
		return "", fmt.Errorf("scope %q: the id has %d bytes, want 1 to %d", kind+":…", len(id), MaxScopeID)
	}
	for _, r := range id {
		if !scopeRune(r) {
			return "", fmt.Errorf("scope %q: %q is not allowed in an id", s, r)
		}
	}
	return Scope(s), nil
}

func scopeRune(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return true
	}
	return strings.ContainsRune("._/@+-", r)
}

// Kind returns the part before the colon, which selects the policy.
func (s Scope) Kind() ScopeKind {
	kind, _, _ := strings.Cut(string(s), ":")
	return ScopeKind(kind)
}

// ID returns the part after the colon.
func (s Scope) ID() string {
	_, id, _ := strings.Cut(string(s), ":")
	return id
}

// ScopeLink says which scope another one belongs to: a project to at most one team, or
// straight to an organisation, a team to at most one organisation (D25).
type ScopeLink struct {
	Tenant    Tenant    `json:"tenant"`
	Scope     Scope     `json:"scope"`
	Parent    Scope     `json:"parent"`
	Principal string    `json:"principal,omitempty"` // who said so
	At        time.Time `json:"at"`
}

// CheckLink returns an error that names the remedy for a link that cannot be.
func CheckLink(scope, parent Scope) error {
	from, to := scope.Kind(), parent.Kind()
	if from == ScopeProject && (to == ScopeTeam || to == ScopeOrg) || from == ScopeTeam && to == ScopeOrg {
		return nil
	}
	return fmt.Errorf("%s cannot belong to %s: a project belongs to a team or an org, a team to an org", scope, parent)
}
