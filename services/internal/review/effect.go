package review

import (
	"cmp"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Effect collects a person's changes together with their events and audit entries, so
// that no row changes without either.
type Effect struct {
	Stamp
	// As is the actor where no person acts; empty means a person.
	As  memory.Actor
	Set change.Set
}

// Emit adds an event, for the outbox.
func (e *Effect) Emit(id, subject string, m proto.Message) {
	e.Set.Events = append(e.Set.Events, change.Event{ID: id, Subject: subject, Type: event.TypeFor(subject), Message: m})
}

// EmitTo adds an event for the gateways of one reviewer, on a subject that no other
// reviewer's gateway may read.
func (e *Effect) EmitTo(reviewer, id, bare string, m proto.Message) {
	subject := event.SubjectForReviewer(bare, string(e.Tenant), reviewer)
	e.Set.Events = append(e.Set.Events, change.Event{ID: id, Subject: subject, Type: event.TypeFor(bare), Message: m})
}

// Audit adds an entry of the actor to the audit log; empty facts are left out.
func (e *Effect) Audit(action, subject string, body map[string]string) {
	e.AuditAs(cmp.Or(e.As, memory.ActorPerson), action, subject, body)
}

// AuditAs is Audit with another actor, for changes that no person made.
func (e *Effect) AuditAs(actor memory.Actor, action, subject string, body map[string]string) {
	for k, v := range body {
		if v == "" {
			delete(body, k)
		}
	}
	e.Set.Audit = append(e.Set.Audit, change.Audit{
		Actor: actor, Principal: e.Person, Action: action, Subject: subject, Body: body,
	})
}

// Decide adds a decision, and the event that tells the proposal's publisher, with the
// publisher's own event id and the proposal's present state.
func (e *Effect) Decide(d memory.Decision, p *memory.Proposal) {
	e.Set.Decisions = append(e.Set.Decisions, d)
	subject := d.MemoryID
	if p != nil {
		subject = p.ID
		id := e.NewID(memory.PrefixEvent)
		e.Emit(id, event.SubjectProposalDecided, &winnowv1.ProposalDecided{
			Id: id, ProposalId: p.ID, DecisionId: d.ID, EventId: p.EventID, Principal: p.Principal, Scope: string(d.Scope),
			Verdict: string(p.State), Rule: d.Rule, Reason: d.Reason, TargetId: d.Target, MemoryId: d.MemoryID,
			DecidedAt: timestamppb.New(d.At),
		})
	}
	e.AuditAs(d.Actor, "proposal.decided", subject, map[string]string{
		"decision": d.ID, "verdict": string(d.Verdict), "rule": d.Rule, "target": d.Target, "memory": d.MemoryID, "undoes": d.Undoes,
	})
}

// UpdateProposal adds the update of a proposal's whole mutable part. The commit fails
// if the row changed meanwhile.
func (e *Effect) UpdateProposal(p memory.Proposal) {
	e.Set.ProposalUpdates = append(e.Set.ProposalUpdates, change.ProposalUpdate{
		ID: p.ID, State: p.State, Kind: p.Kind, Section: p.Section, Target: p.Target, DecisionID: p.DecisionID,
		SeenCount: p.SeenCount, LastConfirmed: p.LastConfirmed, Expect: p.Version,
	})
}

// UpdateMemory adds the update of a memory's whole mutable part. The commit fails if
// the row changed meanwhile.
func (e *Effect) UpdateMemory(m memory.Memory) {
	e.Set.MemoryUpdates = append(e.Set.MemoryUpdates, change.MemoryUpdate{
		ID: m.ID, State: m.State, Confidence: m.Confidence, SeenCount: m.SeenCount, LastConfirmed: m.LastConfirmed,
		ArchivedAt: m.ArchivedAt, ArchiveReason: m.ArchiveReason, SuccessorID: m.SuccessorID, Expect: m.Version,
	})
}

// Recorded adds the event and audit entry of a memory that became active, new or again.
func (e *Effect) Recorded(m memory.Memory, decision string, supersedes ...string) {
	id := e.NewID(memory.PrefixEvent)
	e.Emit(id, event.SubjectMemoryRecorded, &winnowv1.MemoryRecorded{
		Id: id, MemoryId: m.ID, Scope: string(m.Scope), Kind: string(m.Kind), Section: m.Section, ProposalId: m.ProposalID,
		DecisionId: decision, Supersedes: supersedes, RecordedAt: timestamppb.New(e.Now),
	})
	e.Audit("memory.recorded", m.ID, map[string]string{"decision": decision})
}

// Archived adds the event and audit entry of a memory that was archived.
func (e *Effect) Archived(m memory.Memory, decision string) {
	id := e.NewID(memory.PrefixEvent)
	e.Emit(id, event.SubjectMemoryArchived, &winnowv1.MemoryArchived{
		Id: id, MemoryId: m.ID, Scope: string(m.Scope), Kind: string(m.Kind), SuccessorId: m.SuccessorID, Reason: m.ArchiveReason,
		DecisionId: decision, ArchivedAt: timestamppb.New(e.Now),
	})
	e.Audit("memory.archived", m.ID, map[string]string{"decision": decision, "reason": m.ArchiveReason, "successor": m.SuccessorID})
}

// Supersede archives old in favour of m.
func (e *Effect) Supersede(old, m memory.Memory, reason, decision string) {
	old.State, old.ArchivedAt, old.ArchiveReason, old.SuccessorID = memory.StateArchived, e.Now, reason, m.ID
	e.UpdateMemory(old)
	e.Archived(old, decision)
	e.Set.Links = append(e.Set.Links, memory.Link{Tenant: e.Tenant, From: m.ID, To: old.ID, Kind: memory.LinkSupersedes})
}
