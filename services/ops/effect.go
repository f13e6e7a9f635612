package ops

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// effect collects a change with the events and audit entries that go with it,
// so that no operation can change a row in silence.
type effect struct {
	stamp
	set change.Set
}

func (e *effect) emit(id, subject string, m proto.Message) {
	e.set.Events = append(e.set.Events, change.Event{ID: id, Subject: subject, Type: event.TypeFor(subject), Message: m})
}

func (e *effect) audit(action, subject string, body map[string]string) {
	for k, v := range body {
		if v == "" {
			delete(body, k)
		}
	}
	e.set.Audit = append(e.set.Audit, change.Audit{
		Actor: memory.ActorPerson, Principal: e.person, Action: action, Subject: subject, Body: body,
	})
}

// decide adds a decision. The publisher of the proposal hears of it under its
// own event id, with the state that the proposal is in now.
func (e *effect) decide(d memory.Decision, p *memory.Proposal) {
	e.set.Decisions = append(e.set.Decisions, d)
	subject := d.MemoryID
	if p != nil {
		subject = p.ID
		id := e.newID(memory.PrefixEvent)
		e.emit(id, event.SubjectProposalDecided, &winnowv1.ProposalDecided{
			Id: id, ProposalId: p.ID, DecisionId: d.ID, EventId: p.EventID, Principal: p.Principal, Scope: string(d.Scope),
			Verdict: string(d.Verdict.State()), Rule: d.Rule, Reason: d.Reason, TargetId: d.Target, MemoryId: d.MemoryID,
			DecidedAt: timestamppb.New(d.At),
		})
	}
	e.audit("proposal.decided", subject, map[string]string{
		"decision": d.ID, "verdict": string(d.Verdict), "rule": d.Rule, "target": d.Target, "memory": d.MemoryID, "undoes": d.Undoes,
	})
}

// updateProposal writes a proposal's whole mutable part, if nobody was faster.
func (e *effect) updateProposal(p memory.Proposal) {
	e.set.ProposalUpdates = append(e.set.ProposalUpdates, change.ProposalUpdate{
		ID: p.ID, State: p.State, Kind: p.Kind, Section: p.Section, Target: p.Target, DecisionID: p.DecisionID,
		SeenCount: p.SeenCount, LastConfirmed: p.LastConfirmed, Expect: p.Version,
	})
}

// updateMemory writes a memory's whole mutable part, if nobody was faster.
func (e *effect) updateMemory(m memory.Memory) {
	e.set.MemoryUpdates = append(e.set.MemoryUpdates, change.MemoryUpdate{
		ID: m.ID, State: m.State, Confidence: m.Confidence, SeenCount: m.SeenCount, LastConfirmed: m.LastConfirmed,
		ArchivedAt: m.ArchivedAt, ArchiveReason: m.ArchiveReason, SuccessorID: m.SuccessorID, Expect: m.Version,
	})
}

// recorded tells that a memory became active, new or again.
func (e *effect) recorded(m memory.Memory, decision string, supersedes ...string) {
	id := e.newID(memory.PrefixEvent)
	e.emit(id, event.SubjectMemoryRecorded, &winnowv1.MemoryRecorded{
		Id: id, MemoryId: m.ID, Scope: string(m.Scope), Kind: string(m.Kind), Section: m.Section, ProposalId: m.ProposalID,
		DecisionId: decision, Supersedes: supersedes, RecordedAt: timestamppb.New(e.now),
	})
	e.audit("memory.recorded", m.ID, map[string]string{"decision": decision})
}

// archived tells that a memory went out of service.
func (e *effect) archived(m memory.Memory, decision string) {
	id := e.newID(memory.PrefixEvent)
	e.emit(id, event.SubjectMemoryArchived, &winnowv1.MemoryArchived{
		Id: id, MemoryId: m.ID, Scope: string(m.Scope), Kind: string(m.Kind), SuccessorId: m.SuccessorID, Reason: m.ArchiveReason,
		DecisionId: decision, ArchivedAt: timestamppb.New(e.now),
	})
	e.audit("memory.archived", m.ID, map[string]string{"decision": decision, "reason": m.ArchiveReason, "successor": m.SuccessorID})
}

// supersede archives old in favour of m.
func (e *effect) supersede(old, m memory.Memory, reason, decision string) {
	old.State, old.ArchivedAt, old.ArchiveReason, old.SuccessorID = memory.StateArchived, e.now, reason, m.ID
	e.updateMemory(old)
	e.archived(old, decision)
	e.set.Links = append(e.set.Links, memory.Link{Tenant: e.tenant, From: m.ID, To: old.ID, Kind: memory.LinkSupersedes})
}
