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
	// errLeaseLost means that another replica may be writing.
	errLeaseLost = errors.New("the lease is lost")
	// errBackoff means that a vault is not tried again yet after a failure.
	errBackoff = errors.New("resting after a failure")
)

// round renders the wanted scopes and those that people edited, of every tenant. failed
// holds the errors of single tenants' vaults; the others are rendered. err means that the
// store cannot be read.
func (p *projector) round(ctx context.Context, wanted map[scopeKey]bool) (failed map[memory.Tenant]error, err error) {
	failed = map[memory.Tenant]error{}
	tenants, err := p.Store.Tenants(ctx)
	if err != nil {
		for at := range wanted {
			p.retryLater(at)
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
		if p.Now().Before(p.retryAt[tenant]) {
			err = errBackoff
		} else if err = p.renderTenant(ctx, tenant, scopes); err != nil && ctx.Err() == nil {
			p.report(tenant, err)
			p.retryAt[tenant] = p.Now().Add(retryAfter)
		}
		if err != nil {
			failed[tenant] = err
			for s := range scopes {
				p.retryLater(scopeKey{tenant, s})
			}
		}
	}
	return failed, nil
}

// retryLater schedules a scope for rendering after retryAfter.
func (p *projector) retryLater(at scopeKey) { p.waiting[at] = p.Now().Add(retryAfter) }

// report counts a problem of a tenant's vault and logs it once; nil ends the problem.
func (p *projector) report(tenant memory.Tenant, problem error) {
	p.sayReadiness(tenant, problem)
	if problem == nil {
		if _, ill := p.reported[tenant]; ill {
			p.Log.Info("the vault is well again", zap.String(telemetry.KeyTenant, string(tenant)))
			delete(p.reported, tenant)
		}
		return
	}
	p.metrics.failed.Inc()
	if text := problem.Error(); p.reported[tenant] != text {
		p.reported[tenant] = text
		p.Log.Warn("some of a vault cannot be read or rendered", zap.String(telemetry.KeyTenant, string(tenant)), zap.Error(problem))
	}
}

var (
	errVaultFull   = errors.New("its disk is full; make room, and this worker goes on by itself")
	errVaultClosed = errors.New("it cannot be written; the log names the folder and the remedy, and this worker goes on by itself")
)

// sayReadiness makes the worker not ready for as long as it cannot write some tenant's
// vault at all. A file that a person left unreadable is theirs to mend and changes
// nothing. The reason names no tenant, because probes are answered to anybody.
func (p *projector) sayReadiness(tenant memory.Tenant, problem error) {
	switch {
	case vault.Full(problem):
		p.unwritable[tenant] = errVaultFull
	case vault.Unwritable(problem):
		p.unwritable[tenant] = errVaultClosed
	default:
		delete(p.unwritable, tenant)
	}
	var reason error
	for _, reason = range p.unwritable {
		break
	}
	p.Conditions.Set("vault", reason)
}

// renderTenant renders scopes of one tenant as the only writer of its vault: the lease
// excludes replicas, the lock excludes commands on this machine. It adds to scopes those
// that people edited. The error means that nothing of the vault can be written; problems of
// single scopes are reported here.
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
		p.reset(tenant)
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
		s := scoped{projector: p, vault: v, writer: w, lease: lease, scopeKey: scopeKey{tenant, scope}}
		err := s.project(ctx, byScope[scope])
		if ctx.Err() != nil || errors.Is(err, errLeaseLost) {
			return errors.Join(err, ctx.Err())
		}
		if err != nil {
			p.retryLater(s.scopeKey)
			problem = errors.Join(problem, fmt.Errorf("%s: %w", scope, err))
		}
	}
	p.report(tenant, problem)
	return nil
}

// checkLease returns errLeaseLost after the lease was lost.
func checkLease(l store.Lease) error {
	select {
	case <-l.Lost():
		return errLeaseLost
	default:
		return nil
	}
}
