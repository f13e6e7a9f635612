package consolidation

import (
	"cmp"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Offer returns the change that asks a person whether a group should be merged, and
// the proposal that asks: it waits for review with the merged text and has a link
// derived_from to each source. Nothing else changes until the person answers.
func Offer(a Act) (change.Set, memory.Proposal) {
	a.sort()
	var set change.Set
	p := a.question(&set, a.decision(RuleTheme, memory.VerdictNeedsReview))
	a.finish(&set, memory.ItemOffered, "", p.ID)
	return set, p
}

// Contradiction returns the change that asks a person which of two sources holds, and
// the proposal that asks (D12). Its text is that of the later source, and the decision's
// target is the earlier one. A yes stores the text in place of both, a no leaves both.
// The step stays refused. why is one sentence.
func Contradiction(a Act, why string) (change.Set, memory.Proposal) {
	a.sort()
	earlier, later := &a.Sources[0].Memory, &a.Sources[1].Memory
	if said(earlier).After(said(later)) {
		earlier, later = later, earlier
	}
	a.Group.Why = why
	a.Product = Product{Title: later.Title, Description: later.Description, Text: later.Text, Confidence: later.Confidence}
	var set change.Set
	d := a.decision(RuleContradiction, memory.VerdictNeedsReview)
	d.Target = earlier.ID
	p := a.question(&set, d)
	a.finish(&set, memory.ItemRefused, "", p.ID)
	return set, p
}

// said returns when a memory was observed, else when it was stored.
func said(m *memory.Memory) time.Time {
	if m.ObservedAt.IsZero() {
		return m.CreatedAt
	}
	return m.ObservedAt
}

// question adds the proposal that asks a person, and the decision that left it to one.
func (a *Act) question(set *change.Set, d memory.Decision) memory.Proposal {
	d.Advice = memory.AdviceReview
	m := a.memory(d.ID)
	p := memory.Proposal{
		ID: a.NewID(memory.PrefixProposal), Tenant: m.Tenant, Scope: m.Scope, State: memory.ProposalNeedsReview,
		Kind: m.Kind, Section: m.Section, Title: m.Title, Text: m.Text, Description: m.Description, Outcome: m.Outcome,
		Confidence: m.Confidence, Category: m.Category, Tags: TagsOf(a.Sources, a.Product.Tags), Importance: m.Importance,
		Origin: m.Origin, Authority: m.Authority, ObservedAt: m.ObservedAt, CreatedAt: a.Now, SeenCount: m.SeenCount,
		LastConfirmed: cmp.Or(m.LastConfirmed, a.Now), DecisionID: d.ID, Topics: m.Topics, MacroTopics: m.MacroTopics,
		Target: d.Target,
	}
	p.EventID = memory.OfferEvent(a.RunID)
	d.ProposalID = p.ID
	set.Proposals = append(set.Proposals, p)
	set.Decisions = append(set.Decisions, d)
	set.Evidence = append(set.Evidence, evidenceFor(p.ID, a.NewID, a.Sources, a.Evidence)...)
	for i := range a.Sources {
		set.Links = append(set.Links, memory.Link{Tenant: p.Tenant, From: p.ID, To: a.Sources[i].ID, Kind: memory.LinkDerivedFrom})
	}
	msg := &winnowv1.ProposalDecided{
		Id: a.NewID(memory.PrefixEvent), ProposalId: p.ID, DecisionId: d.ID, Scope: string(p.Scope), Verdict: string(d.Verdict),
		Rule: d.Rule, Reason: d.Reason, DecidedAt: timestamppb.New(a.Now),
	}
	emit(set, msg.GetId(), event.SubjectProposalDecided, msg)
	set.Audit = append(set.Audit, change.Audit{
		Actor: d.Actor, Action: "proposal.decided", Subject: p.ID,
		Body: actBody{Run: a.RunID, Decision: d.ID, Verdict: string(d.Verdict), Rule: d.Rule, Proposal: p.ID, Sources: len(a.Sources), By: a.Product.By},
	})
	return p
}
