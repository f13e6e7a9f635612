package rest

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/httpapi"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/ops"
)

type principalRow struct {
	ID          string   `json:"id" doc:"Name of the principal, unique among all tenants."`
	Highest     string   `json:"highest" doc:"The highest origin that it may claim."`
	Name        string   `json:"name,omitempty" doc:"Name for people."`
	Service     bool     `json:"service" doc:"A service, whose facts count as asserted by it."`
	SpeaksFor   []string `json:"speaks_for" doc:"Reviewers whose answers it may bring; * for all."`
	Scopes      []string `json:"scopes" doc:"What it is bound to; empty: nothing, it sees the whole tenant."`
	EventsJSON  bool     `json:"events_json" doc:"A gateway that reads events as JSON and not as protobuf."`
	Permissions []string `json:"permissions" doc:"What it may do."`
}

type principalList struct {
	Principals []principalRow `json:"principals" doc:"By id."`
}

type putPrincipalRequest struct {
	ID   string `path:"id" maxLength:"64" doc:"Name of the principal: 1 to 64 of A-Z a-z 0-9 - _. Names are unique among all tenants, so a new one ends with the tag of its tenant, which the answer to one without it says; in the tenant default it needs none."`
	Body struct {
		Highest     string   `json:"highest,omitempty" enum:"external,agent,first_party,human" default:"agent" doc:"The highest origin that it may claim; at most your own."`
		Name        string   `json:"name,omitempty" maxLength:"100" doc:"Name for people."`
		Service     bool     `json:"service,omitempty" doc:"A service, whose facts count as asserted by it."`
		SpeaksFor   []string `json:"speaks_for,omitempty" nullable:"false" maxItems:"100" doc:"Reviewers whose answers it may bring; * for all."`
		Scopes      []string `json:"scopes,omitempty" nullable:"false" maxItems:"100" doc:"Binds it to projects, teams or organisations, such as team:web: over HTTP and MCP it sees these, what belongs to them and what they belong to, and changes nothing beyond. Left out, it is bound to nothing."`
		EventsJSON  bool     `json:"events_json,omitempty" doc:"As a gateway it reads events as JSON and not as protobuf, from now on."`
		Permissions []string `json:"permissions,omitempty" nullable:"false" maxItems:"5" doc:"What it may do; left out, what an agent needs, or everything for a person."`
	}
}

type termRow struct {
	ID          string    `json:"id" doc:"Id of the entry."`
	Term        string    `json:"term" doc:"What is out of use."`
	Kind        string    `json:"kind" doc:"tool, version, adr or project."`
	Replacement string    `json:"replacement,omitempty" doc:"What is used instead."`
	Scope       string    `json:"scope,omitempty" doc:"Where; absent everywhere."`
	Since       time.Time `json:"since" doc:"Since when."`
}

type termList struct {
	Terms []termRow `json:"terms" doc:"What is out of use."`
}

type newTermRequest struct {
	Body struct {
		Term        string `json:"term" minLength:"1" maxLength:"200" doc:"What is out of use."`
		Kind        string `json:"kind,omitempty" enum:"tool,version,adr,project" default:"tool" doc:"What it is."`
		Replacement string `json:"replacement,omitempty" maxLength:"200" doc:"What is used instead."`
		Scope       string `json:"scope,omitempty" maxLength:"136" doc:"Only in this scope."`
		Since       string `json:"since,omitempty" format:"date" doc:"Since when; left out, today."`
	}
}

type added struct {
	Added int `json:"added" doc:"1, or 0 for a term that was registered before."`
}

type termID struct {
	ID string `path:"id" maxLength:"64" doc:"Id of the entry."`
}

