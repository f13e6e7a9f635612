package ops

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/review/page"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Story holds the complete history of a proposal or memory.
type Story struct {
	Proposal  *memory.Proposal  `json:"proposal,omitempty"`
	Memory    *memory.Memory    `json:"memory,omitempty"`
	From      string            `json:"from,omitempty"`
	Redacted  int               `json:"redacted"` // secrets that were replaced in the text
	Decisions []Chapter         `json:"decisions"`
	Evidence  []memory.Evidence `json:"evidence"`
	Links     []memory.Link     `json:"links"`
	Reviews   []change.Review   `json:"reviews"`
	Runs      []StoryStep       `json:"runs"` // steps of consolidation that the memory was in, oldest first
}

// StoryStep is the part of a run's step that concerns one memory.
type StoryStep struct {
	Run     string              `json:"run"`
	N       int                 `json:"n"`
	Action  memory.RunAction    `json:"action"`
	State   memory.RunItemState `json:"state"`
	Made    bool                `json:"made"`    // the step made the memory; otherwise it was a source
	Sources []StoryText         `json:"sources"` // what the step merged or archived
	Into    *StoryText          `json:"into,omitempty"`
	Reason  string              `json:"reason,omitempty"`
	At      time.Time           `json:"at,omitzero"`
}

// StoryText is a memory of a step. Its text is empty when the row is gone.
type StoryText struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Chapter is one decision with the meaning of its rule.
type Chapter struct {
	memory.Decision
	Sentence string          `json:"sentence"` // the rule, in words
	Near     []NearCandidate `json:"near"`
}

// NearCandidate is a compared text in its current form.
type NearCandidate struct {
	memory.Candidate
	Text string `json:"text"`
}

// Why returns the story of a proposal, a memory or a decision.
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
		if s.Runs, err = o.runsOf(ctx, *s.Memory, links); err != nil {
			return s, fmt.Errorf("why %s: %w", id, err)
		}
	}
	evidence, err := o.Store.Evidence(ctx, o.Tenant, subject)
	if err != nil {
		return s, fmt.Errorf("why %s: %w", id, err)
	}
	s.Evidence = evidence
	return s, nil
}

// runsOf returns the steps that a memory was in. A weekly step names only the first
// memory that it made; the others are found by the sources that they have links to.
func (o *Ops) runsOf(ctx context.Context, m memory.Memory, links []memory.Link) ([]StoryStep, error) {
	ids := []string{m.ID}
	for _, l := range links {
		if l.Kind == memory.LinkConsolidates && l.From == m.ID {
			ids = append(ids, l.To)
		}
	}
	items, err := o.Store.ItemsOf(ctx, o.Tenant, ids...)
	if err != nil {
		return nil, err
	}
	var steps []StoryStep
	var texts []string
	for _, i := range items {
		source := slices.Contains(i.Sources, m.ID)
		made := !source && (i.MemoryID == m.ID || i.State == memory.ItemApplied && i.EndedAt.Equal(m.CreatedAt))
		if !source && !made {
			continue
		}
		step := StoryStep{Run: i.RunID, N: i.N, Action: i.Action, State: i.State, Made: made, Reason: i.Reason, At: i.EndedAt}
		for _, id := range i.Sources {
			step.Sources = append(step.Sources, StoryText{ID: id})
		}
		into := i.MemoryID
		if made {
			into = m.ID
		} else if i.State == memory.ItemApplied {
			into = m.SuccessorID // of a weekly step that made several
		}
		if into != "" {
			step.Into = &StoryText{ID: into}
		}
		texts = append(append(texts, i.Sources...), into)
		steps = append(steps, step)
	}
	stored, err := review.Texts(ctx, o.Store, o.Tenant, texts...)
	if err != nil {
		return nil, err
	}
	for i := range steps {
		for j := range steps[i].Sources {
			steps[i].Sources[j].Text = stored[steps[i].Sources[j].ID]
		}
		if into := steps[i].Into; into != nil {
			into.Text = stored[into.ID]
		}
	}
	return steps, nil
}

// subjects finds the proposal and the memory of an id.
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
