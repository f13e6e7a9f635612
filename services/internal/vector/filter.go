package vector

import (
	"fmt"
	"slices"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Filter says which documents a search may return. It has no exported fields: only
// [Within] and [Everywhere] make one, so that a search without a tenant cannot be
// written. Every driver refuses the zero value with ErrNoTenant. A Filter is a value
// and safe to share.
type Filter struct {
	tenant   memory.Tenant
	every    bool // all scopes
	scopes   []memory.Scope
	kinds    []memory.Kind
	states   []State
	outcomes []string
	except   []string
}

// Within returns a filter on the given scopes of one tenant. Without a scope it is
// refused: the caller names the cascade of scopes (D25).
func Within(tenant memory.Tenant, scopes ...memory.Scope) Filter {
	return Filter{tenant: tenant, scopes: slices.Clone(scopes)}
}

// Everywhere returns a filter on all scopes of one tenant. It is for operators and
// rebuilds, not for agents' searches.
func Everywhere(tenant memory.Tenant) Filter {
	return Filter{tenant: tenant, every: true}
}

// Kinds narrows the filter to these kinds; none means all.
func (f Filter) Kinds(kinds ...memory.Kind) Filter {
	f.kinds = slices.Clone(kinds)
	return f
}

// States narrows the filter to these states; none means all. Tombstones never pass.
func (f Filter) States(states ...State) Filter {
	f.states = slices.Clone(states)
	return f
}

// Outcomes narrows the filter to these outcomes; none means all, and "" means documents
// without one.
func (f Filter) Outcomes(outcomes ...string) Filter {
	f.outcomes = slices.Clone(outcomes)
	return f
}

// Except excludes single documents, such as the one that is compared.
func (f Filter) Except(ids ...string) Filter {
	f.except = slices.Clone(ids)
	return f
}

// Check returns ErrNoTenant unless the filter has a tenant and scopes, and ErrInvalid
// for a malformed id in Except. Drivers call it first.
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

// Tenant returns the only tenant that passes.
func (f Filter) Tenant() memory.Tenant { return f.tenant }

// Scopes returns the scopes that pass, nil for all of the tenant.
func (f Filter) Scopes() []memory.Scope { return f.scopes }

// OnlyKinds returns the kinds that pass, nil for all.
func (f Filter) OnlyKinds() []memory.Kind { return f.kinds }

// OnlyStates returns the states that pass, nil for all.
func (f Filter) OnlyStates() []State { return f.states }

// OnlyOutcomes returns the outcomes that pass, nil for all.
func (f Filter) OnlyOutcomes() []string { return f.outcomes }

// Excepted returns the excluded ids.
func (f Filter) Excepted() []string { return f.except }

// Sees reports whether a document with these traits passes, apart from Except. It
// defines the meaning of a filter; drivers may compute the same faster.
func (f Filter) Sees(tenant memory.Tenant, scope memory.Scope, kind memory.Kind, state State, outcome string) bool {
	return f.tenant != "" && f.tenant == tenant &&
		(f.every || slices.Contains(f.scopes, scope)) &&
		(len(f.kinds) == 0 || slices.Contains(f.kinds, kind)) &&
		(len(f.states) == 0 || slices.Contains(f.states, state)) &&
		(len(f.outcomes) == 0 || slices.Contains(f.outcomes, outcome))
}
