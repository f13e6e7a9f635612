package review

import (
	"cmp"
	"context"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Desk is a person at work on one tenant. It reads what an answer or an undo
// touches and decides what that changes; committing is the caller's. What it
// read is guarded by the Expect of the rows. It is for one person's one
// transaction at a time.
type Desk struct {
	Stamp
	Store store.Reader
	// Redact takes the secrets out of what the person wrote.
	Redact func(text string) string
}

// Answer is what a person says about a proposal.
type Answer struct {
	Action  string // promote, reject or replace
	Text    string // another text to store instead, as written by the person
	Section string // another section
	Target  string // memory to replace; empty for the one that the question names
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

// Answer decides what a person's answer to a proposal changes, as a new decision.
func (d *Desk) Answer(ctx context.Context, id string, a Answer) (change.Set, Answered, error) {
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

func (d *Desk) gatherAnswer(ctx context.Context, id string, a Answer) (in reviewInput, err error) {
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
	in.evidence, err = d.Store.Evidence(ctx, d.Tenant, id)
	return in, err
}
