package ingest

import (
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
)

// ruleOrigin is the rule by which a recorded text goes back to review when its
// session shows where its words came from (SPEC §7).
const ruleOrigin = "origin.external"

// reasonOrigin says why its memory is out of service.
const reasonOrigin = "its session shows that it came from outside"

// rederive sends a text back to review and takes the memory made of it out of
// service. It never raises an origin.
func (o *earlier) rederive(e *review.Effect, s memory.Session) {
	p, m := o.proposal, o.memory
	d := memory.Decision{
		ID: e.NewID(memory.PrefixDecision), Tenant: e.Tenant, Scope: p.Scope, ProposalID: p.ID,
		Verdict: memory.VerdictNeedsReview, Rule: ruleOrigin, Fired: []string{ruleOrigin}, Advice: memory.AdviceReview,
		Reason:   fmt.Sprintf("It was recorded in the session %s before that arrived, and carries words that came from outside there.", s.Name),
		Features: []byte(`{}`), Principal: p.Principal, Actor: memory.ActorSystem, Authority: o.origin, At: e.Now,
	}
	body := map[string]string{"decision": d.ID, "session": s.ID, "was": p.Authority.String(), "is": o.origin.String()}
	if m.ID != "" {
		m.State, m.ArchivedAt, m.ArchiveReason = memory.StateArchived, e.Now, reasonOrigin
		e.UpdateMemory(m)
		e.Set.MemoryUpdates[len(e.Set.MemoryUpdates)-1].Outside = true
		e.Archived(m, d.ID)
		body["memory"], body["served_in"] = m.ID, strings.Join(o.sessions(), " ")
	}
	p.State, p.DecisionID = memory.ProposalNeedsReview, d.ID
	e.UpdateProposal(p)
	e.Set.ProposalUpdates[len(e.Set.ProposalUpdates)-1].Outside = true
	e.Decide(d, &p)
	e.AuditAs(memory.ActorSystem, "proposal.rederived", p.ID, body)
}
