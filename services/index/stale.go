package index

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vault"
)

// stale schedules every scope that the vault shows in another version than the store's:
// the store has a newer one, or a person moved the branch back.
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
			at := scopeKey{tenant, scope}
			known, ok := p.rendered[at]
			if !ok || known.version != version || p.movedBack(at, known) {
				p.waiting[at] = time.Time{}
			}
		}
	}
	return nil
}

// movedBack reports whether a scope's newest commit is not the one that was made last. It
// returns false for a vault that cannot be read; the round reports that.
func (p *projector) movedBack(at scopeKey, known rendered) bool {
	v, ok := p.vaults[at.tenant]
	if !ok {
		return false
	}
	last, _, _, err := v.Last(at.scope)
	return err == nil && last.Version != known.committed
}

// answered adds the scopes of a tenant in which an open question of the file may have been
// answered. There are few, so every round checks them.
func (p *projector) answered(ctx context.Context, tenant memory.Tenant, scopes map[memory.Scope]bool) error {
	var open []memory.Scope
	for at, known := range p.rendered {
		if at.tenant == tenant && known.open {
			open = append(open, at.scope)
		}
	}
	if len(open) == 0 {
		return nil
	}
	versions, err := p.Store.ScopeVersions(ctx, tenant, open...)
	for scope, version := range versions {
		if p.rendered[scopeKey{tenant, scope}].version != version {
			scopes[scope] = true
		}
	}
	return err
}

// open returns a tenant's vault, opened once.
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

// reset discards a tenant's vault after an error. The vault is then opened again, which
// creates a missing folder, and everything is rendered into it.
func (p *projector) reset(tenant memory.Tenant) {
	delete(p.vaults, tenant)
	for at := range p.rendered {
		if at.tenant == tenant {
			delete(p.rendered, at)
		}
	}
	p.reconciled = time.Time{}
}
