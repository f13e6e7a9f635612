package index

import (
	"context"
	"errors"
	"fmt"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/vault"
)

// round renders what is wanted, and what people changed by hand, of every
// tenant. A tenant whose vault cannot be written does not keep the others from
// theirs.
func (p *projector) round(ctx context.Context, wanted map[place]bool) error {
	tenants, err := p.Store.Tenants(ctx)
	if err != nil {
		return err
	}
	var problems []error
	for _, tenant := range tenants {
		scopes := map[memory.Scope]bool{}
		for at := range wanted {
			if at.tenant == tenant {
				scopes[at.scope] = true
			}
		}
		if err := p.renderTenant(ctx, tenant, scopes); err != nil {
			for s := range scopes {
				p.waiting[place{tenant, s}] = true
			}
			problems = append(problems, fmt.Errorf("vault of %s: %w", tenant, err))
		}
	}
	return errors.Join(problems...)
}

// renderTenant renders scopes of one tenant, as the only writer of its vault: the
// lease keeps replicas apart, the lock commands on this machine.
func (p *projector) renderTenant(ctx context.Context, tenant memory.Tenant, scopes map[memory.Scope]bool) (err error) {
	v, err := p.open(tenant)
	if err != nil {
		return err
	}
	lease, err := p.Store.Lease(ctx, LeaseName(tenant))
	if err != nil {
		return err
	}
	defer lease.Release()
	w, err := v.Lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Unlock()) }()

	// A scope that cannot be read is said and does not stop the rest.
	edits, problem := w.HandEdits(p.Now())
	byScope := map[memory.Scope][]vault.HandEdit{}
	for _, e := range edits {
		byScope[e.Scope] = append(byScope[e.Scope], e)
		scopes[e.Scope] = true
	}
	versions, err := p.versions(ctx, tenant, scopes)
	if err != nil {
		return err
	}
	for scope := range scopes {
		select {
		case <-lease.Lost():
			return errors.New("the lease is lost")
		default:
		}
		s := scoped{projector: p, vault: v, writer: w, place: place{tenant, scope}, version: versions[scope]}
		if err := s.project(ctx, byScope[scope]); err != nil {
			if ctx.Err() != nil {
				return err
			}
			p.waiting[s.place] = true
			problem = errors.Join(problem, fmt.Errorf("%s: %w", scope, err))
		}
	}
	if problem != nil {
		p.metrics.failed.Inc()
		p.Log.Warn("some of a vault could not be rendered", zap.String(telemetry.KeyTenant, string(tenant)), zap.Error(problem))
	}
	return nil
}

// versions are those of the scopes, read before their rows: what is rendered is
// then at least as new.
func (p *projector) versions(ctx context.Context, tenant memory.Tenant, scopes map[memory.Scope]bool) (map[memory.Scope]int64, error) {
	if len(scopes) == 0 {
		return nil, nil
	}
	list, err := p.Store.Scopes(ctx, tenant)
	versions := make(map[memory.Scope]int64, len(list))
	for _, s := range list {
		versions[s.Scope] = s.Version
	}
	return versions, err
}

// LeaseName is the lease under which a tenant's vault is written.
func LeaseName(tenant memory.Tenant) string { return "vault/" + string(tenant) }

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

// untilNext waits until the scope may be committed to again, which another
// replica may have done a moment ago.
func (s *scoped) untilNext(ctx context.Context) error {
	_, at, ok, err := s.vault.Last(s.scope)
	if err != nil || !ok {
		return err
	}
	pause(ctx, min(every-s.Now().Sub(at), every))
	return ctx.Err()
}

// again has the scope looked at in the next round.
func (s *scoped) again() { s.waiting[s.place] = true }
