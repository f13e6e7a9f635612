package rest

import (
	"context"
	"net/http"
	"slices"

	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/httpapi"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/ops/scopes"
)

// scopeRow is a scope of the registry.
type scopeRow struct {
	Scope    string   `json:"scope" doc:"Its name, such as project:shop."`
	Above    []string `json:"above" doc:"What it belongs to, the nearest first. What is stored there is visible from it."`
	Below    []string `json:"below" doc:"What belongs to it, by name."`
	Memories int      `json:"memories" doc:"How many memories hold in it."`
}

type scopeList struct {
	Scopes []scopeRow `json:"scopes" doc:"By name."`
}

type scopesRequest struct {
	Kind string `query:"kind" enum:"user,project,team,org" doc:"Only of this kind."`
}

type putScopeRequest struct {
	Body struct {
		Scope  string `json:"scope" minLength:"1" maxLength:"136" doc:"Such as project:shop, or a repository's address."`
		Parent string `json:"parent,omitempty" maxLength:"136" doc:"What it belongs to from now on: a team or an org of a project, an org of a team. Left out, a parent that is there stays."`
	}
}

type unlinkScopeRequest struct {
	Scope string `query:"scope" required:"true" minLength:"1" maxLength:"136" doc:"The scope that is to belong to nothing."`
}

// scopes adds the registry of scopes (D25). Names of scopes have slashes, so they stand
// in the body or the query and not in the path.
func (s *service) scopes(to *httpapi.API) {
	const tag = "Scopes"
	httpapi.Add(to, httpapi.Operation{
		ID: "list-scopes", Method: http.MethodGet, Path: "/api/scopes", Tag: tag, Summary: "List scopes",
		Description: "Projects, teams and organisations, and what belongs to what. A project sees what is stored in its own team and organisation, and not those of others.",
	}, s.listScopes)
	httpapi.Add(to, httpapi.Operation{
		ID: "put-scope", Method: http.MethodPut, Path: "/api/scopes", Tag: tag, Summary: "Create a scope or say what it belongs to",
		Description: "A scope belongs to one other at most: the new parent takes the place of the old one.",
	}, s.putScope)
	httpapi.Add(to, httpapi.Operation{
		ID: "unlink-scope", Method: http.MethodDelete, Path: "/api/scopes/parent", Tag: tag, Summary: "Take a scope out of what it belongs to",
		Description: "The scope stays, with its memories; it no longer sees those of its team or organisation.",
	}, s.unlinkScope)
}

func (s *service) desk(ctx context.Context) *scopes.Desk {
	who := access.Caller(ctx)
	return &scopes.Desk{Store: s.Store, Tenant: who.Tenant, Person: who.ID, Now: s.Now, Secret: s.Redactor.Secret}
}

func (s *service) listScopes(ctx context.Context, in *scopesRequest) (scopeList, error) {
	out := scopeList{Scopes: []scopeRow{}}
	list, err := s.desk(ctx).List(ctx)
	for _, e := range list {
		if s.Sees(ctx, e.Scope) && (in.Kind == "" || e.Scope.Kind() == memory.ScopeKind(in.Kind)) {
			seen := func(list []memory.Scope) []memory.Scope {
				return slices.DeleteFunc(list, func(one memory.Scope) bool { return !s.Sees(ctx, one) })
			}
			e.Above, e.Below = seen(e.Above), seen(e.Below)
			out.Scopes = append(out.Scopes, scopeRowOf(e))
		}
	}
	return out, err
}

func (s *service) putScope(ctx context.Context, in *putScopeRequest) (scopeRow, error) {
	scope, err := s.scopeNamed(ctx, "scope", in.Body.Scope)
	if err != nil {
		return scopeRow{}, err
	}
	var parent memory.Scope
	if in.Body.Parent != "" {
		if parent, err = s.scopeNamed(ctx, "parent", in.Body.Parent); err != nil {
			return scopeRow{}, err
		}
		if err := memory.CheckLink(scope, parent); err != nil {
			return scopeRow{}, &memory.Fault{Field: "parent", Remedy: err.Error()}
		}
	}
	e, err := s.desk(ctx).Add(ctx, string(scope), string(parent))
	return scopeRowOf(e), err
}

// unlinkScope looks first, so that a scope which does not exist leaves no trace in the
// audit log.
func (s *service) unlinkScope(ctx context.Context, in *unlinkScopeRequest) (scopeRow, error) {
	scope, err := s.scopeNamed(ctx, "query.scope", in.Scope)
	if err != nil {
		return scopeRow{}, err
	}
	if _, err := s.desk(ctx).Show(ctx, string(scope)); err != nil {
		return scopeRow{}, err
	}
	e, err := s.desk(ctx).Link(ctx, string(scope), "")
	return scopeRowOf(e), err
}

// scopeNamed returns the scope that a field names. A user's scope is refused to others,
// whether it exists or not.
func (s *service) scopeNamed(ctx context.Context, field, name string) (memory.Scope, error) {
	scope, err := scopes.Parse(name)
	if err != nil {
		return "", &memory.Fault{Field: field, Remedy: err.Error() + "; write it like project:shop"}
	}
	if !s.Sees(ctx, scope) {
		return "", &memory.Fault{Field: field, Remedy: "is another user's; name a project, a team or an org"}
	}
	return scope, nil
}

func scopeRowOf(e scopes.Entry) scopeRow {
	return scopeRow{Scope: string(e.Scope), Above: written(e.Above), Below: written(e.Below), Memories: e.Memories}
}

func written(list []memory.Scope) []string {
	out := []string{}
	for _, s := range list {
		out = append(out, string(s))
	}
	return out
}
