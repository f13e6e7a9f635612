package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// PolicyVersion is one version of a triage policy.
type PolicyVersion struct {
	Name        string   `json:"name"`
	Version     string   `json:"version"` // hash of the text; decisions refer to it
	Description string   `json:"description"`
	Shipped     bool     `json:"shipped"`  // with this binary
	Stored      bool     `json:"stored"`   // stored by an activation or a decision
	InForce     []string `json:"in_force"` // kinds of scope
	Text        string   `json:"text,omitempty"`
}

// policyKinds lists the kinds of scope. Each kind has one policy in force.
var policyKinds = []memory.ScopeKind{memory.ScopeUser, memory.ScopeProject, memory.ScopeTeam, memory.ScopeOrg}

// Policies lists every version that ships with this binary or is stored, shipped
// ones first. configured is the setting policies.*, which applies to kinds
// without an activated policy.
func (o *Ops) Policies(ctx context.Context, configured map[string]string) ([]PolicyVersion, error) {
	stored, err := o.Store.Policies(ctx, o.Tenant)
	if err != nil {
		return nil, fmt.Errorf("list policies: %w", err)
	}
	registry, err := o.Store.Registry(ctx, o.Tenant)
	if err != nil {
		return nil, fmt.Errorf("list policies: %w", err)
	}
	var list []PolicyVersion
	for _, name := range judge.PolicyNames() {
		p, text, err := judge.ShippedPolicy(name)
		if err != nil {
			return nil, fmt.Errorf("list policies: %w", err)
		}
		list = append(list, PolicyVersion{Name: p.Name, Version: p.Version(), Description: p.Description, Shipped: true, InForce: []string{}, Text: text})
	}
	for _, row := range stored {
		at := slices.IndexFunc(list, func(v PolicyVersion) bool { return v.Name == row.Name && v.Version == row.Version })
		if at < 0 {
			at = len(list)
			list = append(list, PolicyVersion{Name: row.Name, Version: row.Version, Description: described(row.Text), InForce: []string{}, Text: row.Text})
		}
		list[at].Stored = true
	}
	for _, kind := range policyKinds {
		name, version, err := inForce(kind, registry, configured)
		if err != nil {
			return nil, fmt.Errorf("list policies: %w", err)
		}
		for i := range list {
			if list[i].Name == name && list[i].Version == version {
				list[i].InForce = append(list[i].InForce, string(kind))
			}
		}
	}
	return list, nil
}

// described returns the description in a stored policy. A policy of an older
// binary may name rules that this binary lacks, and is described too.
func described(text string) string {
	p, _ := judge.ParsePolicy([]byte(text))
	if p == nil {
		return ""
	}
	return p.Description
}

// inForce chooses a policy like triage: the activated one, else the configured
// one, else the default of the kind.
func inForce(kind memory.ScopeKind, registry store.Registry, configured map[string]string) (name, version string, err error) {
	if row, ok := registry.Policies[kind]; ok {
		return row.Name, row.Version, nil
	}
	name = configured[string(kind)]
	if name == "" {
		name = judge.DefaultPolicyName(kind)
	}
	p, _, err := judge.ShippedPolicy(name)
	if err != nil {
		return "", "", fmt.Errorf("policies.%s: %w", kind, err)
	}
	return p.Name, p.Version(), nil
}

// FindPolicy returns the version with the reference NAME@VERSION, where a prefix
// of the version suffices, or NAME. NAME alone is the version in force, else the
// shipped one, else the only one. The error is store.ErrNotFound, or lists the
// matching versions.
func FindPolicy(list []PolicyVersion, ref string) (PolicyVersion, error) {
	name, version, exact := strings.Cut(ref, "@")
	var found []PolicyVersion
	for _, p := range list {
		if p.Name == name && strings.HasPrefix(p.Version, version) {
			found = append(found, p)
		}
	}
	if !exact {
		for _, better := range []func(PolicyVersion) bool{
			func(p PolicyVersion) bool { return len(p.InForce) > 0 },
			func(p PolicyVersion) bool { return p.Shipped },
		} {
			if some := filterVersions(found, better); len(some) > 0 {
				found = some
				break
			}
		}
	}
	switch len(found) {
	case 0:
		return PolicyVersion{}, fmt.Errorf("policy %s: %w; winnow policy list shows those that are there", ref, store.ErrNotFound)
	case 1:
		return found[0], nil
	}
	var names []string
	for _, p := range found {
		names = append(names, p.Name+"@"+p.Version)
	}
	return PolicyVersion{}, fmt.Errorf("policy %s is any of %s; say which", ref, strings.Join(names, ", "))
}

func filterVersions(list []PolicyVersion, keep func(PolicyVersion) bool) []PolicyVersion {
	return slices.DeleteFunc(slices.Clone(list), func(p PolicyVersion) bool { return !keep(p) })
}

// Activated is the result of [Ops.ActivatePolicy].
type Activated struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	For     string `json:"for"`
	Before  string `json:"before,omitempty"` // name@version that was in force
	Changed bool   `json:"changed"`
}

// ErrPolicy is wrapped by every error of a policy that cannot be used.
var ErrPolicy = judge.ErrPolicy

// ActivatePolicy puts a policy in force for a kind of scope. The text is stored
// as a version, and triage uses the version from its next batch on. The error of
// an invalid text is ErrPolicy with every problem. A policy that is already in
// force is not changed.
func (o *Ops) ActivatePolicy(ctx context.Context, text []byte, scopes string, configured map[string]string) (Activated, error) {
	kind := memory.ScopeKind(scopes)
	if !slices.Contains(policyKinds, kind) {
		return Activated{}, fmt.Errorf("%w: %q is no kind of scope; use user, project, team or org", ErrPolicy, kind)
	}
	p, err := usable(text)
	if err != nil {
		return Activated{}, err
	}
	registry, err := o.Store.Registry(ctx, o.Tenant)
	if err != nil {
		return Activated{}, fmt.Errorf("activate policy: %w", err)
	}
	done := Activated{Name: p.Name, Version: p.Version(), For: string(kind)}
	if name, version, err := inForce(kind, registry, configured); err == nil {
		done.Before = name + "@" + version
	}
	row, chosen := registry.Policies[kind]
	if chosen && row.Name == p.Name && row.Version == p.Version() {
		return done, nil
	}
	e := o.effect()
	e.Set.Policies = []change.Policy{{Name: p.Name, Version: p.Version(), Text: p.Text(), ScopeKind: kind}}
	e.Audit("policy.activated", p.Name, map[string]string{"version": p.Version(), "for": string(kind), "before": done.Before})
	if _, err := o.Store.Commit(ctx, o.Tenant, e.Set, store.InboxKey{}); err != nil {
		return Activated{}, fmt.Errorf("activate policy: %w", err)
	}
	done.Changed = true
	return done, nil
}

// usable parses a policy for deciding. The requirements are stricter than for
// comparing or replaying a policy.
func usable(text []byte) (*judge.Policy, error) {
	p, err := judge.ParsePolicy(text)
	if p == nil {
		return nil, err
	}
	var more []error
	if p.Literal {
		more = append(more, errors.New("literal: one changed digit would count as a duplicate; for backtests only"))
	}
	if p.Shadow {
		more = append(more, errors.New("shadow: what is in force cannot be without effect"))
	}
	if len(p.Rules) == 0 {
		more = append(more, errors.New("rules: want at least one"))
	}
	if err == nil && len(more) > 0 {
		return nil, fmt.Errorf("%w: %w", ErrPolicy, errors.Join(more...))
	}
	return p, errors.Join(append([]error{err}, more...)...)
}
