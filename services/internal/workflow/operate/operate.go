package operate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/workflow"
)

// Store is what workflows are read from and committed to.
type Store interface {
	store.Committer
	store.Workflows
}

// Workflows carries out operations. It is safe for concurrent use.
type Workflows struct {
	Store Store
	// Redact returns a text in the form that may be stored.
	Redact func(tenant memory.Tenant, text string) string
	Now    func() time.Time
	NewID  func(prefix string) string
}

// Caller is who asks. The tenant and the principal come from the credential.
type Caller struct {
	Tenant    memory.Tenant
	Principal string
	Actor     memory.Actor // person for a command, system for an agent or a service
}

// Named names a workflow: by its id, or the active one of the project.
type Named struct {
	// Project restricts an id to workflows of this project. Empty with an id: any
	// project of the tenant.
	Project memory.Scope
	ID      string
	// Within reports whether the caller may use the workflows of a project; nil allows
	// every one. A workflow outside is unknown.
	Within func(memory.Scope) bool
}

const (
	// members is how many memories are read for a summary or a context, the newest.
	members = 200
	// tries bounds how often an operation is decided again.
	tries = 20
)

// Begun is the result of [Workflows.Start].
type Begun struct {
	memory.Workflow
	// Paused is the id of a workflow that had been left long ago and was paused to make
	// room; empty when there was none.
	Paused string
}

// Start begins a workflow. With another one active the error is workflow.ErrActive,
// for all but one of any number of concurrent callers.
func (o *Workflows) Start(ctx context.Context, c Caller, project memory.Scope, name, description string) (Begun, error) {
	name, description = o.Redact(c.Tenant, name), o.Redact(c.Tenant, description)
	var b Begun
	err := o.repeat(ctx, c, func(s workflow.Stamp) (change.Set, error) {
		b = Begun{}
		active, err := o.Store.ActiveWorkflow(ctx, c.Tenant, project, 1)
		if err != nil {
			return change.Set{}, err
		}
		var set change.Set
		if active.ID != "" {
			if !workflow.Stale(active.Workflow, active.Memories, s.Now) {
				return change.Set{}, already(active.Workflow, "starting a new one")
			}
			if _, set, err = workflow.Pause(s, active.Workflow); err != nil {
				return change.Set{}, err
			}
			b.Paused = active.ID
		}
		begun, more, err := workflow.Begin(s, project, name, description)
		b.Workflow = begun
		set.Append(more)
		return set, err
	})
	return b, err
}

// already is the seed's rejection (S0.23, S0.31).
func already(active memory.Workflow, before string) error {
	return fmt.Errorf("%w: %s, since %s. Pause or complete it before %s",
		workflow.ErrActive, active.ID, active.CreatedAt.UTC().Format("2006-01-02 15:04 MST"), before)
}

// Complete ends a workflow with a summary of its memories. A completed one is returned
// as it is.
func (o *Workflows) Complete(ctx context.Context, c Caller, n Named) (store.Thread, error) {
	return o.change(ctx, c, n, members, func(s workflow.Stamp, t store.Thread) (memory.Workflow, change.Set, error) {
		return workflow.Complete(s, t.Workflow, t.Memories)
	})
}

// Pause pauses a workflow, so that another one can start.
func (o *Workflows) Pause(ctx context.Context, c Caller, n Named) (memory.Workflow, error) {
	t, err := o.change(ctx, c, n, 0, func(s workflow.Stamp, t store.Thread) (memory.Workflow, change.Set, error) {
		return workflow.Pause(s, t.Workflow)
	})
	return t.Workflow, err
}

