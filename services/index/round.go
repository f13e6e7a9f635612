package index

import (
	"context"
	"errors"
	"fmt"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile/projection"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/vault"
)

var (
	// errLeaseLost says that another replica may be writing.
	errLeaseLost = errors.New("the lease is lost")
	// errResting says that a vault is left alone for a moment after a failure.
	errResting = errors.New("resting after a failure")
)

// round renders what is wanted, and what people changed by hand, of every
// tenant. Why a tenant's vault cannot be written is in failed, and does not keep
// the others from theirs. The error means that the store cannot be read.
func (p *projector) round(ctx context.Context, wanted map[place]bool) (failed map[memory.Tenant]error, err error) {
	failed = map[memory.Tenant]error{}
	tenants, err := p.Store.Tenants(ctx)
	if err != nil {
		for at := range wanted {
			p.later(at)
		}
		return failed, err
	}
	for _, tenant := range tenants {
		scopes := map[memory.Scope]bool{}
		for at := range wanted {
			if at.tenant == tenant {
				scopes[at.scope] = true
			}
		}
		if p.Now().Before(p.rested[tenant]) {
			err = errResting
		} else if err = p.renderTenant(ctx, tenant, scopes); err != nil && ctx.Err() == nil {
			p.complain(tenant, err)
			p.rested[tenant] = p.Now().Add(retryAfter)
		}
		if err != nil {
			failed[tenant] = err
			for s := range scopes {
				p.later(place{tenant, s})
			}
		}
	}
	return failed, nil
}

// later has a scope rendered after a rest.
func (p *projector) later(at place) { p.waiting[at] = p.Now().Add(retryAfter) }

// complain counts what is wrong with a tenant's vault, and says it once.
func (p *projector) complain(tenant memory.Tenant, problem error) {
	if problem == nil {
		if _, ill := p.said[tenant]; ill {
			p.Log.Info("the vault is well again", zap.String(telemetry.KeyTenant, string(tenant)))
			delete(p.said, tenant)
		}
		return
	}
	p.metrics.failed.Inc()
	if text := problem.Error(); p.said[tenant] != text {
		p.said[tenant] = text
		p.Log.Warn("some of a vault cannot be read or rendered", zap.String(telemetry.KeyTenant, string(tenant)), zap.Error(problem))
	}
}

// renderTenant renders scopes of one tenant, as the only writer of its vault: the
// lease keeps replicas apart, the lock commands on this machine. It adds to the
// scopes those that people edited. The error means that nothing of the vault can
// be written; what is wrong with single scopes is said here.
func (p *projector) renderTenant(ctx context.Context, tenant memory.Tenant, scopes map[memory.Scope]bool) (err error) {
	v, err := p.open(tenant)
	if err != nil {
		return err
	}
	lease, err := p.Store.Lease(ctx, projection.LeaseName(tenant))
	if err != nil {
		return err
	}
	defer lease.Release()
	w, err := v.Lock(ctx)
	if err != nil {
		p.forget(tenant)
		return err
	}
	defer func() { err = errors.Join(err, w.Unlock()) }()

	edits, problem := w.HandEdits(p.Now())
	byScope := map[memory.Scope][]vault.HandEdit{}
	for _, e := range edits {
		byScope[e.Scope] = append(byScope[e.Scope], e)
		scopes[e.Scope] = true
	}
	if err := p.answered(ctx, tenant, scopes); err != nil {
		return err
	}
	for scope := range scopes {
		s := scoped{projector: p, vault: v, writer: w, lease: lease, place: place{tenant, scope}}
		err := s.project(ctx, byScope[scope])
		if ctx.Err() != nil || errors.Is(err, errLeaseLost) {
			return errors.Join(err, ctx.Err())
		}
		if err != nil {
			p.later(s.place)
			problem = errors.Join(problem, fmt.Errorf("%s: %w", scope, err))
		}
	}
	p.complain(tenant, problem)
	return nil
}

// held says whether a lease still is.
func held(l store.Lease) error {
	select {
	case <-l.Lost():
		return errLeaseLost
	default:
		return nil
	}
}
