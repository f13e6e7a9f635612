package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/review/page"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Item is a proposal that waits for a person (S3.17–S3.20).
type Item struct {
	ID        string        `json:"id"`
	Scope     memory.Scope  `json:"scope"`
	Section   string        `json:"section"`
	Kind      memory.Kind   `json:"kind,omitempty"`
	Text      string        `json:"text"` // the exact text that would be stored
	Advice    memory.Advice `json:"recommend"`
	Reason    string        `json:"reason"`
	Rule      string        `json:"rule"`
	From      string        `json:"from"` // the source, in words
	Origin    memory.Origin `json:"origin"`
	Seen      int           `json:"seen"`
	Target    string        `json:"target,omitempty"`
	Against   string        `json:"against,omitempty"` // text of the target
	Preselect bool          `json:"preselect"`         // Enter may accept the recommendation
	Merges    []string      `json:"merges,omitempty"`  // of an offer: titles of the memories that the text would stand for
}

// Waiting lists the proposals that need a person, grouped by section in the
// order of MEMORY.md, oldest first within a section. An empty scope means all.
func (o *Ops) Waiting(ctx context.Context, scope memory.Scope, limit int) ([]Item, error) {
	list, err := o.Store.Proposals(ctx, o.Tenant, store.ProposalQuery{
		Scope: scope, States: []memory.ProposalState{memory.ProposalNeedsReview}, Limit: limit,
	})
	if err != nil {
		return nil, fmt.Errorf("list what waits: %w", err)
	}
	standing, err := review.Standing(ctx, o.Store, o.Tenant, list)
	if err != nil {
		return nil, fmt.Errorf("list what waits: %w", err)
	}
	var targets []string
	for _, d := range standing {
		targets = append(targets, d.Target)
	}
	texts, err := review.Texts(ctx, o.Store, o.Tenant, targets...)
	if err != nil {
		return nil, fmt.Errorf("list what waits: %w", err)
	}
	var offers []string
	for i := range list {
		if list[i].Offer() {
			offers = append(offers, list[i].ID)
		}
	}
	sources, err := review.SourcesOf(ctx, o.Store, o.Tenant, offers...)
	if err != nil {
		return nil, fmt.Errorf("list what waits: %w", err)
	}
	items := make([]Item, 0, len(list))
	for _, p := range list {
		item := itemOf(p, standing[p.ID], texts)
		item.Merges = review.Named(sources[p.ID])
		items = append(items, item)
	}
	slices.SortStableFunc(items, func(a, b Item) int { return cmp.Compare(page.SectionRank(a.Section), page.SectionRank(b.Section)) })
	return items, nil
}

// itemOf returns a proposal in the form for a person. The decision is zero
// before the first one.
func itemOf(p memory.Proposal, standing memory.Decision, texts map[string]string) Item {
	item := Item{
		ID: p.ID, Scope: p.Scope, Section: p.Section, Kind: p.Kind, Text: p.Text, Origin: p.Authority, Seen: p.SeenCount,
		From: page.SourceOf(p), Advice: memory.AdviceReview, Preselect: p.Authority >= memory.OriginFirstParty,
		Reason: standing.Reason, Rule: standing.Rule, Target: standing.Target, Against: texts[standing.Target],
	}
	if item.Section == "" {
		item.Section = memory.SectionFor(p.Kind)
	}
	if standing.Advice != "" {
		item.Advice = standing.Advice
	}
	return item
}

// Aliases for commands, which cannot import the packages below.
type (
	Answer          = review.Answer
	Answered        = review.Answered
	Undone          = review.Undone
	DependentsError = review.DependentsError
	Touched         = review.Touched
)

// The possible answers of a person.
const (
	ActionPromote = review.ActionPromote
	ActionReject  = review.ActionReject
	ActionReplace = review.ActionReplace
)

// Decide applies a person's answer as a new decision.
func (o *Ops) Decide(ctx context.Context, id string, a Answer) (Answered, error) {
	set, done, err := o.decider().Answer(ctx, id, a)
	if err == nil {
		_, err = o.Store.Commit(ctx, o.Tenant, set, store.InboxKey{})
	}
	if err != nil {
		return Answered{}, fmt.Errorf("decide: %w", err)
	}
	return done, nil
}

// Undo reverts a decision, and with cascade the decisions that depend on it; see
// [review.Decider.Undo]. The id of a retraction selects all its decisions, and that of
// a run all its steps.
func (o *Ops) Undo(ctx context.Context, id string, cascade bool) (Undone, error) {
	if strings.HasPrefix(id, memory.PrefixRun) {
		if _, err := o.Store.Run(ctx, o.Tenant, id); err == nil {
			done, err := o.UndoRun(ctx, id, RunUndo{Cascade: cascade})
			return done.Undone, err
		} else if !errors.Is(err, store.ErrNotFound) {
			return Undone{}, fmt.Errorf("undo %s: %w", id, err)
		}
		return o.undoRetraction(ctx, id)
	}
	set, done, err := o.decider().Undo(ctx, cascade, id)
	if err == nil {
		_, err = o.Store.Commit(ctx, o.Tenant, set, store.InboxKey{})
	}
	return done, err
}
