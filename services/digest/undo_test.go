package digest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Undo undoes the last answer, once, for a day; earlier answers follow.
func TestUndoByReply(t *testing.T) {
	t.Parallel()
	b, d := asked(t, "anna", "de")
	b.answer("anna", d.Code, "1j")
	first := b.rows()
	b.answer("anna", d.Code, "2n")
	if a := b.answer("anna", d.Code, "rückgängig"); !a.GetApplied() || b.states(d) != "promoted needs_review needs_review needs_review" {
		t.Errorf("%v, %s", a, b.states(d))
	}
	if a := b.answer("anna", "", "zurück"); !a.GetApplied() || b.states(d) != "needs_review needs_review needs_review needs_review" {
		t.Errorf("%v, %s", a, b.states(d))
	}
	all := b.rows()
	if a := b.answer("anna", d.Code, "undo"); a.GetApplied() || b.rows() != all || all == first {
		t.Errorf("a third undo: %v", a)
	}
	list := b.replies(d)
	if len(list) != 5 || list[2].Undoes != list[1].ID || list[3].Undoes != list[0].ID || list[4].Undoes != "" {
		t.Errorf("replies: %+v", list)
	}
	b.answer("anna", d.Code, "3n")
	b.pass(24*time.Hour + time.Second)
	all = b.rows()
	if a := b.answer("anna", d.Code, "undo"); a.GetApplied() || b.rows() != all {
		t.Errorf("after a day: %v", a)
	}
}

// Decisions that rest on an answer make its undo refuse: one word in a chat must not
// undo what others decided since.
func TestUndoWithDependents(t *testing.T) {
	t.Parallel()
	b, d := asked(t, "anna", "en")
	b.answer("anna", d.Code, "1y 2n")
	m := b.memoryOf(d.Items[0].ProposalID)
	repeat := memory.Proposal{
		ID: b.id(memory.PrefixProposal), Tenant: memory.DefaultTenant, Scope: shop, State: memory.ProposalRejected, Text: m.Text,
		Principal: "agent", EventID: "repeat", CreatedAt: b.now(), LastConfirmed: b.now(), SeenCount: 1, Target: m.ID,
		DecisionID: b.id(memory.PrefixDecision),
	}
	b.commit(memory.DefaultTenant, change.Set{
		Proposals: []memory.Proposal{repeat},
		Decisions: []memory.Decision{{
			ID: repeat.DecisionID, Tenant: repeat.Tenant, Scope: shop, ProposalID: repeat.ID, Verdict: memory.VerdictRejected,
			Rule: "dup.exact", Target: m.ID, Actor: memory.ActorTriage, Features: []byte(`{}`), At: b.now(),
		}},
		Evidence: []memory.Evidence{{ID: b.id(memory.PrefixEvidence), Tenant: repeat.Tenant, Subject: m.ID, ProposalID: repeat.ID}},
	})
	before := b.rows()
	if a := b.answer("anna", d.Code, "undo"); a.GetApplied() || b.rows() != before || !strings.Contains(a.GetText(), "rest on") {
		t.Errorf("undo: %v", a)
	}
}

// S3.29: a wrong spot check is undone with the decisions that rest on it, and all of it
// returns to review; undo makes it active again.
func TestSpotCheckTakenBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := b.propose(shop, facts[0], memory.VerdictPromoted)
	b.who = "ci-bot"
	repeat := b.propose(shop, "- "+facts[0], memory.VerdictRejected)
	b.set(monday)
	d := b.due("local", "2026-W48")
	if a := b.answer("local", d.Code, "p1n"); !a.GetApplied() || !strings.Contains(a.GetText(), "p1 taken back") {
		t.Fatalf("answer: %v", a)
	}
	if m := b.memory(made.MemoryID); m.State != memory.StateArchived || m.ArchiveReason != "undone" {
		t.Errorf("memory: %+v", m)
	}
	for _, id := range []string{made.ProposalID, repeat.ProposalID} {
		if p := b.proposal(id); p.State != memory.ProposalNeedsReview {
			t.Errorf("%s is %s, want in review again", id, p.State)
		}
	}
	reviews, err := b.Store().Reviews(t.Context(), memory.DefaultTenant, made.ProposalID)
	if err != nil || len(reviews) != 1 || reviews[0].Agreed || reviews[0].Rule != made.Rule {
		t.Errorf("reviews %+v, %v; want one against the rule", reviews, err)
	}
	if a := b.answer("local", d.Code, "undo"); !a.GetApplied() {
		t.Fatalf("undo: %v", a)
	}
	if m := b.memoryOf(made.ProposalID); m.State != memory.StateActive || m.Text != facts[0] || m.Authority != memory.OriginHuman {
		t.Errorf("memory after the undo: %+v", m)
	}
	report, err := b.Store().VerifyAudit(t.Context(), memory.DefaultTenant)
	if err != nil || report.BrokenAt != 0 {
		t.Errorf("audit: %+v, %v", report, err)
	}
}
