package ops

import (
	"context"
	"fmt"
	"slices"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/recall/search"
)

// SearchRequest is a query for memories.
type SearchRequest struct {
	Query         string
	Scopes        []string // none: all of the tenant
	Kinds         []string // none: all
	Outcome       string   // success, failure or empty
	MinConfidence float64  // 0–1, inclusive
	Limit         int
	Deep          bool
	// Session is the session that shows the answer. The served memories are
	// recorded under it.
	Session string
}

// Found is the answer to a search.
type Found = recall.Answer

// DefaultMinConfidence is the minimum confidence of a search without one.
const DefaultMinConfidence = search.DefaultMinConfidence

// Search finds memories by words and meaning (SPEC §9).
func (o *Ops) Search(ctx context.Context, r SearchRequest) (Found, error) {
	q := recall.Question{
		Text: r.Query, Tenant: o.Tenant, Limit: r.Limit, Deep: r.Deep, Session: r.Session, Principal: o.Person,
		Filter: search.Filter{Outcome: r.Outcome, MinConfidence: r.MinConfidence},
	}
	for _, s := range r.Scopes {
		scope, err := memory.ParseScope(s)
		if err != nil {
			return Found{}, err
		}
		q.Scopes = append(q.Scopes, scope)
	}
	for _, k := range r.Kinds {
		kind, err := memory.ParseKind(k)
		if err != nil {
			return Found{}, err
		}
		q.Filter.Kinds = append(q.Filter.Kinds, kind)
	}
	switch r.Outcome {
	case "", "success", "failure":
	default:
		return Found{}, fmt.Errorf("outcome %q: want success or failure", r.Outcome)
	}
	if r.MinConfidence < 0 || r.MinConfidence > 1 {
		return Found{}, fmt.Errorf("min confidence %v: want 0 to 1", r.MinConfidence)
	}
	return o.Recall.Search(ctx, q)
}

// ScopeNames lists the scopes of the tenant that hold or held memories, by name.
func (o *Ops) ScopeNames(ctx context.Context) ([]string, error) {
	known, err := o.Store.ScopeNames(ctx, o.Tenant, memory.ScopeProject, memory.ScopeUser, memory.ScopeTeam, memory.ScopeOrg)
	if err != nil {
		return nil, fmt.Errorf("list scopes: %w", err)
	}
	names := make([]string, len(known))
	for i, s := range known {
		names[i] = string(s)
	}
	slices.Sort(names)
	return names, nil
}

// ScopesAbove lists what a scope belongs to, the nearest first (D25).
func (o *Ops) ScopesAbove(ctx context.Context, scope string) ([]string, error) {
	above, err := o.Store.ScopesAbove(ctx, o.Tenant, memory.Scope(scope))
	names := make([]string, len(above))
	for i, s := range above {
		names[i] = string(s)
	}
	return names, err
}
