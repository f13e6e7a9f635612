package workflows

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/workflow"
	"github.com/winnowhq/winnow/services/internal/workflow/operate"
	"github.com/winnowhq/winnow/services/ops/scopes"
)

// Desk carries out operations on workflows in the name of a person. It is safe for
// concurrent use.
type Desk struct {
	Store    operate.Store
	Redactor *redact.Redactor
	Tenant   memory.Tenant
	Person   string
	Now      func() time.Time
	NewID    func(prefix string) string
}

// Story is a workflow with its memories in force, the newest first.
type Story struct {
	memory.Workflow
	Memories []Line `json:"memories"`
}

// Line is a memory of a workflow.
type Line struct {
	ID   string      `json:"id"`
	Kind memory.Kind `json:"kind"`
	Text string      `json:"text"`
}

func (d *Desk) operations() (*operate.Workflows, operate.Caller) {
	redacted := func(tenant memory.Tenant, text string) string {
		clean, _ := d.Redactor.Text(string(tenant), text)
		return clean
	}
	return &operate.Workflows{Store: d.Store, Redact: redacted, Now: d.Now, NewID: d.NewID},
		operate.Caller{Tenant: d.Tenant, Principal: d.Person, Actor: memory.ActorPerson}
}

// Start begins a workflow of a project. paused is the id of one that had been left and
// was paused to make room.
func (d *Desk) Start(ctx context.Context, project, name, description string) (w memory.Workflow, paused string, err error) {
	scope, err := scopes.Parse(project)
	if err != nil {
		return w, "", err
	}
	o, c := d.operations()
	begun, err := o.Start(ctx, c, scope, name, description)
	return begun.Workflow, begun.Paused, err
}

// Change completes, pauses or resumes a workflow: the one with the id, or the active one
// of the project when the id is empty.
func (d *Desk) Change(ctx context.Context, verb Verb, project, id string) (memory.Workflow, error) {
	n, err := named(project, id)
	if err != nil {
		return memory.Workflow{}, err
	}
	o, c := d.operations()
	switch verb {
	case Complete:
		t, err := o.Complete(ctx, c, n)
		return t.Workflow, err
	case Pause:
		return o.Pause(ctx, c, n)
	}
	return o.Resume(ctx, c, n)
}

// Verb is what is done with a workflow.
type Verb string

// The verbs.
const (
	Complete Verb = "complete"
	Pause    Verb = "pause"
	Resume   Verb = "resume"
)

// Show returns a workflow with its memories, named as for Change.
func (d *Desk) Show(ctx context.Context, project, id string) (Story, error) {
	n, err := named(project, id)
	if err != nil {
		return Story{}, err
	}
	o, c := d.operations()
	t, err := o.Get(ctx, c, n)
	s := Story{Workflow: t.Workflow, Memories: []Line{}}
	for i := range t.Memories {
		m := &t.Memories[i]
		s.Memories = append(s.Memories, Line{ID: m.ID, Kind: m.Kind, Text: workflow.Gist(m)})
	}
	return s, err
}

// List lists workflows, the newest first: of a project or (empty) of all, with a status
// or (empty) with any.
func (d *Desk) List(ctx context.Context, project, status string, limit int) ([]memory.Workflow, error) {
	q := store.WorkflowQuery{Status: memory.WorkflowStatus(status), Limit: limit}
	if project != "" {
		var err error
		if q.Scope, err = scopes.Parse(project); err != nil {
			return nil, err
		}
	}
	o, c := d.operations()
	return o.List(ctx, c, q)
}

func named(project, id string) (operate.Named, error) {
	n := operate.Named{ID: id}
	if id != "" || project == "" {
		return n, nil
	}
	var err error
	n.Project, err = scopes.Parse(project)
	return n, err
}
