package review

import (
	"fmt"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Actions of an [Answer].
const (
	ActionPromote = "promote"
	ActionReject  = "reject"
	ActionReplace = "replace"
)

// Confidence and importance of a memory that a person promoted.
const (
	HumanConfidence   = 0.8
	DefaultImportance = 5
)

type reviewInput struct {
	proposal memory.Proposal
	standing memory.Decision // the decision that the person answers; zero without one
	target   memory.Memory   // the memory to be replaced
	sources  []memory.Memory // of an offer: the memories that it would merge, by id
	evidence []memory.Evidence
	answer   Answer
}

// decideReview turns a person's answer into a decision. Only open and quarantined
// proposals can be answered. The error is ErrState for the others: they must be undone
// first, so that their consequences are taken back too.
func decideReview(s Stamp, in reviewInput) (change.Set, Answered, error) {
	p := in.proposal
	if !p.State.Open() && p.State != memory.ProposalQuarantined {
		return change.Set{}, Answered{}, fmt.Errorf("%w: it is %s; take that back first: winnow undo %s", ErrState, p.State, p.ID)
	}
	if in.answer.Action == ActionReplace && in.target.State != memory.StateActive {
		return change.Set{}, Answered{}, fmt.Errorf("%w: %s, which it would replace, is archived (%s)", ErrState, in.target.ID, in.target.ArchiveReason)
	}
	if in.answer.Action != ActionReject {
		if err := mergeable(p, in); err != nil {
			return change.Set{}, Answered{}, err
		}
	}
	e := &Effect{Stamp: s}
	d := s.Decision(p.Scope)
	d.ProposalID, d.Rule, d.Fired = p.ID, RuleReview, []string{RuleReview}
	switch in.answer.Action {
	case ActionReject:
		d.Verdict, d.Reason = memory.VerdictRejected, s.Person+" rejected it"
	case ActionPromote, ActionReplace:
		d.Verdict, d.Reason = memory.VerdictPromoted, s.Person+" promoted it"
	default:
		return change.Set{}, Answered{}, fmt.Errorf("answer %q: want %s, %s or %s", in.answer.Action, ActionPromote, ActionReject, ActionReplace)
	}
	if in.answer.Note != "" {
		d.Reason += ": " + in.answer.Note
	}
	done := Answered{Proposal: p.ID, Decision: d.ID, Verdict: string(d.Verdict)}
	if d.Verdict == memory.VerdictPromoted {
		m := e.promoted(p, in, &d)
		done.Memory = m.ID
		switch {
		case p.Offer():
			e.merged(&m, in.sources, d.ID)
			done.Merged = ids(in.sources)
		case in.answer.Action == ActionReplace:
			d.Target, done.Replaced = in.target.ID, in.target.ID
			e.Supersede(in.target, m, "replaced", d.ID)
			e.Recorded(m, d.ID, in.target.ID)
		default:
			e.Recorded(m, d.ID)
		}
		e.Set.Memories = append(e.Set.Memories, m)
	}
	p.State, p.Target, p.DecisionID = d.Verdict.State(), d.Target, d.ID
	e.UpdateProposal(p)
	e.Decide(d, &p)
	e.Set.Reviews = append(e.Set.Reviews, change.Review{
		ID: s.NewID(prefixReview), ProposalID: p.ID, DecisionID: d.ID, Overrode: in.standing.ID, Rule: in.standing.Rule,
		Agreed: agreed(in.standing.Advice, in.answer.Action), Principal: s.Person, Note: in.answer.Note, At: s.Now,
	})
	return e.Set, done, nil
}

// agreed reports that the person did what was recommended. Without a recommendation
// every answer agrees, because none says that the rule was wrong.
func agreed(advice memory.Advice, action string) bool {
	return advice == "" || advice == memory.AdviceReview || string(advice) == action
}

// promoted returns the memory that a person makes of a proposal. Its authority is
// human, which only a person can give to text from outside; text that the person wrote
// anew has the person as its origin.
func (e *Effect) promoted(p memory.Proposal, in reviewInput, d *memory.Decision) memory.Memory {
	m := memory.Memory{
		ID: e.NewID(memory.PrefixMemory), Tenant: p.Tenant, Scope: p.Scope, State: memory.StateActive, Kind: p.Kind, Section: p.Section,
		Title: p.Title, Description: p.Description, Text: p.Text, Category: p.Category, Tags: p.Tags, Importance: p.Importance, Confidence: HumanConfidence,
		Topics: p.Topics, MacroTopics: p.MacroTopics,
		Outcome:   p.Outcome,
		Principal: p.Principal, Origin: p.Origin, Authority: memory.OriginHuman, ObservedAt: p.ObservedAt, CreatedAt: e.Now,
		LastConfirmed: e.Now, SeenCount: max(p.SeenCount, 1), ProposalID: p.ID, DecisionID: d.ID,
	}
	if in.answer.Text != "" && in.answer.Text != p.Text {
		m.Text, m.Origin, m.Principal = in.answer.Text, memory.OriginHuman, e.Person
		d.Reason += ", in other words"
	}
	if in.answer.Section != "" {
		m.Section = in.answer.Section
	}
	if m.Kind == "" {
		m.Kind = memory.KindFact
	}
	if m.Section == "" {
		m.Section = memory.SectionFor(m.Kind)
	}
	if m.Importance == 0 {
		m.Importance = DefaultImportance
	}
	d.MemoryID = m.ID
	if !p.Offer() { // an offer was said by nobody; its evidence is that of its sources
		e.Set.Evidence = append(e.Set.Evidence, memory.Evidence{
			ID: e.NewID(memory.PrefixEvidence), Tenant: p.Tenant, Subject: m.ID, ProposalID: p.ID, Principal: p.Principal,
			SessionID: p.SessionID, Origin: p.Origin, ObservedAt: p.ObservedAt,
		})
	}
	// Proposals that were merged into this one while it waited now support the memory.
	for _, ev := range in.evidence {
		if ev.ProposalID != p.ID {
			ev.ID, ev.Subject = e.NewID(memory.PrefixEvidence), m.ID
			e.Set.Evidence = append(e.Set.Evidence, ev)
		}
	}
	return m
}
