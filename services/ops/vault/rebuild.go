package vault

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile/projection"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/vault"
	"github.com/winnowhq/winnow/services/ops"
)

// Rebuilt is the result of a rebuild.
type Rebuilt struct {
	Written int      `json:"written"` // scopes whose files changed
	Same    int      `json:"same"`    // scopes with current files
	Failed  []Failed `json:"failed"`
}

// Failed is a scope that was not changed, with the reason.
type Failed struct {
	Scope   string `json:"scope"`
	Problem string `json:"problem"`
}

// errLeaseLost says that the projector may be writing again.
var errLeaseLost = errors.New("the lease on the vault is lost; run it again")

// Rebuild renders every scope, or the scope only, from the store, in place of
// the projector. The vault's folder may be empty. Unread hand edits are
// preserved, their scope is in Failed, and the error is ErrPartial. Rebuild
// calls step before each scope.
func (v *Ops) Rebuild(ctx context.Context, only string, step func(done, of int)) (Rebuilt, error) {
	out := Rebuilt{Failed: []Failed{}}
	scopes, err := v.scopes(ctx)
	if err != nil {
		return out, fmt.Errorf("vault rebuild: %w", err)
	}
	if only != "" {
		if !slices.Contains(scopes, memory.Scope(only)) {
			return out, fmt.Errorf("vault rebuild: scope %s: %w", only, store.ErrNotFound)
		}
		scopes = []memory.Scope{memory.Scope(only)}
	}
	lease, err := v.store.Lease(ctx, projection.LeaseName(v.tenant))
	if err != nil {
		return out, fmt.Errorf("vault rebuild: %w", err)
	}
	defer lease.Release()
	w, err := v.vault.Lock(ctx)
	if err != nil {
		return out, fmt.Errorf("vault rebuild: %w", err)
	}
	for i, scope := range scopes {
		step(i, len(scopes))
		written, err := v.rebuild(ctx, w, lease, scope)
		switch {
		case ctx.Err() != nil, errors.Is(err, errLeaseLost):
			return out, errors.Join(fmt.Errorf("vault rebuild: %w", err), w.Unlock())
		case err != nil:
			out.Failed = append(out.Failed, Failed{string(scope), err.Error()})
		case written:
			out.Written++
		default:
			out.Same++
		}
	}
	err = w.Unlock()
	if len(out.Failed) > 0 {
		err = errors.Join(err, fmt.Errorf("%w: %d of %d scopes are as they were", ops.ErrPartial, len(out.Failed), len(scopes)))
	}
	return out, err
}

// Restart rebuilds all scopes and then leaves nothing of the history but the files as they
// are now, so that what a person had forgotten is gone from the repository too. Unread hand
// edits keep it from that; the error is then ErrPartial, or vault.ErrDirty.
func (v *Ops) Restart(ctx context.Context, step func(done, of int)) (Rebuilt, error) {
	out, err := v.Rebuild(ctx, "", step)
	if err != nil {
		return out, err
	}
	lease, err := v.store.Lease(ctx, projection.LeaseName(v.tenant))
	if err != nil {
		return out, fmt.Errorf("vault restart: %w", err)
	}
	defer lease.Release()
	w, err := v.vault.Lock(ctx)
	if err != nil {
		return out, fmt.Errorf("vault restart: %w", err)
	}
	return out, errors.Join(w.Restart(), w.Unlock())
}

func (v *Ops) rebuild(ctx context.Context, w vault.Writer, lease store.Lease, scope memory.Scope) (written bool, err error) {
	edits, err := w.HandEdits(v.now(), scope)
	if err != nil {
		return false, err
	}
	for _, e := range edits {
		if e.Err != nil || e.After != nil {
			return false, fmt.Errorf("%w in %s: the index worker reads them; is it running? (winnow status)", vault.ErrDirty, e.File)
		}
		// A missing file is not a hand edit here: a rebuild replaces lost files.
	}
	if err := v.untilNext(ctx, scope); err != nil {
		return false, err
	}
	r, err := projection.Render(ctx, v.store, v.vault, v.tenant, scope, v.layout)
	if err != nil {
		return false, err
	}
	select {
	case <-lease.Lost():
		return false, errLeaseLost
	default:
	}
	r.Change.At = v.now()
	_, written, err = w.Commit(r.Change)
	return written, err
}

// untilNext waits so that a scope has at most one commit in a second, like the
// projector.
func (v *Ops) untilNext(ctx context.Context, scope memory.Scope) error {
	_, at, ok, err := v.vault.Last(scope)
	rest := time.Second - v.now().Sub(at)
	if err != nil || !ok || rest <= 0 {
		return err
	}
	t := time.NewTimer(min(rest, time.Second))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
