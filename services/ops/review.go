package ops

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Item is a proposal that waits for a person (S3.17–S3.20).
type Item struct {
	ID        string        `json:"id"`
	Scope     memory.Scope  `json:"scope"`
	Section   string        `json:"section"`
	Kind      memory.Kind   `json:"kind,omitempty"`
	Text      string        `json:"text"` // exactly what would be stored
	Advice    memory.Advice `json:"recommend"`
	Reason    string        `json:"reason"`
	Rule      string        `json:"rule"`
	From      string        `json:"from"` // where it came from, in words
	Origin    memory.Origin `json:"origin"`
	Seen      int           `json:"seen"`
	Target    string        `json:"target,omitempty"`
	Against   string        `json:"against,omitempty"` // text of the target
	Preselect bool          `json:"preselect"`         // the recommendation may be taken by Enter
}

// Waiting lists what waits for a person, grouped by section in the order of
// MEMORY.md, oldest first within one. Empty scope means all.
func (o *Ops) Waiting(ctx context.Context, scope memory.Scope, limit int) ([]Item, error) {
	list, err := o.Store.Proposals(ctx, o.Tenant, store.ProposalQuery{
		Scope: scope, States: []memory.ProposalState{memory.ProposalNeedsReview}, Limit: limit,
	})
	if err != nil {
		return nil, fmt.Errorf("list what waits: %w", err)
	}
	items := make([]Item, 0, len(list))
	for _, p := range list {
		item, err := o.item(ctx, p)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	slices.SortStableFunc(items, func(a, b Item) int { return cmp.Compare(sectionRank(a.Section), sectionRank(b.Section)) })
	return items, nil
}

func (o *Ops) item(ctx context.Context, p memory.Proposal) (Item, error) {
	item := Item{
		ID: p.ID, Scope: p.Scope, Section: p.Section, Kind: p.Kind, Text: p.Text, Origin: p.Authority, Seen: p.SeenCount,
		From: whence(p), Advice: memory.AdviceReview, Preselect: p.Authority >= memory.OriginFirstParty,
	}
	if item.Section == "" {
		item.Section = memory.SectionFor(p.Kind)
	}
	if p.DecisionID == "" {
		return item, nil
	}
	d, err := o.Store.Decision(ctx, o.Tenant, p.DecisionID)
	if err != nil {
		return Item{}, fmt.Errorf("decision of %s: %w", p.ID, err)
	}
	item.Reason, item.Rule, item.Target = d.Reason, d.Rule, d.Target
	if d.Advice != "" {
		item.Advice = d.Advice
	}
	item.Against, err = o.textOf(ctx, d.Target)
	return item, err
}

// textOf is the text of a memory or proposal; empty for other ids.
func (o *Ops) textOf(ctx context.Context, id string) (string, error) {
	switch prefix, _ := memory.ParseID(id, memory.PrefixMemory, memory.PrefixProposal); prefix {
	case memory.PrefixMemory:
		m, err := o.Store.Memory(ctx, o.Tenant, id)
		return m.Text, err
	case memory.PrefixProposal:
		p, err := o.Store.Proposal(ctx, o.Tenant, id)
		return p.Text, err
	}
	return "", nil
}

// sectionRank orders sections as MEMORY.md does; own ones come last.
func sectionRank(section string) int {
	if i := slices.Index(memory.DefaultSections(), section); i >= 0 {
		return i
	}
	return len(memory.DefaultSections())
}

// whence says in words where a text came from.
func whence(p memory.Proposal) string {
	who := map[memory.Origin]string{
		memory.OriginHuman: "a person said it", memory.OriginFirstParty: "a registered service or its user said it",
		memory.OriginAgent: "an agent's statement", memory.OriginExternal: "from outside, no person said it",
		memory.OriginUnknown: "nobody knows from where",
	}[p.Origin]
	text := who + " (" + p.Principal
	if p.SessionID != "" {
		text += ", session " + p.SessionID
	}
	if !p.ObservedAt.IsZero() {
		text += ", " + p.ObservedAt.Format("2 Jan 2006")
	}
	if p.SeenCount > 1 {
		text += fmt.Sprintf(", seen %d times", p.SeenCount)
	}
	return text + ")"
}

// Answer is what a person says about a proposal.
type Answer struct {
	Action  string // promote, reject or replace
	Text    string // another text to store instead, as written by the person
	Section string // another section
	Note    string
}

// Answered is what came of it.
type Answered struct {
	Proposal string `json:"proposal"`
	Decision string `json:"decision"`
	Verdict  string `json:"verdict"`
	Memory   string `json:"memory,omitempty"`
	Replaced string `json:"replaced,omitempty"`
}

// Decide carries a person's answer out, as a new decision.
func (o *Ops) Decide(ctx context.Context, id string, a Answer) (Answered, error) {
	p, err := o.Store.Proposal(ctx, o.Tenant, id)
	if err != nil {
		return Answered{}, fmt.Errorf("decide %s: %w", id, err)
	}
	in := reviewInput{proposal: p, answer: a}
	in.answer.Text = o.redacted(a.Text)
	if p.DecisionID != "" {
		if in.standing, err = o.Store.Decision(ctx, o.Tenant, p.DecisionID); err != nil {
			return Answered{}, fmt.Errorf("decide %s: %w", id, err)
		}
	}
	if a.Action == ActionReplace {
		if in.target, err = o.Store.Memory(ctx, o.Tenant, in.standing.Target); err != nil {
			return Answered{}, fmt.Errorf("decide %s: replace %q: %w", id, in.standing.Target, err)
		}
	}
	if in.evidence, err = o.Store.Evidence(ctx, o.Tenant, id); err != nil {
		return Answered{}, fmt.Errorf("decide %s: %w", id, err)
	}
	set, done, err := decideReview(o.stamp(), in)
	if err != nil {
		return Answered{}, fmt.Errorf("decide %s: %w", id, err)
	}
	if _, err := o.Store.Commit(ctx, o.Tenant, set, store.InboxKey{}); err != nil {
		return Answered{}, fmt.Errorf("decide %s: commit: %w", id, err)
	}
	return done, nil
}
