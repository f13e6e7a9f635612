package ops

import (
	"context"
	"errors"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/consolidation/trigger"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/store"
)

// ConsolidationOf names the scopes of a run that a person asks for, and its options.
type ConsolidationOf struct {
	Project, User string // at most one; neither means every project
	DryRun, Force bool
	Threshold     float64 // cosine; 0 is the calibrated point
	MaxClusters   int     // 0 is no limit, as for MaxMemories
	MaxMemories   int
}

// ErrNotNeeded means that a run was not asked for, because the last one is too recent or
// one is under way. The message says which and what to do.
var ErrNotNeeded = errors.New("no run is needed")

// ConsolidationScopes returns the scopes that of names: one, or all projects with
// memories.
func (o *Ops) ConsolidationScopes(ctx context.Context, of ConsolidationOf) ([]memory.Scope, error) {
	name := ""
	switch {
	case of.User != "":
		name = string(memory.ScopeUser) + ":" + of.User
	case of.Project != "":
		id := of.Project
		if remote, err := trace.ProjectOfRemote(id); err == nil {
			id = remote
		}
		name = string(memory.ScopeProject) + ":" + id
	}
	if name != "" {
		scope, err := memory.ParseScope(name)
		if err != nil {
			return nil, err
		}
		return []memory.Scope{scope}, nil
	}
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

// Consolidate asks for a run of a scope and returns it as it was requested. The
// consolidation worker takes it from there; [Ops.AwaitRun] waits for its end.
func (o *Ops) Consolidate(ctx context.Context, scope memory.Scope, of ConsolidationOf) (memory.Run, error) {
	asker := o.asker()
	f, err := asker.Facts(ctx, o.Tenant, scope, memory.RunSimilar, 0)
	if err != nil {
		return memory.Run{}, err
	}
	// A dry run changes nothing, so no window keeps it out (S4.59).
	if due := o.Consolidation.Due(f); !due.Needed && !of.DryRun && (f.Running || !of.Force) {
		return memory.Run{}, fmt.Errorf("%w: %s", ErrNotNeeded, due.Reason)
	}
	run, set := asker.Ask(trigger.Wanted{
		Tenant: o.Tenant, Scope: scope, Strategy: memory.RunSimilar, Trigger: memory.TriggerPerson, Principal: o.Person, Last: f.Last,
		Options: o.Consolidation.Options(memory.RunOptions{
			Threshold: of.Threshold, DryRun: of.DryRun, Force: of.Force, MaxClusters: of.MaxClusters, MaxMemories: of.MaxMemories,
		}),
	})
	if _, err := o.Store.Commit(ctx, o.Tenant, set, store.InboxKey{}); err != nil {
		if errors.Is(err, store.ErrConflict) {
			return memory.Run{}, fmt.Errorf("%w: another run of %s has just begun", ErrNotNeeded, scope)
		}
		return memory.Run{}, fmt.Errorf("ask for a run: %w", err)
	}
	return run, nil
}

// AwaitRun returns a run when it has ended, or as it is when ctx ends. seen gets how
// many of how many steps are done; none are known before the run is planned.
func (o *Ops) AwaitRun(ctx context.Context, id string, seen func(done, steps int)) (memory.Run, error) {
	return o.asker().Await(ctx, o.Tenant, id, func(p trigger.Progress) {
		if seen != nil {
			seen(p.Done, p.Steps)
		}
	})
}

// ConsolidationStatus returns what there is to say about each scope (S0.67).
func (o *Ops) ConsolidationStatus(ctx context.Context, of ConsolidationOf) ([]trigger.Status, error) {
	provider, err := trigger.ProviderOf(ctx, o.Truth, o.Tenant)
	if err != nil {
		return nil, err
	}
	scopes, err := o.ConsolidationScopes(ctx, of)
	if err != nil {
		return nil, err
	}
	var list []trigger.Status
	for _, scope := range scopes {
		s, err := o.asker().Status(ctx, o.Tenant, scope, provider)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// ConsolidationHistory lists the runs of a scope, or of all scopes when none is named,
// newest first (S0.62).
func (o *Ops) ConsolidationHistory(ctx context.Context, of ConsolidationOf, limit int) ([]memory.Run, error) {
	q := store.RunQuery{Newest: true, Limit: limit}
	if of.Project != "" || of.User != "" {
		scopes, err := o.ConsolidationScopes(ctx, of)
		if err != nil {
			return nil, err
		}
		q.Scope = scopes[0]
	}
	return o.Store.Runs(ctx, o.Tenant, q)
}

func (o *Ops) asker() *trigger.Asker {
	return &trigger.Asker{Runs: o.Store, Config: o.Consolidation, Now: o.Now, NewID: o.NewID}
}
