package triage

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Effects returns the change of a single verdict.
func Effects(d memory.Decision, out judge.Outcome, eventID string, newID func(prefix string) string) *change.Set {
	set := new(change.Set)
	addTo(set, d, &out, eventID, newID)
	return set
}

// addTo adds a verdict's rows, events and audit entries to the change of a batch. A
// row that a batch updates many times is written once, by [change.Set.Coalesced].
// eventID is the id of the publisher's event that brought the proposal;
// memory.proposal.decided returns it. It is empty for a backlog. newID makes the ids
// of events.
func addTo(set *change.Set, d memory.Decision, out *judge.Outcome, eventID string, newID func(prefix string) string) {
	set.Decisions = append(set.Decisions, d)
	set.Decisions = append(set.Decisions, out.Absorbed...)
	if out.Stored {
		set.ProposalUpdates = append(set.ProposalUpdates, change.ProposalUpdate{
			ID: out.Proposal.ID, State: out.Proposal.State, Kind: out.Proposal.Kind, Section: out.Proposal.Section,
			Target: out.Proposal.Target, DecisionID: d.ID, SeenCount: out.Proposal.SeenCount,
			LastConfirmed: out.Proposal.LastConfirmed, Lift: out.Proposal.Authority,
		})
	} else {
		set.Proposals = append(set.Proposals, out.Proposal)
	}
	if out.Memory != nil {
		set.Memories = append(set.Memories, *out.Memory)
	}
	set.ProposalUpdates = append(set.ProposalUpdates, out.ProposalUpdates...)
	set.MemoryUpdates = append(set.MemoryUpdates, out.MemoryUpdates...)
	set.Evidence = append(set.Evidence, out.Evidence...)
	set.Links = append(set.Links, out.Links...)
	emit(set, d, out, eventID, newID)
	audit(set, d, out)
}

// emit adds the events: the decision, the decisions on absorbed proposals, the new
// memory, and the archived ones.
func emit(set *change.Set, d memory.Decision, out *judge.Outcome, eventID string, newID func(prefix string) string) {
	add := func(id, subject string, msg proto.Message) {
		set.Events = append(set.Events, change.Event{ID: id, Subject: subject, Type: event.TypeFor(subject), Message: msg, Cause: eventID})
	}
	decided := func(d memory.Decision, principal, eventID string) {
		msg := &winnowv1.ProposalDecided{
			Id: newID(memory.PrefixEvent), ProposalId: d.ProposalID, DecisionId: d.ID, EventId: eventID, Principal: principal,
			Scope: string(d.Scope), Verdict: string(d.Verdict), Rule: d.Rule, Reason: d.Reason, TargetId: d.Target,
			MemoryId: d.MemoryID, DecidedAt: timestamppb.New(d.At),
		}
		add(msg.Id, event.SubjectProposalDecided, msg)
	}
	decided(d, out.Proposal.Principal, eventID)
	for _, a := range out.Absorbed {
		// The publisher of the absorbed proposal has an event of its first verdict.
		// This one says that the verdict changed, under the proposal's id.
		decided(a, "", "")
	}
	if m := out.Memory; m != nil {
		msg := &winnowv1.MemoryRecorded{
			Id: newID(memory.PrefixEvent), MemoryId: m.ID, Scope: string(m.Scope), Kind: string(m.Kind), Section: m.Section,
			ProposalId: m.ProposalID, DecisionId: d.ID, RecordedAt: timestamppb.New(d.At),
		}
		for _, a := range out.Archived {
			msg.Supersedes = append(msg.Supersedes, a.ID)
		}
		add(msg.Id, event.SubjectMemoryRecorded, msg)
	}
	for _, a := range out.Archived {
		msg := &winnowv1.MemoryArchived{
			Id: newID(memory.PrefixEvent), MemoryId: a.ID, Scope: string(d.Scope), Kind: string(a.Kind), SuccessorId: a.Successor,
			Reason: a.Reason, DecisionId: d.ID, ArchivedAt: timestamppb.New(d.At),
		}
		add(msg.Id, event.SubjectMemoryArchived, msg)
	}
}

// decidedBody is the audit entry of a verdict: ids and rules, no text.
type decidedBody struct {
	Proposal string `json:"proposal"`
	Decision string `json:"decision"`
	Verdict  string `json:"verdict"`
	Rule     string `json:"rule"`
	Target   string `json:"target,omitempty"`
	Memory   string `json:"memory,omitempty"`
	Policy   string `json:"policy"`
}

// archivedBody is the audit entry of an archived memory.
type archivedBody struct {
	Memory    string `json:"memory"`
	Successor string `json:"successor,omitempty"`
	Decision  string `json:"decision"`
}

func audit(set *change.Set, d memory.Decision, out *judge.Outcome) {
	for _, one := range append([]memory.Decision{d}, out.Absorbed...) {
		set.Audit = append(set.Audit, change.Audit{
			Actor: one.Actor, Principal: one.Principal, Action: "proposal.decided", Subject: one.ProposalID,
			Body: decidedBody{
				Proposal: one.ProposalID, Decision: one.ID, Verdict: string(one.Verdict), Rule: one.Rule, Target: one.Target,
				Memory: one.MemoryID, Policy: one.Policy + "@" + one.PolicyVersion,
			},
		})
	}
	for _, a := range out.Archived {
		set.Audit = append(set.Audit, change.Audit{
			Actor: d.Actor, Principal: d.Principal, Action: "memory.archived", Subject: a.ID,
			Body: archivedBody{Memory: a.ID, Successor: a.Successor, Decision: d.ID},
		})
	}
}
