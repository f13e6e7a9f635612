package review

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// routes maps scopes to the reviewers of their questions.
type routes struct {
	byScope   map[memory.Scope]string
	fallback  string // reviewer of all other scopes
	languages map[string]string
}

// Reviewers lists the people who get digests in this tenant, by name: the registered
// reviewers, and the one for all other scopes, which is fallback where none is
// registered for it.
func Reviewers(ctx context.Context, s store.Reader, tenant memory.Tenant, fallback string) ([]string, error) {
	r, err := readRoutes(ctx, s, tenant, fallback)
	if err != nil {
		return nil, err
	}
	list := slices.AppendSeq([]string{r.fallback}, maps.Values(r.byScope))
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.DeleteFunc(list, func(who string) bool { return who == "" }), nil
}

func (m *Composer) route(ctx context.Context) (routes, error) {
	return readRoutes(ctx, m.Store, m.Tenant, m.Config.Reviewer)
}

func readRoutes(ctx context.Context, s store.Reader, tenant memory.Tenant, fallback string) (routes, error) {
	list, err := s.Reviewers(ctx, tenant)
	if err != nil {
		return routes{}, err
	}
	r := routes{byScope: map[memory.Scope]string{}, fallback: fallback, languages: map[string]string{}}
	for _, v := range list {
		if v.Scope == "" {
			r.fallback = v.Principal
		} else {
			r.byScope[v.Scope] = v.Principal
		}
		r.languages[v.Principal] = cmp.Or(r.languages[v.Principal], v.Language)
	}
	return r, nil
}

func (r routes) reviewer(s memory.Scope) string {
	if who, ok := r.byScope[s]; ok {
		return who
	}
	return r.fallback
}

func (r routes) language(who, fallback string) string { return cmp.Or(r.languages[who], fallback) }
