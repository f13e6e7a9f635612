package review

import (
	"cmp"
	"context"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/change"
)

// Decider decides what the actions of one person change in one tenant. It reads the
// rows that an action touches; committing the returned set is the caller's part, and
// the Expect of the rows guards against changes in between. It is for one transaction
// at a time.
type Decider struct {
	Stamp
	Store Store
	// Redact removes secrets from the person's text.
	Redact func(text string) string
}

// Answer is a person's answer to a proposal.
type Answer struct {
	Action  string // promote, reject or replace
	Text    string // text to store instead of the proposal's, by the person
	Section string // section to store in; empty for the proposal's
	Target  string // memory to replace; empty for the one that the question names
	Note    string
}

// Answered is the result of an answer.
type Answered struct {
	Proposal string `json:"proposal"`
	Decision string `json:"decision"`
	Verdict  string `json:"verdict"`
	Memory   string `json:"memory,omitempty"`
	Replaced string `json:"replaced,omitempty"`
	// Merged are the memories that an offer put together.
	Merged []string `json:"merged,omitempty"`
}

// Answer decides what a person's answer to a proposal changes. The result is a new
// decision.
func (d *Decider) Answer(ctx context.Context, id string, a Answer) (change.Set, Answered, error) {
	in, err := d.gatherAnswer(ctx, id, a)
	if err != nil {
		return change.Set{}, Answered{}, fmt.Errorf("answer %s: %w", id, err)
	}
	set, done, err := decideReview(d.Stamp, in)
	if err != nil {
		return change.Set{}, Answered{}, fmt.Errorf("answer %s: %w", id, err)
	}
	return set, done, nil
}

func (d *Decider) gatherAnswer(ctx context.Context, id string, a Answer) (in reviewInput, err error) {
	in.answer = a
	in.answer.Text = d.Redact(a.Text)
	if in.proposal, err = d.Store.Proposal(ctx, d.Tenant, id); err != nil {
		return in, err
	}
	if in.proposal.DecisionID != "" {
		if in.standing, err = d.Store.Decision(ctx, d.Tenant, in.proposal.DecisionID); err != nil {
			return in, err
		}
	}
	if a.Action == ActionReplace {
		target := cmp.Or(a.Target, in.standing.Target)
		if in.target, err = d.Store.Memory(ctx, d.Tenant, target); err != nil {
			return in, fmt.Errorf("replace %q: %w", target, err)
		}
	}
	if in.proposal.Offer() {
		if in.sources, err = sourcesOf(ctx, d.Store, d.Tenant, id); err != nil {
			return in, err
		}
	}
	in.evidence, err = d.Store.Evidence(ctx, d.Tenant, id)
	return in, err
}
