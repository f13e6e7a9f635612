package review

import (
	"context"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review/page"
)

// retract undoes promotions that a spot check found wrong, with the decisions that rest
// on them, which return to review. Promotions that were undone before are skipped.
func (r *replying) retract(ctx context.Context, wrong []page.Action) (change.Set, error) {
	var roots []string
	for _, a := range wrong {
		made, err := r.Store.Decision(ctx, r.Tenant, a.DecisionID)
		if err != nil {
			return change.Set{}, err
		}
		p, err := r.Store.Proposal(ctx, r.Tenant, made.ProposalID)
		if err != nil {
			return change.Set{}, err
		}
		now, err := r.Store.Decision(ctx, r.Tenant, p.DecisionID)
		if err != nil {
			return change.Set{}, err
		}
		if now.Undoes != made.ID {
			roots = append(roots, made.ID)
		}
	}
	if len(roots) == 0 {
		return change.Set{}, nil
	}
	set, _, err := r.Undo(ctx, true, roots...)
	for _, d := range set.Decisions {
		if slices.Contains(roots, d.Undoes) {
			r.row.Decisions = append(r.row.Decisions, d.ID)
		}
	}
	return set, err
}

// undo undoes the decisions of the last reply that are still in force.
func (r *replying) undo(ctx context.Context) error {
	last, found, err := r.last(ctx)
	if err != nil {
		return err
	}
	if !found {
		r.row.Answer = page.Undone(r.digest.Language, 0)
		return nil
	}
	var answers []string
	var sets []change.Set
	for _, id := range last.Decisions {
		made, err := r.Store.Decision(ctx, r.Tenant, id)
		if err != nil {
			return err
		}
		if made.Undoes == "" {
			answers = append(answers, id)
			continue
		}
		set, err := r.reinstate(ctx, made)
		if err != nil {
			return refusable(err)
		}
		sets = append(sets, set)
	}
	if len(answers) > 0 {
		set, _, err := r.Undo(ctx, false, answers...)
		if err != nil {
			return refusable(err)
		}
		sets = append(sets, set)
	}
	if r.set, err = Together(sets...); err != nil {
		return refusable(err)
	}
	r.row.Applied, r.row.Undoes = true, last.ID
	r.row.Answer = page.Undone(r.digest.Language, len(last.Decisions))
	return nil
}

// last returns the newest reply that decided something, was not undone and still can
// be.
func (r *replying) last(ctx context.Context) (reply memory.DigestReply, found bool, err error) {
	replies, err := r.Store.DigestReplies(ctx, r.Tenant, r.digest.ID)
	if err != nil {
		return reply, false, err
	}
	undone := map[string]bool{}
	for _, earlier := range replies {
		undone[earlier.Undoes] = true
	}
	for _, earlier := range slices.Backward(replies) {
		if len(earlier.Decisions) > 0 && earlier.Undoes == "" && !undone[earlier.ID] {
			return earlier, r.Now.Sub(earlier.At) <= r.cfg.UndoWithin, nil
		}
	}
	return reply, false, nil
}

// reinstate promotes a text again that a spot check took out of service: the person now
// says that it was right, which is an ordinary answer. Decisions that rested on it stay
// in review.
func (r *replying) reinstate(ctx context.Context, retraction memory.Decision) (change.Set, error) {
	made, err := r.Store.Decision(ctx, r.Tenant, retraction.Undoes)
	if err != nil {
		return change.Set{}, err
	}
	again := Answer{Action: ActionPromote, Note: "digest " + r.digest.Code}
	if strings.HasPrefix(made.Target, memory.PrefixMemory) {
		again.Action, again.Target = ActionReplace, made.Target
	}
	set, _, err := r.Answer(ctx, retraction.ProposalID, again)
	return set, err
}

// refusable turns an impossible action into a refusal, and returns other errors
// unchanged.
func refusable(err error) error {
	if impossible(err) {
		return &refusal{err}
	}
	return err
}
