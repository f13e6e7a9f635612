package workflow

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Limits of what is stored, in characters. Less of it is shown unasked, see [Section].
const (
	MaxName        = 200
	MaxDescription = 2000
)

// StaleAfter is how long a workflow may stay active without a new memory before
// another one takes its place: whoever started it has probably died. It is paused, and
// can be resumed (S0.24).
const StaleAfter = 30 * 24 * time.Hour

// Stamp says who acts, and when.
type Stamp struct {
	Tenant    memory.Tenant
	Principal string
	Actor     memory.Actor
	Now       time.Time
	NewID     func(prefix string) string
}

// Begin returns a new active workflow of a project and the change that starts it. The
// texts must be redacted.
func Begin(s Stamp, project memory.Scope, name, description string) (memory.Workflow, change.Set, error) {
	name, description = strings.TrimSpace(memory.Visible(name)), strings.TrimSpace(memory.Visible(description))
	switch {
	case project.Kind() != memory.ScopeProject:
		return memory.Workflow{}, change.Set{}, fmt.Errorf("%w: project: a workflow belongs to a project; name one", ErrInput)
	case !strings.ContainsFunc(name, shows) || utf8.RuneCountInString(name) > MaxName:
		return memory.Workflow{}, change.Set{}, fmt.Errorf("%w: name: say in 1 to %d characters what the task is", ErrInput, MaxName)
	case utf8.RuneCountInString(description) > MaxDescription:
		return memory.Workflow{}, change.Set{}, fmt.Errorf("%w: description: is longer than %d characters; shorten it", ErrInput, MaxDescription)
	}
	now := s.Now.UTC().Truncate(time.Microsecond)
	w := memory.Workflow{
		ID: s.NewID(memory.PrefixWorkflow), Tenant: s.Tenant, Scope: project, Status: memory.WorkflowActive,
		Name: name, Description: description, Principal: s.Principal, CreatedAt: now, UpdatedAt: now, Version: 1,
	}
	set := change.Set{Workflows: []memory.Workflow{w}}
	s.audit(&set, "workflow.started", w)
	return w, set, nil
}

// shows reports a character that a reader sees.
func shows(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }

// Pause returns the change that pauses an active workflow, so that another one can
// start. A paused one stays as it is.
func Pause(s Stamp, w memory.Workflow) (memory.Workflow, change.Set, error) {
	switch w.Status {
	case memory.WorkflowPaused:
		return w, change.Set{}, nil
	case memory.WorkflowCompleted:
		return w, change.Set{}, fmt.Errorf("%w: it is completed; start a new one", ErrStatus)
	}
	return s.update(w, memory.WorkflowPaused, "workflow.paused", anyMembers)
}

// Resume returns the change that makes a paused workflow the active one. The commit
// fails when another one is active.
func Resume(s Stamp, w memory.Workflow) (memory.Workflow, change.Set, error) {
	switch w.Status {
	case memory.WorkflowActive:
		return w, change.Set{}, nil
	case memory.WorkflowCompleted:
		return w, change.Set{}, fmt.Errorf("%w: it is completed; start a new one", ErrStatus)
	}
	return s.update(w, memory.WorkflowActive, "workflow.resumed", anyMembers)
}

// Complete returns the change that ends a workflow with a summary of its memories,
// those in force, newest first. A memory that is linked meanwhile fails the commit. A
// completed one stays as it is.
func Complete(s Stamp, w memory.Workflow, members []memory.Memory) (memory.Workflow, change.Set, error) {
	if w.Status == memory.WorkflowCompleted {
		return w, change.Set{}, nil
	}
	w.Summary = Summary(w.MemoryCount, members)
	w.CompletedAt = s.Now.UTC().Truncate(time.Microsecond)
	return s.update(w, memory.WorkflowCompleted, "workflow.completed", w.MemoryCount)
}

// anyMembers lets an update be committed whatever memories the workflow has.
const anyMembers = -1

// update returns the workflow in another status and the change that stores it.
func (s Stamp) update(w memory.Workflow, status memory.WorkflowStatus, action string, members int) (memory.Workflow, change.Set, error) {
	w.Status, w.UpdatedAt = status, s.Now.UTC().Truncate(time.Microsecond)
	set := change.Set{WorkflowUpdates: []change.WorkflowUpdate{{
		ID: w.ID, Scope: w.Scope, Status: w.Status, Summary: w.Summary, UpdatedAt: w.UpdatedAt, CompletedAt: w.CompletedAt,
		Members: members, Expect: w.Version,
	}}}
	w.Version++
	s.audit(&set, action, w)
	return w, set, nil
}

// auditBody is the audit entry of a workflow: ids and counts, no text.
type auditBody struct {
	Workflow string       `json:"workflow"`
	Scope    memory.Scope `json:"scope"`
	Status   string       `json:"status"`
	Memories int          `json:"memories,omitempty"`
}

func (s Stamp) audit(set *change.Set, action string, w memory.Workflow) {
	set.Audit = append(set.Audit, change.Audit{
		Actor: s.Actor, Principal: s.Principal, Action: action, Subject: w.ID,
		Body: auditBody{Workflow: w.ID, Scope: w.Scope, Status: string(w.Status), Memories: w.MemoryCount},
	})
}

// Stale reports whether an active workflow has been left: nothing happened to it for
// [StaleAfter]. newest is its newest memory, where it has one.
func Stale(w memory.Workflow, newest []memory.Memory, now time.Time) bool {
	last := w.UpdatedAt
	for i := range newest {
		if newest[i].CreatedAt.After(last) {
			last = newest[i].CreatedAt
		}
	}
	return w.Status == memory.WorkflowActive && now.Sub(last) > StaleAfter
}
