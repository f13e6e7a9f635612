package ops

import (
	"context"
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/review/page"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Story is everything that is known about how a proposal or memory came to
// stand where it stands.
type Story struct {
	Proposal  *memory.Proposal  `json:"proposal,omitempty"`
	Memory    *memory.Memory    `json:"memory,omitempty"`
	From      string            `json:"from,omitempty"`
	Redacted  int               `json:"redacted"` // secrets that were replaced in the text
	Decisions []Chapter         `json:"decisions"`
	Evidence  []memory.Evidence `json:"evidence"`
	Links     []memory.Link     `json:"links"`
	Reviews   []change.Review   `json:"reviews"`
}

// Chapter is one decision with what its rule means.
type Chapter struct {
	memory.Decision
	Sentence string          `json:"sentence"` // the rule, in words
	Near     []NearCandidate `json:"near"`
}

// NearCandidate is a text that was compared, as it reads now.
type NearCandidate struct {
	memory.Candidate
	Text string `json:"text"`
}

// Why tells the story of a proposal, a memory or a decision.
func (o *Ops) Why(ctx context.Context, id string) (Story, error) {
	var s Story
	if err := o.subjects(ctx, id, &s); err != nil {
		return s, fmt.Errorf("why %s: %w", id, err)
	}
	if err := o.decisionsOf(ctx, &s); err != nil {
		return s, fmt.Errorf("why %s: %w", id, err)
	}
	subject := ""
	if s.Proposal != nil {
		subject = s.Proposal.ID
		s.From, s.Redacted = page.SourceOf(*s.Proposal), strings.Count(s.Proposal.Text, "⟨secret:")
		reviews, err := o.Store.Reviews(ctx, o.Tenant, subject)
		if err != nil {
			return s, fmt.Errorf("why %s: %w", id, err)
		}
		s.Reviews = reviews
	}
	if s.Memory != nil {
		subject = s.Memory.ID
		links, err := o.Store.Links(ctx, o.Tenant, subject)
		if err != nil {
			return s, fmt.Errorf("why %s: %w", id, err)
		}
		s.Links = links
	}
	evidence, err := o.Store.Evidence(ctx, o.Tenant, subject)
	if err != nil {
		return s, fmt.Errorf("why %s: %w", id, err)
	}
	s.Evidence = evidence
	return s, nil
}

// subjects finds the proposal and the memory that an id is about.
func (o *Ops) subjects(ctx context.Context, id string, s *Story) error {
	prefix, err := memory.ParseID(id, memory.PrefixProposal, memory.PrefixMemory, memory.PrefixDecision)
	if err != nil {
		return err
	}
	proposalID, memoryID := "", ""
	switch prefix {
	case memory.PrefixProposal:
		proposalID = id
	case memory.PrefixMemory:
		memoryID = id
	default:
		d, err := o.Store.Decision(ctx, o.Tenant, id)
		if err != nil {
			return err
		}
		proposalID, memoryID = d.ProposalID, d.MemoryID
	}
	if memoryID != "" {
		m, err := o.Store.Memory(ctx, o.Tenant, memoryID)
		if err != nil {
			return err
		}
		s.Memory = &m
		if proposalID == "" {
			proposalID = m.ProposalID
		}
	}
	if proposalID == "" {
		return nil
	}
	p, err := o.Store.Proposal(ctx, o.Tenant, proposalID)
	if err != nil {
		return err
	}
	s.Proposal = &p
	return nil
}

// decisionsOf reads all decisions about the subjects, oldest first.
func (o *Ops) decisionsOf(ctx context.Context, s *Story) error {
	q := store.DecisionQuery{}
	if s.Proposal != nil {
		q.ProposalID = s.Proposal.ID
	} else {
		q.MemoryID = s.Memory.ID
	}
	list, err := o.Store.Decisions(ctx, o.Tenant, q)
	if err != nil {
		return err
	}
	var near []string
	for _, d := range list {
		for _, c := range d.Candidates {
			near = append(near, c.ID)
		}
	}
	texts, err := review.Texts(ctx, o.Store, o.Tenant, near...)
	if err != nil {
		return err
	}
	for _, d := range list {
		c := Chapter{Decision: d}
		if rule, ok := judge.RuleByID(d.Rule); ok {
			c.Sentence = rule.Sentence
		}
		for _, near := range d.Candidates {
			c.Near = append(c.Near, NearCandidate{near, texts[near.ID]})
		}
		s.Decisions = append(s.Decisions, c)
		if d.MemoryID != "" && s.Memory == nil {
			m, err := o.Store.Memory(ctx, o.Tenant, d.MemoryID)
			if err != nil {
				return err
			}
			s.Memory = &m
		}
	}
	return nil
}