// Resume makes a paused workflow the active one. With another one active the error is
// workflow.ErrActive.
func (o *Workflows) Resume(ctx context.Context, c Caller, n Named) (memory.Workflow, error) {
	if n.ID == "" {
		return memory.Workflow{}, fmt.Errorf("%w: workflow_id: name the workflow to resume; list_workflows has the paused ones", workflow.ErrInput)
	}
	t, err := o.change(ctx, c, n, 0, func(s workflow.Stamp, t store.Thread) (memory.Workflow, change.Set, error) {
		w, set, err := workflow.Resume(s, t.Workflow)
		if err != nil || set.Empty() {
			return w, set, err
		}
		active, err := o.Store.ActiveWorkflow(ctx, c.Tenant, w.Scope, 0)
		if err == nil && active.ID != "" {
			err = already(active.Workflow, "resuming another")
		}
		return w, set, err
	})
	return t.Workflow, err
}

// Active returns the active workflow of a project with its newest memories, at most
// most; without an id when none is active (S0.20).
func (o *Workflows) Active(ctx context.Context, c Caller, project memory.Scope, most int) (store.Thread, error) {
	return o.Store.ActiveWorkflow(ctx, c.Tenant, project, most)
}

// Get returns a workflow with its memories, the newest of them.
func (o *Workflows) Get(ctx context.Context, c Caller, n Named) (store.Thread, error) {
	return o.read(ctx, c, n, members)
}

// List lists the workflows of a project, or of the tenant, the newest first.
func (o *Workflows) List(ctx context.Context, c Caller, q store.WorkflowQuery) ([]memory.Workflow, error) {
	q.Newest = true
	return o.Store.Workflows(ctx, c.Tenant, q)
}

// read returns the workflow that n names: ErrUnknown for an id that the project has
// not, ErrNone where none is active.
func (o *Workflows) read(ctx context.Context, c Caller, n Named, most int) (store.Thread, error) {
	if n.ID == "" {
		t, err := o.Store.ActiveWorkflow(ctx, c.Tenant, n.Project, most)
		if err == nil && t.ID == "" {
			err = fmt.Errorf("%w in %s; begin one with start_workflow, or name one by its id", workflow.ErrNone, n.Project)
		}
		return t, err
	}
	unknown := fmt.Errorf("workflow_id: %w; list_workflows has the ids", workflow.ErrUnknown)
	if _, err := memory.ParseID(n.ID, memory.PrefixWorkflow); err != nil || n.ID != memory.Visible(n.ID) {
		return store.Thread{}, unknown
	}
	t, err := o.Store.Workflow(ctx, c.Tenant, n.ID, most)
	if errors.Is(err, store.ErrNotFound) || err == nil && (n.Project != "" && t.Scope != n.Project || n.Within != nil && !n.Within(t.Scope)) {
		return store.Thread{}, unknown
	}
	return t, err
}

// change reads a workflow, lets decide change it, and commits.
func (o *Workflows) change(ctx context.Context, c Caller, n Named, most int, decide func(workflow.Stamp, store.Thread) (memory.Workflow, change.Set, error)) (store.Thread, error) {
	var t store.Thread
	err := o.repeat(ctx, c, func(s workflow.Stamp) (set change.Set, err error) {
		if t, err = o.read(ctx, c, n, most); err != nil {
			return set, err
		}
		t.Workflow, set, err = decide(s, t)
		return set, err
	})
	return t, err
}

// repeat decides and commits, again after each conflict with a concurrent commit.
func (o *Workflows) repeat(ctx context.Context, c Caller, decide func(workflow.Stamp) (change.Set, error)) error {
	for n := 0; ; n++ {
		s := workflow.Stamp{Tenant: c.Tenant, Principal: c.Principal, Actor: c.Actor, Now: o.Now(), NewID: o.NewID}
		set, err := decide(s)
		if err != nil || set.Empty() {
			return err
		}
		_, err = o.Store.Commit(ctx, c.Tenant, set, store.InboxKey{})
		if err == nil {
			return nil
		}
		if !errors.Is(err, store.ErrConflict) || n == tries {
			return fmt.Errorf("commit a workflow: %w", err)
		}
	}
}
