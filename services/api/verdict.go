package api

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// The possible results of a record.
const (
	statusRecorded    = "recorded"
	statusReview      = "needs_review"
	statusDuplicate   = "duplicate"
	statusRejected    = "rejected"
	statusQuarantined = "quarantined"
	statusWaiting     = "waiting"
)

// A verdict normally takes milliseconds. The wait covers a fleet that starts or
// has a backlog; after the wait the proposal is decided in the background.
const (
	verdictWithin = 5 * time.Second
	firstLook     = 5 * time.Millisecond
	slowestLook   = 200 * time.Millisecond
)

// verdict waits for the verdict on the caller's event and returns it in words.
func (a *api) verdict(ctx context.Context, eventID string) (recordOutput, error) {
	ctx, cancel := context.WithTimeout(ctx, verdictWithin)
	defer cancel()
	pause := time.NewTimer(firstLook)
	defer pause.Stop()
	for next := 2 * firstLook; ; next = min(2*next, slowestLook) {
		select {
		case <-ctx.Done():
			return waiting(""), nil
		case <-pause.C:
			pause.Reset(next)
		}
		out, decided, err := a.decided(ctx, eventID)
		if errors.Is(err, context.DeadlineExceeded) {
			return waiting(""), nil
		}
		if decided || err != nil {
			return out, err
		}
	}
}

// waiting returns the answer to a record without a verdict.
func waiting(proposal string) recordOutput {
	return recordOutput{
		Status: statusWaiting, ProposalID: proposal,
		Message:  "The record is safe and not decided yet.",
		NextStep: "Go on with your work; it will be decided without you. A person can look with winnow status.",
	}
}

// decided returns the verdict on the event's proposal, if there is one.
func (a *api) decided(ctx context.Context, eventID string) (recordOutput, bool, error) {
	who := callerOf(ctx)
	list, err := a.Store.Proposals(ctx, who.Tenant, store.ProposalQuery{EventID: eventID, Principal: who.ID, Limit: 1})
	if err != nil || len(list) == 0 || list[0].DecisionID == "" {
		return recordOutput{}, false, err
	}
	p := list[0]
	d, err := a.Store.Decision(ctx, who.Tenant, p.DecisionID)
	if err != nil {
		return recordOutput{}, false, fmt.Errorf("decision of %s: %w", p.ID, err)
	}
	out := recordOutput{ProposalID: p.ID, RelatedID: d.Target}
	reason := oneLine(d.Reason, maxDescription)
	switch p.State {
	case memory.ProposalPromoted:
		m, err := a.Store.Memory(ctx, who.Tenant, d.MemoryID)
		if err != nil {
			return recordOutput{}, false, fmt.Errorf("memory of %s: %w", p.ID, err)
		}
		out.ID, out.InitialConfidence, out.Status, out.Message = m.ID, m.Confidence, statusRecorded, "Memory recorded successfully"
	case memory.ProposalNeedsReview:
		out.Status, out.Message = statusReview, "Not recorded yet: a person decides. "+reason
		out.NextStep = "Go on without it. A person answers with winnow review or in the weekly digest."
	case memory.ProposalQuarantined:
		out.Status, out.Message = statusQuarantined, "Not recorded: the text looks like an instruction or an attack and is set aside. "+reason
		out.NextStep = "If it is a lesson, record it in other words, as what was learned and not as an order."
	case memory.ProposalMerged:
		out.Status, out.Message = statusDuplicate, "Already known: it counts as a confirmation of "+d.Target+". "+reason
		out.NextStep = "Read that one with memory_get, and record only what it lacks."
	default:
		out.Status, out.Message = statusRejected, "Not recorded: "+reason
		out.NextStep = "Record it again only with more to say: names, numbers, what to do and why."
		if d.Target != "" {
			out.Status, out.Message = statusDuplicate, "Not recorded: it repeats "+d.Target+". "+reason
			out.NextStep = "Read that one with memory_get, and record only what it lacks."
		}
	}
	return out, true, nil
}
