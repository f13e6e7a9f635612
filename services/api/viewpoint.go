package api

import (
	"context"
	"maps"
	"slices"
	"strings"

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

// viewpoint is an agent's project with the scopes that are visible from it.
type viewpoint struct {
	project memory.Scope // empty without a project
	// scopes lists the visible scopes, the nearest first; empty means all scopes
	// of the tenant.
	scopes []memory.Scope
	// nothing means that no scope of the level exists.
	nothing bool
}

// viewpointOf returns the scopes of a level: of the project alone, of the teams,
// of the organisations, or all of them upward from the project (S4.30). The team
// of a project is not known, so a project sees every team and organisation of
// its tenant.
func (a *api) viewpointOf(ctx context.Context, project, level string) (viewpoint, error) {
	var p viewpoint
	var err error
	if p.project, err = projectScope(project); err != nil {
		return p, err
	}
	if p.project != "" && level == levelProject {
		p.scopes = []memory.Scope{p.project}
		return p, nil
	}
	versions, err := a.Store.ScopeVersions(ctx, callerOf(ctx).Tenant)
	if err != nil {
		return p, err
	}
	known := slices.Sorted(maps.Keys(versions))
	all := level == levelAll && p.project == ""
	if p.project != "" && level == levelAll {
		p.scopes = append(p.scopes, p.project)
	}
	for _, kind := range []memory.ScopeKind{memory.ScopeUser, memory.ScopeProject, memory.ScopeTeam, memory.ScopeOrg} {
		for _, s := range known {
			switch {
			case s.Kind() != kind || s == p.project:
			case !a.sees(ctx, s):
				all = false
			case kind == memory.ScopeProject && p.project != "":
			case level == levelAll || level == string(kind):
				p.scopes = append(p.scopes, s)
			}
		}
	}
	p.nothing = len(p.scopes) == 0 && !all
	if all {
		p.scopes = nil
	}
	return p, nil
}

// sees reports whether the caller may read memories of a scope. A user's scope
// is visible to that user's agents: the principal with the same name, and the
// default principal, which is a laptop.
func (a *api) sees(ctx context.Context, s memory.Scope) bool {
	who := callerOf(ctx)
	return s.Kind() != memory.ScopeUser || who.ID == a.DefaultPrincipal || s.ID() == who.ID
}

// projectScope returns the scope of a project as agents name it: by id, scope,
// or the address of its repository. Empty stays empty.
func projectScope(project string) (memory.Scope, error) {
	project = strings.TrimSpace(project)
	if project == "" {
		return "", nil
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
