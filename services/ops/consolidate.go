package ops

import (
	"context"
	"errors"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/consolidation/trigger"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Consolidation is a run that a person asks for.
type Consolidation struct {
	Scope   memory.Scope
	Options memory.RunOptions // Force: whatever the window says
}

// ErrNotNeeded means that a run was not asked for, because the last one is too recent or
// one is under way. The message says which and what to do.
var ErrNotNeeded = errors.New("no run is needed")

// Consolidate asks for a run of a scope and returns it as it was requested. The
// consolidation worker takes it from there; [Ops.AwaitRun] waits for its end.
func (o *Ops) Consolidate(ctx context.Context, want Consolidation) (memory.Run, error) {
	asker := o.asker()
	f, err := asker.Facts(ctx, o.Tenant, want.Scope, memory.RunSimilar, 0)
	if err != nil {
		return memory.Run{}, err
	}
	// A dry run changes nothing, so no window keeps it out (S4.59).
	if due := o.Consolidation.Due(f); !due.Needed && !want.Options.DryRun && (f.Running || !want.Options.Force) {
		return memory.Run{}, fmt.Errorf("%w: %s", ErrNotNeeded, due.Reason)
	}
	run, set := asker.Ask(trigger.Wanted{
		Tenant: o.Tenant, Scope: want.Scope, Strategy: memory.RunSimilar, Trigger: memory.TriggerPerson,
		Options: o.Consolidation.Options(want.Options), Principal: o.Person, Last: f.Last,
	})
	if _, err := o.Store.Commit(ctx, o.Tenant, set, store.InboxKey{}); err != nil {
		if errors.Is(err, store.ErrConflict) {
			return memory.Run{}, fmt.Errorf("%w: another run of %s has just begun", ErrNotNeeded, want.Scope)
		}
		return memory.Run{}, fmt.Errorf("ask for a run: %w", err)
	}
	return run, nil
}

// AwaitRun returns a run when it has ended, or as it is when ctx ends. seen gets how
// many of how many steps are done.
func (o *Ops) AwaitRun(ctx context.Context, id string, seen func(done, steps int)) (memory.Run, error) {
	return o.asker().Await(ctx, o.Tenant, id, func(p trigger.Progress) {
		if seen != nil {
			seen(p.Done, p.Steps)
		}
	})
}

// ConsolidationStatus returns what there is to say about a scope (S0.67).
func (o *Ops) ConsolidationStatus(ctx context.Context, scope memory.Scope) (trigger.Status, error) {
	provider, err := trigger.ProviderOf(ctx, o.Truth, o.Tenant)
	if err != nil {
		return trigger.Status{}, err
	}
	return o.asker().Status(ctx, o.Tenant, scope, provider)
}

// ConsolidationHistory lists the runs of a scope, or of all scopes when it is empty,
// newest first (S0.62).
func (o *Ops) ConsolidationHistory(ctx context.Context, scope memory.Scope, limit int) ([]memory.Run, error) {
	return o.Store.Runs(ctx, o.Tenant, store.RunQuery{Scope: scope, Newest: true, Limit: limit})
}

// Projects lists the projects with memories, by id.
func (o *Ops) Projects(ctx context.Context) ([]memory.Scope, error) {
	list, err := o.Store.Scopes(ctx, o.Tenant)
	if err != nil {
		return nil, err
	}
	var projects []memory.Scope
	for _, s := range list {
		if s.Scope.Kind() == memory.ScopeProject && s.Active > 0 {
			projects = append(projects, s.Scope)
		}
	}
	return projects, nil
}

func (o *Ops) asker() *trigger.Asker {
	return &trigger.Asker{Runs: o.Store, Config: o.Consolidation, Now: o.Now, NewID: o.NewID}
}
