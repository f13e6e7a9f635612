package review

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// routes says whose questions are whose.
type routes struct {
	byScope   map[memory.Scope]string
	rest      string // who gets what nobody else has
	languages map[string]string
}

// Reviewers lists who gets digests in this tenant, by name: the registered ones,
// and who gets what none of them has, which is fallback where nobody is
// registered for it.
func Reviewers(ctx context.Context, s store.Reader, tenant memory.Tenant, fallback string) ([]string, error) {
	r, err := readRoutes(ctx, s, tenant, fallback)
	if err != nil {
		return nil, err
	}
	list := slices.AppendSeq([]string{r.rest}, maps.Values(r.byScope))
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.DeleteFunc(list, func(who string) bool { return who == "" }), nil
}

func (m *Mail) route(ctx context.Context) (routes, error) {
	return readRoutes(ctx, m.Store, m.Tenant, m.Config.Reviewer)
}

func readRoutes(ctx context.Context, s store.Reader, tenant memory.Tenant, fallback string) (routes, error) {
	list, err := s.Reviewers(ctx, tenant)
	if err != nil {
		return routes{}, err
	}
	r := routes{byScope: map[memory.Scope]string{}, rest: fallback, languages: map[string]string{}}
	for _, v := range list {
		if v.Scope == "" {
			r.rest = v.Principal
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
	return r.rest
}

func (r routes) language(who, fallback string) string { return cmp.Or(r.languages[who], fallback) }
