package api

import (
	"context"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// The values of the argument scope (S4.1).
const (
	levelAll     = "all"
	levelProject = "project"
	levelTeam    = "team"
	levelOrg     = "org"
)

// defaultProject is the scope of a record without a project.
const defaultProject = "default"

// callerOf returns the request's principal. The door has authenticated every
// request.
func callerOf(ctx context.Context) memory.Principal { return access.Caller(ctx) }

// viewpoint is an agent's project with the scopes that are visible from it.
type viewpoint struct {
	project memory.Scope // empty without a project
	// scopes lists the visible scopes, the nearest first; empty means all scopes
	// of the tenant.
	scopes []memory.Scope
	// nothing means that no scope of the level exists.
	nothing bool
}

// viewpointOf returns the scopes of a level: of the project alone, of its team, of its
// organisation, or all of them upward from the project (S4.30), by the registry of
// scopes (D25). A project that belongs to no team sees none. Without a project the
// whole tenant is looked at, or all that a bound caller may read.
func (a *api) viewpointOf(ctx context.Context, project, level string) (viewpoint, error) {
	var p viewpoint
	var err error
	if p.project, err = projectOf(ctx, project); err != nil {
		return p, err
	}
	if p.project != "" {
		return p, a.upward(ctx, &p, level)
	}
	if level != levelAll {
		p.scopes, err = a.visible(ctx, memory.ScopeKind(level))
		p.nothing = len(p.scopes) == 0
		return p, err
	}
	// Only users have scopes that others do not see. Without one of another user,
	// all scopes are visible, and their names, which may be thousands, are not
	// needed.
	users, err := a.Store.ScopeNames(ctx, callerOf(ctx).Tenant, memory.ScopeUser)
	if err != nil || !callerOf(ctx).Bound() && !slices.ContainsFunc(users, func(s memory.Scope) bool { return !a.sees(ctx, s) }) {
		return p, err
	}
	p.scopes, err = a.visible(ctx, memory.ScopeUser, memory.ScopeProject, memory.ScopeTeam, memory.ScopeOrg)
	p.nothing = len(p.scopes) == 0
	return p, err
}

// upward fills in the scopes that are visible from the project.
func (a *api) upward(ctx context.Context, p *viewpoint, level string) error {
	if level == levelProject {
		p.scopes = []memory.Scope{p.project}
		return nil
	}
	if level != levelAll {
		above, err := a.Store.ScopesAbove(ctx, callerOf(ctx).Tenant, p.project)
		p.scopes = slices.DeleteFunc(above, func(s memory.Scope) bool { return s.Kind() != memory.ScopeKind(level) })
		p.nothing = len(p.scopes) == 0
		return err
	}
	above, users, err := a.Store.ScopesAround(ctx, callerOf(ctx).Tenant, p.project, memory.ScopeUser)
	users = slices.DeleteFunc(users, func(s memory.Scope) bool { return !a.sees(ctx, s) })
	p.scopes = slices.Concat([]memory.Scope{p.project}, users, above)
	return err
}

// has reports whether a memory of the scope is visible from the viewpoint.
func (p viewpoint) has(s memory.Scope) bool {
	return !p.nothing && (len(p.scopes) == 0 || slices.Contains(p.scopes, s))
}

// visible lists the scopes of these kinds that the caller sees: kind by kind, those
// of a kind by id.
func (a *api) visible(ctx context.Context, kinds ...memory.ScopeKind) ([]memory.Scope, error) {
	known, err := a.Store.ScopeNames(ctx, callerOf(ctx).Tenant, kinds...)
	if err != nil {
		return nil, err
	}
	known = slices.DeleteFunc(known, func(s memory.Scope) bool { return !a.sees(ctx, s) })
	slices.SortStableFunc(known, func(x, y memory.Scope) int {
		return slices.Index(kinds, x.Kind()) - slices.Index(kinds, y.Kind())
	})
	return known, nil
}

// sees reports whether the caller may read memories of a scope. A user's scope
// is visible to that user's agents: the principal with the same name, and the
// default principal, which is a laptop. A bound caller sees what its scopes see.
func (a *api) sees(ctx context.Context, s memory.Scope) bool {
	who := callerOf(ctx)
	return who.MaySee(s) && (s.Kind() != memory.ScopeUser || who.ID == a.DefaultPrincipal || s.ID() == who.ID)
}

// from returns which scopes the caller sees from a project; without one, which it sees at
// all. An id of any other scope is unknown.
func (a *api) from(ctx context.Context, project string) (func(memory.Scope) bool, error) {
	where, err := a.viewpointOf(ctx, project, levelAll)
	return func(s memory.Scope) bool { return a.sees(ctx, s) && (where.project == "" || where.has(s)) }, err
}

// projectOf returns the scope of the project that a call names, empty for none. The only
// project of a bound caller stands for none. A project outside of its bounds is refused,
// whether it exists or not.
func projectOf(ctx context.Context, project string) (memory.Scope, error) {
	scope, err := projectScope(project)
	who := callerOf(ctx)
	switch {
	case err != nil:
		return "", err
	case scope == "":
		return who.OnlyProject(), nil
	case !who.MayAct(scope):
		return "", request("%v", who.Beyond("project"))
	}
	return scope, nil
}

// projectOrDefault is projectOf with the project default for none, which a bound caller
// must name like any other.
func projectOrDefault(ctx context.Context, project string) (memory.Scope, error) {
	scope, err := projectOf(ctx, project)
	if scope != "" || err != nil {
		return scope, err
	}
	return projectOf(ctx, defaultProject)
}

// newProject is projectOrDefault for a call that may make the project known: its name is
// stored, and so must hold no secret.
func (a *api) newProject(ctx context.Context, project string) (memory.Scope, error) {
	scope, err := projectOrDefault(ctx, project)
	if err == nil && a.Redactor.Secret(string(scope)) {
		return "", request("project: %s", redact.SecretName)
	}
	return scope, err
}

// projectScope returns the scope of a project as agents name it: by id, scope,
// or the address of its repository. Empty stays empty.
func projectScope(project string) (memory.Scope, error) {
	project = strings.TrimSpace(project)
	if project == "" {
		return "", nil
	}
	if len(project) > memory.MaxScope { // as the contract says, also of an address with a short id
		return "", request("project: has %d characters, want at most %d; name it like github.com/acme/api, or leave it out", len(project), memory.MaxScope)
	}
	if id, err := trace.ProjectOfRemote(project); err == nil && !strings.HasPrefix(project, "project:") {
		project = id
	}
	s, err := memory.ParseScope("project:" + strings.TrimPrefix(project, "project:"))
	if err != nil {
		return "", request("project: %v; name it like github.com/acme/api, or leave it out", err)
	}
	return s, nil
}
