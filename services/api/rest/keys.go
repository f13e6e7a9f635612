package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/httpapi"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/ops"
)

// KeyRow is an API key without its secret.
type KeyRow struct {
	ID          string    `json:"id" doc:"Id of the key, for revoking it."`
	Principal   string    `json:"principal" doc:"Whose it is."`
	Name        string    `json:"name" doc:"What it is for."`
	Hint        string    `json:"hint" doc:"Its first characters."`
	State       string    `json:"state" doc:"active, expired or revoked."`
	Permissions []string  `json:"permissions" doc:"What it allows."`
	CreatedBy   string    `json:"created_by" doc:"Who made it."`
	CreatedAt   time.Time `json:"created_at" doc:"When it was made."`
	ExpiresAt   time.Time `json:"expires_at,omitzero" doc:"When it ends; absent for one without an end."`
	RevokedAt   time.Time `json:"revoked_at,omitzero" doc:"When it was revoked."`
	LastUsed    time.Time `json:"last_used,omitzero" doc:"The day of its last use, in UTC."`
}

type keyList struct {
	Keys []KeyRow `json:"keys" doc:"The oldest first."`
}

type keysRequest struct {
	Principal string `query:"principal" maxLength:"64" doc:"Only keys of this principal."`
}

type newKeyBody struct {
	Principal   string   `json:"principal" minLength:"1" maxLength:"64" doc:"Whose key it is; a registered principal."`
	Name        string   `json:"name,omitempty" maxLength:"100" doc:"What it is for."`
	Permissions []string `json:"permissions,omitempty" nullable:"false" maxItems:"5" doc:"What it allows: some of memory:read, memory:propose, memory:operate, review:read and review:decide. Left out, all that its principal may."`
	ExpiresIn   int      `json:"expires_in_days,omitempty" minimum:"0" maximum:"3660" doc:"Days until it ends; 0 is never."`
}

type newKeyRequest struct{ Body newKeyBody }

type newKeyAnswer struct {
	KeyRow
	Key string `json:"key" doc:"The key itself. It is shown this once and stored nowhere."`
}

type keyID struct {
	ID string `path:"id" maxLength:"64" doc:"Id of the key."`
}

type revoked struct {
	ID string `json:"id" doc:"The key that no request can use any more."`
}

// callerAnswer is who the credential is.
type callerAnswer struct {
	Principal   string   `json:"principal" doc:"The principal of the credential."`
	Tenant      string   `json:"tenant" doc:"Its tenant, to which every answer belongs."`
	Highest     string   `json:"highest" doc:"The highest origin that it may claim."`
	Permissions []string `json:"permissions" doc:"What the credential allows."`
	Scopes      []string `json:"scopes" doc:"What the principal is bound to; empty: nothing, it sees the whole tenant."`
}

func (s *service) keys(to *httpapi.API) {
	const tag = "Credentials"
	httpapi.Add(to, httpapi.Operation{
		ID: "get-caller", Method: http.MethodGet, Path: "/api/caller", Tag: tag, Summary: "Say who you are",
		Description: "The principal and the permissions of the credential.",
	}, func(ctx context.Context, _ *struct{}) (callerAnswer, error) {
		who := access.Caller(ctx)
		return callerAnswer{Principal: who.ID, Tenant: string(who.Tenant), Highest: who.Highest.String(), Permissions: names(who.Allowed()), Scopes: written(who.Scopes)}, nil
	})
	httpapi.Add(to, httpapi.Operation{
		ID: "list-keys", Method: http.MethodGet, Path: "/api/keys", Tag: tag, Summary: "List API keys",
		Description: "The tenant's keys, those that ended too. Secrets are not stored.",
	}, s.listKeys)
	httpapi.Add(to, httpapi.Operation{
		ID: "create-key", Method: http.MethodPost, Path: "/api/keys", Tag: tag, Status: http.StatusCreated, Secret: true, Summary: "Make an API key",
		Description: "The answer has the key itself, once. A caller can give only what it may itself.",
	}, s.addKey)
	httpapi.Add(to, httpapi.Operation{
		ID: "revoke-key", Method: http.MethodDelete, Path: "/api/keys/{id}", Tag: tag, Summary: "Revoke an API key",
		Description: "From now on the key is unknown.",
	}, func(ctx context.Context, in *keyID) (revoked, error) {
		if err := known(in.ID, memory.PrefixKey); err != nil {
			return revoked{}, err
		}
		return revoked{in.ID}, s.ops(ctx).RevokeKey(ctx, in.ID)
	})
}

func (s *service) listKeys(ctx context.Context, in *keysRequest) (keyList, error) {
	out := keyList{Keys: []KeyRow{}}
	if in.Principal != memory.Visible(in.Principal) {
		return out, nil // no principal has such an id
	}
	o := s.ops(ctx)
	list, err := o.Keys(ctx, in.Principal)
	if err != nil {
		return out, err
	}
	principals, err := o.Store.Principals(ctx, o.Tenant)
	if err != nil {
		return out, err
	}
	byID := map[string]memory.Principal{}
	for _, p := range principals {
		byID[p.ID] = p
	}
	for _, k := range list {
		out.Keys = append(out.Keys, s.keyRow(k, byID[k.Principal]))
	}
	return out, nil
}

func (s *service) keyRow(k memory.Key, who memory.Principal) KeyRow {
	return KeyRow{
		ID: k.ID, Principal: k.Principal, Name: k.Name, Hint: k.Hint, State: k.State(s.Now()), Permissions: names(who.Limited(k.Permissions).Allowed()),
		CreatedBy: k.CreatedBy, CreatedAt: k.CreatedAt, ExpiresAt: k.ExpiresAt, RevokedAt: k.RevokedAt, LastUsed: k.LastUsed,
	}
}

// addKey makes a key. A caller cannot give more than it has, so that a key of few
// permissions makes none of more.
func (s *service) addKey(ctx context.Context, in *newKeyRequest) (newKeyAnswer, error) {
	caller := access.Caller(ctx)
	o := s.ops(ctx)
	n := ops.NewKey{Principal: in.Body.Principal, Name: in.Body.Name, Permissions: in.Body.Permissions, ExpiresIn: time.Duration(in.Body.ExpiresIn) * 24 * time.Hour}
	who, err := s.Store.Principal(ctx, n.Principal)
	if err == nil && who.Tenant == caller.Tenant {
		if len(n.Permissions) == 0 {
			n.Permissions = names(who.Allowed())
		}
		for _, p := range n.Permissions {
			if !caller.May(memory.Permission(p)) && who.May(memory.Permission(p)) {
				return newKeyAnswer{}, &memory.Fault{Field: "permissions", Remedy: "you may not " + p + " yourself; leave it out, or ask somebody who may"}
			}
		}
	}
	k, secret, err := o.AddKey(ctx, n)
	if err != nil {
		return newKeyAnswer{}, err
	}
	return newKeyAnswer{KeyRow: s.keyRow(k, who), Key: secret}, nil
}

func names(list []memory.Permission) []string {
	out := []string{}
	for _, p := range list {
		out = append(out, string(p))
	}
	return out
}
