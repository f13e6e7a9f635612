package triage

import (
	"fmt"
	"sync"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// policies returns the policy of a kind of scope. Safe for concurrent use.
type policies struct {
	chosen map[memory.ScopeKind]*judge.Policy // by configuration

	mu     sync.Mutex
	parsed map[string]*judge.Policy // policies from the store, by version
}

func newPolicies(names map[memory.ScopeKind]string) (*policies, error) {
	p := &policies{chosen: make(map[memory.ScopeKind]*judge.Policy), parsed: make(map[string]*judge.Policy)}
	for _, kind := range []memory.ScopeKind{memory.ScopeUser, memory.ScopeProject, memory.ScopeTeam, memory.ScopeOrg} {
		name := names[kind]
		if name == "" {
			name = judge.DefaultPolicyName(kind)
		}
		policy, _, err := judge.ShippedPolicy(name)
		if err != nil {
			return nil, fmt.Errorf("policy for %s scopes: %w", kind, err)
		}
		p.chosen[kind] = policy
	}
	return p, nil
}

// of returns the policy in force: the one activated in the store, else the configured
// one.
func (p *policies) of(kind memory.ScopeKind, stored map[memory.ScopeKind]change.Policy) (*judge.Policy, error) {
	row, ok := stored[kind]
	if !ok {
		return p.chosen[kind], nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if policy := p.parsed[row.Version]; policy != nil {
		return policy, nil
	}
	policy, err := judge.ParsePolicy([]byte(row.Text))
	if err != nil {
		return nil, fmt.Errorf("stored policy %s %s: %w", row.Name, row.Version, err)
	}
	p.parsed[row.Version] = policy
	return policy, nil
}
