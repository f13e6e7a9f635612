package verdict

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// The possible values of [Verdict.Status].
const (
	Recorded    = "recorded"
	NeedsReview = "needs_review"
	Duplicate   = "duplicate"
	Rejected    = "rejected"
	Quarantined = "quarantined"
	Waiting     = "waiting"
)

// Statuses lists every status.
func Statuses() []string {
	return []string{Recorded, NeedsReview, Duplicate, Rejected, Quarantined, Waiting}
}

// Verdict is what became of a proposal (S4.4), with the reason when nothing was
// recorded.
type Verdict struct {
	ID                string  `json:"id,omitempty" jsonschema:"Id of the memory; absent when nothing was recorded."`
	Message           string  `json:"message" jsonschema:"What happened, in words."`
	InitialConfidence float64 `json:"initial_confidence,omitempty" jsonschema:"Confidence that it starts with; absent when nothing was recorded."`
	Status            string  `json:"status" jsonschema:"What became of it."`
	ProposalID        string  `json:"proposal_id,omitempty" jsonschema:"Id of the proposal, which a person can look up with winnow why."`
	RelatedID         string  `json:"related_id,omitempty" jsonschema:"The memory or proposal that it repeats or contradicts."`
	SecretsReplaced   int     `json:"secrets_replaced,omitempty" jsonschema:"How many secrets were replaced in what was sent; absent when none was found. Leave them out next time."`
	NextStep          string  `json:"next_step,omitempty" jsonschema:"What to do now."`
}

// A verdict normally takes milliseconds. A wait covers a fleet that starts or has a
// backlog; after the wait the proposal is decided in the background.
const (
	firstLook   = 5 * time.Millisecond
	slowestLook = 200 * time.Millisecond
)

// Await waits for the verdict on an event of the caller, at most for a time, and returns
// it in words. Without a verdict by then the status is Waiting.
func Await(ctx context.Context, rows store.Reader, who memory.Principal, eventID string, within time.Duration) (Verdict, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
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
		out, decided, err := Of(ctx, rows, who, eventID)
		if errors.Is(err, context.DeadlineExceeded) {
			return waiting(""), nil
		}
		if decided || err != nil {
			return out, err
		}
	}
}

// waiting returns the answer to a record without a verdict.
func waiting(proposal string) Verdict {
	return Verdict{
		Status: Waiting, ProposalID: proposal,
		Message:  "The record is safe and not decided yet.",
		NextStep: "Go on with your work; it will be decided without you. A person can look with winnow status.",
	}
}

// Of returns the verdict on the proposal of the caller's event, if there is one.
func Of(ctx context.Context, rows store.Reader, who memory.Principal, eventID string) (Verdict, bool, error) {
	list, err := rows.Proposals(ctx, who.Tenant, store.ProposalQuery{EventID: eventID, Principal: who.ID, Limit: 1})
	if err != nil || len(list) == 0 || list[0].DecisionID == "" {
		return Verdict{}, false, err
	}
	p := list[0]
	d, err := rows.Decision(ctx, who.Tenant, p.DecisionID)
	if err != nil {
		return Verdict{}, false, fmt.Errorf("decision of %s: %w", p.ID, err)
	}
	out := Verdict{ProposalID: p.ID, RelatedID: d.Target}
	reason := inOneLine(d.Reason)
	switch p.State {
	case memory.ProposalPromoted:
		m, err := rows.Memory(ctx, who.Tenant, d.MemoryID)
		if err != nil {
			return Verdict{}, false, fmt.Errorf("memory of %s: %w", p.ID, err)
		}
		out.ID, out.InitialConfidence, out.Status, out.Message = m.ID, m.Confidence, Recorded, "Memory recorded successfully"
	case memory.ProposalNeedsReview:
		out.Status, out.Message = NeedsReview, "Not recorded yet: a person decides. "+reason
		out.NextStep = "Go on without it. A person answers with winnow review or in the weekly digest."
	case memory.ProposalQuarantined:
		out.Status, out.Message = Quarantined, "Not recorded: the text looks like an instruction or an attack and is set aside. "+reason
		out.NextStep = "If it is a lesson, record it in other words, as what was learned and not as an order."
	case memory.ProposalMerged:
		out.Status, out.Message = Duplicate, "Already known: it counts as a confirmation of "+d.Target+". "+reason
		out.NextStep = "Read that one with memory_get, and record only what it lacks."
	default:
		out.Status, out.Message = Rejected, "Not recorded: "+reason
		out.NextStep = "Record it again only with more to say: names, numbers, what to do and why."
		if d.Target != "" {
			out.Status, out.Message = Duplicate, "Not recorded: it repeats "+d.Target+". "+reason
			out.NextStep = "Read that one with memory_get, and record only what it lacks."
		}
	}
	return out, true, nil
}

// maxReason is the longest reason that is repeated, in characters.
const maxReason = 250

// inOneLine returns a reason in one line.
func inOneLine(reason string) string {
	line := []rune(strings.Join(strings.Fields(reason), " "))
	if len(line) > maxReason {
		return string(line[:maxReason-1]) + "…"
	}
	return string(line)
}
