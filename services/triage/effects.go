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

// Builder collects the verdicts of one batch of one tenant into one change. A
// row that is updated many times in a batch gets one update, its last: a
// thousand repeats of one text cost one write of its counter.
type Builder struct {
	set       change.Set
	newID     func(prefix string) string
	memories  map[string]int // id → place of its update in the set
	proposals map[string]int
}

// NewBuilder returns an empty builder. newID makes the ids of events.
func NewBuilder(newID func(prefix string) string) *Builder {
	return &Builder{newID: newID, memories: make(map[string]int), proposals: make(map[string]int)}
}

// Set returns what was collected.
func (b *Builder) Set() *change.Set { return &b.set }

// Effects is the change of a single verdict.
func Effects(d memory.Decision, out judge.Outcome, eventID string, newID func(prefix string) string) *change.Set {
	b := NewBuilder(newID)
	b.Add(d, out, eventID)
	return b.Set()
}

// Add puts one verdict's rows, events and audit entries into the set. eventID
// is the id of the publisher's event that brought the proposal, which
// memory.proposal.decided carries back; empty for a backlog.
func (b *Builder) Add(d memory.Decision, out judge.Outcome, eventID string) {
	b.set.Decisions = append(b.set.Decisions, d)
	b.set.Decisions = append(b.set.Decisions, out.Absorbed...)
	if out.Stored {
		b.updateProposal(change.ProposalUpdate{
			ID: out.Proposal.ID, State: out.Proposal.State, Kind: out.Proposal.Kind, Section: out.Proposal.Section,
			Target: out.Proposal.Target, DecisionID: d.ID, SeenCount: out.Proposal.SeenCount,
			LastConfirmed: out.Proposal.LastConfirmed, Lift: out.Proposal.Authority,
		})
	} else {
		b.set.Proposals = append(b.set.Proposals, out.Proposal)
	}
	if out.Memory != nil {
		b.set.Memories = append(b.set.Memories, *out.Memory)
	}
	for _, u := range out.ProposalUpdates {
		b.updateProposal(u)
	}
	for _, u := range out.MemoryUpdates {
		b.updateMemory(u)
	}
	b.set.Evidence = append(b.set.Evidence, out.Evidence...)
	b.set.Links = append(b.set.Links, out.Links...)
	b.tell(d, out, eventID)
	b.audit(d, out)
}

func (b *Builder) updateProposal(u change.ProposalUpdate) {
	if i, ok := b.proposals[u.ID]; ok {
		u.Lift = max(u.Lift, b.set.ProposalUpdates[i].Lift)
		b.set.ProposalUpdates[i] = u
		return
	}
	b.proposals[u.ID] = len(b.set.ProposalUpdates)
	b.set.ProposalUpdates = append(b.set.ProposalUpdates, u)
}

func (b *Builder) updateMemory(u change.MemoryUpdate) {
	if i, ok := b.memories[u.ID]; ok {
		u.Lift = max(u.Lift, b.set.MemoryUpdates[i].Lift)
		b.set.MemoryUpdates[i] = u
		return
	}
	b.memories[u.ID] = len(b.set.MemoryUpdates)
	b.set.MemoryUpdates = append(b.set.MemoryUpdates, u)
}

// tell adds the events: what was decided, what became of waiting proposals,
// what is new and what is gone.
func (b *Builder) tell(d memory.Decision, out judge.Outcome, eventID string) {
	b.decided(d, out.Proposal.Principal, eventID)
	for _, a := range out.Absorbed {
		// The publisher of the absorbed one was told before; it hears that the
		// verdict changed, under its proposal's id.
		b.decided(a, "", "")
	}
	if m := out.Memory; m != nil {
		msg := &winnowv1.MemoryRecorded{
			Id: b.newID(memory.PrefixEvent), MemoryId: m.ID, Scope: string(m.Scope), Kind: string(m.Kind), Section: m.Section,
			ProposalId: m.ProposalID, DecisionId: d.ID, RecordedAt: timestamppb.New(d.At),
		}
		for _, a := range out.Archived {
			msg.Supersedes = append(msg.Supersedes, a.ID)
		}
		b.emit(msg.Id, event.SubjectMemoryRecorded, msg)
	}
	for _, a := range out.Archived {
		msg := &winnowv1.MemoryArchived{
			Id: b.newID(memory.PrefixEvent), MemoryId: a.ID, Scope: string(d.Scope), Kind: string(a.Kind), SuccessorId: a.Successor,
			Reason: a.Reason, DecisionId: d.ID, ArchivedAt: timestamppb.New(d.At),
		}
		b.emit(msg.Id, event.SubjectMemoryArchived, msg)
	}
}

func (b *Builder) decided(d memory.Decision, principal, eventID string) {
	msg := &winnowv1.ProposalDecided{
		Id: b.newID(memory.PrefixEvent), ProposalId: d.ProposalID, DecisionId: d.ID, EventId: eventID, Principal: principal,
		Scope: string(d.Scope), Verdict: string(d.Verdict), Rule: d.Rule, Reason: d.Reason, TargetId: d.Target,
		MemoryId: d.MemoryID, DecidedAt: timestamppb.New(d.At),
	}
	b.emit(msg.Id, event.SubjectProposalDecided, msg)
}

func (b *Builder) emit(id, subject string, msg proto.Message) {
	b.set.Events = append(b.set.Events, change.Event{ID: id, Subject: subject, Type: event.TypeFor(subject), Message: msg})
}

// decidedBody is what the audit log keeps of a verdict: ids and rules, no text.
type decidedBody struct {
	Proposal string `json:"proposal"`
	Decision string `json:"decision"`
	Verdict  string `json:"verdict"`
	Rule     string `json:"rule"`
	Target   string `json:"target,omitempty"`
	Memory   string `json:"memory,omitempty"`
	Policy   string `json:"policy"`
}

// archivedBody is what the audit log keeps of an archived memory.
type archivedBody struct {
	Memory    string `json:"memory"`
	Successor string `json:"successor,omitempty"`
	Decision  string `json:"decision"`
}

func (b *Builder) audit(d memory.Decision, out judge.Outcome) {
	for _, one := range append([]memory.Decision{d}, out.Absorbed...) {
		b.set.Audit = append(b.set.Audit, change.Audit{
			Actor: one.Actor, Principal: one.Principal, Action: "proposal.decided", Subject: one.ProposalID,
			Body: decidedBody{
				Proposal: one.ProposalID, Decision: one.ID, Verdict: string(one.Verdict), Rule: one.Rule, Target: one.Target,
				Memory: one.MemoryID, Policy: one.Policy + "@" + one.PolicyVersion,
			},
		})
	}
	for _, a := range out.Archived {
		b.set.Audit = append(b.set.Audit, change.Audit{
			Actor: d.Actor, Principal: d.Principal, Action: "memory.archived", Subject: a.ID,
			Body: archivedBody{Memory: a.ID, Successor: a.Successor, Decision: d.ID},
		})
	}
}
