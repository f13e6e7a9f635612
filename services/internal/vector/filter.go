package vector

import (
	"fmt"
	"slices"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Filter says which documents a search may see. It has no exported fields: the
// only ways to make one are [Within] and [Everywhere], so that a search without
// a tenant cannot be written. The zero value is refused by every driver with
// ErrNoTenant. A Filter is a value and safe to share.
type Filter struct {
	tenant   memory.Tenant
	every    bool // all scopes
	scopes   []memory.Scope
	kinds    []memory.Kind
	states   []State
	outcomes []string
	except   []string
}

// Within sees the given scopes of one tenant. With no scope it sees nothing and
// is refused: the cascade of scopes is the caller's to name (D25).
func Within(tenant memory.Tenant, scopes ...memory.Scope) Filter {
	return Filter{tenant: tenant, scopes: slices.Clone(scopes)}
}

// Everywhere sees every scope of one tenant. It is for operators and rebuilds,
// not for what agents ask.
func Everywhere(tenant memory.Tenant) Filter {
	return Filter{tenant: tenant, every: true}
}

// Kinds narrows the filter to these kinds; none means all.
func (f Filter) Kinds(kinds ...memory.Kind) Filter {
	f.kinds = slices.Clone(kinds)
	return f
}

// States narrows the filter to these states; none means all. Tombstones are
// never seen.
func (f Filter) States(states ...State) Filter {
	f.states = slices.Clone(states)
	return f
}

// Outcomes narrows the filter to these outcomes; none means all, and "" those
// without one.
func (f Filter) Outcomes(outcomes ...string) Filter {
	f.outcomes = slices.Clone(outcomes)
	return f
}

// Except leaves out single documents, such as the one that is compared.
func (f Filter) Except(ids ...string) Filter {
	f.except = slices.Clone(ids)
	return f
}

// Check returns ErrNoTenant unless the filter is bound to a tenant and to
// scopes, and ErrInvalid for an excepted id that is none. Drivers call it first.
func (f Filter) Check() error {
	if f.tenant == "" || !f.every && len(f.scopes) == 0 {
		return ErrNoTenant
	}
	for _, id := range f.except {
		if _, err := PointOf(id); err != nil {
			return fmt.Errorf("except: %w", err)
		}
	}
	return nil
}

// Tenant is the only tenant that the filter sees.
func (f Filter) Tenant() memory.Tenant { return f.tenant }

// Scopes are the scopes seen, nil for all of the tenant.
func (f Filter) Scopes() []memory.Scope { return f.scopes }

// OnlyKinds are the kinds seen, nil for all.
func (f Filter) OnlyKinds() []memory.Kind { return f.kinds }

// OnlyStates are the states seen, nil for all.
func (f Filter) OnlyStates() []State { return f.states }

// OnlyOutcomes are the outcomes seen, nil for all.
func (f Filter) OnlyOutcomes() []string { return f.outcomes }

// Excepted are the ids left out.
func (f Filter) Excepted() []string { return f.except }

// Sees says whether a document of this kind is seen, whatever its id. It is the
// meaning of a filter; drivers may find the same answer faster.
func (f Filter) Sees(tenant memory.Tenant, scope memory.Scope, kind memory.Kind, state State, outcome string) bool {
	return f.tenant != "" && f.tenant == tenant &&
		(f.every || slices.Contains(f.scopes, scope)) &&
		(len(f.kinds) == 0 || slices.Contains(f.kinds, kind)) &&
		(len(f.states) == 0 || slices.Contains(f.states, state)) &&
		(len(f.outcomes) == 0 || slices.Contains(f.outcomes, outcome))
}