type auditRequest struct {
	Subject string `query:"subject" maxLength:"200" doc:"Only entries about this id."`
	Before  int64  `query:"before" minimum:"0" doc:"next_before of the page before; leave it out for the first page."`
	Limit   int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"How many at most; the entries of one link stay together."`
}

type auditPage struct {
	Entries json.RawMessage `json:"entries" doc:"Entries with seq, at, actor, principal, action, subject and body, the newest first."`
	Next    int64           `json:"next_before,omitempty" doc:"For the next page; absent on the last one."`
}

// mostOfLink is more than the entries of one link: those of the largest batch.
const mostOfLink = 2048

func (s *service) registry(to *httpapi.API) {
	httpapi.Add(to, httpapi.Operation{
		ID: "list-principals", Method: http.MethodGet, Path: "/api/principals", Tag: "Credentials", Summary: "List principals", Description: "Who may publish, read or decide.",
	}, func(ctx context.Context, _ *struct{}) (principalList, error) {
		out := principalList{Principals: []principalRow{}}
		list, err := s.Store.Principals(ctx, access.Caller(ctx).Tenant)
		for _, p := range list {
			out.Principals = append(out.Principals, principalOf(p))
		}
		return out, err
	})
	httpapi.Add(to, httpapi.Operation{
		ID: "put-principal", Method: http.MethodPut, Path: "/api/principals/{id}", Tag: "Credentials", Summary: "Register or change a principal",
		Description: "A caller can give only what it may itself. A key is made with POST /api/keys.",
	}, s.putPrincipal)
	httpapi.Add(to, httpapi.Operation{
		ID: "list-retired-terms", Method: http.MethodGet, Path: "/api/retired-terms", Tag: "Registry", Summary: "List what is out of use", Description: "Proposals that name such a term are judged by it.",
	}, func(ctx context.Context, _ *struct{}) (termList, error) {
		out := termList{Terms: []termRow{}}
		r, err := s.Store.Registry(ctx, access.Caller(ctx).Tenant)
		for _, t := range r.Retired {
			// A bound caller sees those of its scopes, and not the tenant's.
			if t.Scope == "" && access.Caller(ctx).Bound() || t.Scope != "" && !s.Sees(ctx, t.Scope) {
				continue
			}
			out.Terms = append(out.Terms, termRow{ID: t.ID, Term: t.Term, Kind: t.Kind, Replacement: t.Replacement, Scope: string(t.Scope), Since: t.Since})
		}
		return out, err
	})
	httpapi.Add(to, httpapi.Operation{
		ID: "create-retired-term", Method: http.MethodPost, Path: "/api/retired-terms", Tag: "Registry", Status: http.StatusCreated, Summary: "Register a term that is out of use",
		Description: "A term that is registered already is left as it is.",
	}, func(ctx context.Context, in *newTermRequest) (added, error) {
		for name, text := range map[string]string{"term": in.Body.Term, "replacement": in.Body.Replacement} {
			if text != memory.Visible(text) || strings.ContainsAny(text, "\n\t") || name == "term" && strings.TrimSpace(text) == "" {
				return added{}, &memory.Fault{Field: name, Remedy: "use one line of visible text"}
			}
		}
		scope, err := scopeOf(in.Body.Scope)
		if err != nil {
			return added{}, err
		}
		n, err := s.ops(ctx).AddRetired(ctx, ops.RetiredTerm{
			Term: in.Body.Term, Kind: in.Body.Kind, Replacement: in.Body.Replacement, Since: in.Body.Since, Scope: string(scope),
		})
		return added{n}, err
	})
	httpapi.Add(to, httpapi.Operation{
		ID: "delete-retired-term", Method: http.MethodDelete, Path: "/api/retired-terms/{id}", Tag: "Registry", Summary: "Take a term out of the registry", Description: "The term may be used again.",
	}, func(ctx context.Context, in *termID) (termID, error) {
		_, err := s.ops(ctx).RemoveRetired(ctx, in.ID)
		return *in, err
	})
	httpapi.Add(to, httpapi.Operation{
		ID: "list-audit", Method: http.MethodGet, Path: "/api/audit", Tag: "Audit", Summary: "List the audit log", Description: "Every decision and every change of a setting, the newest first.",
	}, s.audit)
	httpapi.Add(to, httpapi.Operation{
		ID: "verify-audit", Method: http.MethodGet, Path: "/api/audit/verification", Tag: "Audit", Summary: "Verify the audit log",
		Description: "Recomputes the whole hash chain. broken_at is 0 when every link verifies.",
	}, func(ctx context.Context, _ *struct{}) (store.AuditReport, error) {
		return s.Store.VerifyAudit(ctx, access.Caller(ctx).Tenant)
	})
}

func principalOf(p memory.Principal) principalRow {
	return principalRow{ID: p.ID, Highest: p.Highest.String(), Name: p.Name, Service: p.Service, SpeaksFor: orEmpty(p.SpeaksFor), Scopes: written(p.Scopes), EventsJSON: p.EventsJSON, Permissions: names(p.Allowed())}
}

// putPrincipal stores a principal. A caller raises nobody above itself: neither the
// permissions nor the origin, and never those of somebody who has more.
func (s *service) putPrincipal(ctx context.Context, in *putPrincipalRequest) (principalRow, error) {
	caller := access.Caller(ctx)
	highest, err := memory.ParseOrigin(in.Body.Highest)
	if err != nil {
		return principalRow{}, &memory.Fault{Field: "highest", Remedy: "write external, agent, first_party or human"}
	}
	permissions, err := memory.ParsePermissions(in.Body.Permissions)
	if err != nil {
		return principalRow{}, &memory.Fault{Field: "permissions", Remedy: err.Error()}
	}
	p := memory.Principal{ID: in.ID, Highest: highest, Name: in.Body.Name, Service: in.Body.Service, SpeaksFor: orEmpty(in.Body.SpeaksFor), EventsJSON: in.Body.EventsJSON, Permissions: permissions}
	for _, name := range in.Body.Scopes {
		p.Scopes = append(p.Scopes, memory.Scope(name))
	}
	if highest > caller.Highest {
		return principalRow{}, &memory.Fault{Field: "highest", Remedy: "is above your own; ask somebody who may claim it"}
	}
	for _, wanted := range p.Allowed() {
		if !caller.May(wanted) {
			return principalRow{}, &memory.Fault{Field: "permissions", Remedy: "you may not " + string(wanted) + " yourself; name fewer, or ask somebody who may"}
		}
	}
	if len(p.SpeaksFor) > 0 && !caller.May(memory.MayDecide) {
		return principalRow{}, &memory.Fault{Field: "speaks_for", Remedy: "you may not decide yourself; ask somebody who may"}
	}
	p, err = s.ops(ctx).PutPrincipal(ctx, p)
	return principalOf(p), err
}

// audit lists entries by whole links, so that no page ends within one.
func (s *service) audit(ctx context.Context, in *auditRequest) (auditPage, error) {
	if in.Subject != memory.Visible(in.Subject) {
		return auditPage{Entries: json.RawMessage("[]")}, nil
	}
	list, err := s.ops(ctx).AuditLog(ctx, in.Subject, in.Before, in.Limit+mostOfLink)
	if err != nil {
		return auditPage{}, err
	}
	out := auditPage{}
	end := len(list)
	for i := in.Limit; i < len(list); i++ {
		if list[i].Seq != list[i-1].Seq {
			end, out.Next = i, list[i-1].Seq
			break
		}
	}
	out.Entries, err = json.Marshal(orEmpty(list[:end]))
	return out, err
}
