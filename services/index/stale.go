package index

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vault"
)

// stale adds to what waits every scope that the vault does not show as it is:
// the store moved on, or somebody moved the branch back.
func (p *projector) stale(ctx context.Context) error {
	tenants, err := p.Store.Tenants(ctx)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		versions, err := p.Store.ScopeVersions(ctx, tenant)
		if err != nil {
			return err
		}
		for scope, version := range versions {
			at := place{tenant, scope}
			known, ok := p.shown[at]
			if !ok || known.version != version || p.movedBack(at, known) {
				p.waiting[at] = time.Time{}
			}
		}
	}
	return nil
}

// movedBack reports that a scope's newest commit is not the one that was made
// last. A vault that cannot be read is for the round to complain about.
func (p *projector) movedBack(at place, known shown) bool {
	v, ok := p.vaults[at.tenant]
	if !ok {
		return false
	}
	last, _, _, err := v.Last(at.scope)
	return err == nil && last.Version != known.committed
}

// answered adds the scopes of a tenant in which a question that the file shows
// may have been answered. There are few of them, so it is asked every round.
func (p *projector) answered(ctx context.Context, tenant memory.Tenant, scopes map[memory.Scope]bool) error {
	var open []memory.Scope
	for at, known := range p.shown {
		if at.tenant == tenant && known.open {
			open = append(open, at.scope)
		}
	}
	if len(open) == 0 {
		return nil
	}
	versions, err := p.Store.ScopeVersions(ctx, tenant, open...)
	for scope, version := range versions {
		if p.shown[place{tenant, scope}].version != version {
			scopes[scope] = true
		}
	}
	return err
}

// open opens a tenant's vault, once.
func (p *projector) open(tenant memory.Tenant) (vault.Vault, error) {
	if v, ok := p.vaults[tenant]; ok {
		return v, nil
	}
	v, err := p.Vault(tenant)
	if err == nil {
		p.vaults[tenant] = v
	}
	return v, err
}

// forget is for a vault that is not what it was: it is opened anew, which makes
// it where the folder is gone, and everything is rendered into it.
func (p *projector) forget(tenant memory.Tenant) {
	delete(p.vaults, tenant)
	for at := range p.shown {
		if at.tenant == tenant {
			delete(p.shown, at)
		}
	}
	p.reconciled = time.Time{}
}
