package triage_test

import (
	"fmt"
	"testing"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
	"github.com/winnowhq/winnow/services/triage"
)

// S3.2, S3.32, D9: a published proposal is judged by the time it is
// acknowledged; the audit log has the verdict and what it archived, and the
// replaced memory is still stored, with its successor.
func TestVerdictActsAtOnceAndIsAudited(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, triage.Definition)
	b.DeliverOnce(sent("evt_old", "", func(p *winnowv1.ProposalCreated) {
		p.Text = "2026-11-10: Staging Postgres listens on port 5433 (`terraform/staging/db.tf`)."
	}))
	b.DeliverOnce(sent("evt_new", "", func(p *winnowv1.ProposalCreated) {
		p.Text = "2026-11-17: Staging Postgres moved from port 5433 to port 5440 (`terraform/staging/db.tf`)."
	}))
	list := b.Proposals(memory.DefaultTenant)
	if len(list) != 2 {
		t.Fatalf("%d proposals, want two", len(list))
	}
	for _, p := range list {
		if p.State != memory.ProposalPromoted {
			t.Fatalf("%q is %s", p.Text, p.State)
		}
		if got := actions(t, b, p.ID); got["proposal.decided"] != 1 {
			t.Errorf("audit of %s: %v, want one decision", p.ID, got)
		}
	}
	memories, err := b.Store().Memories(t.Context(), memory.DefaultTenant, store.MemoryQuery{})
	if err != nil || len(memories) != 2 {
		t.Fatalf("%d memories, %v; want the new one and the archived one", len(memories), err)
	}
	for _, m := range memories {
		if m.ProposalID == list[1].ID {
			if m.State != memory.StateActive {
				t.Errorf("the new one is %s", m.State)
			}
			continue
		}
		if m.State != memory.StateArchived || m.SuccessorID == "" || m.ArchiveReason == "" {
			t.Errorf("the old one is %s (%q), successor %q", m.State, m.ArchiveReason, m.SuccessorID)
		}
		if got := actions(t, b, m.ID); got["memory.archived"] != 1 {
			t.Errorf("audit of %s: %v, want its archiving", m.ID, got)
		}
	}
}

// actions counts the audit entries about one id.
func actions(t *testing.T, b *workertest.Bench, subject string) map[string]int {
	t.Helper()
	events, err := b.Store().AuditEvents(t.Context(), memory.DefaultTenant, subject, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, e := range events {
		count[e.Action]++
		if e.Actor != memory.ActorTriage || e.Principal != "agent" {
			t.Errorf("%s of %s by %s, %q", e.Action, subject, e.Actor, e.Principal)
		}
	}
	return count
}

// S3.33: a proposal that needs a person waits, batch after batch and across a
// restart. Its repeats are counted on it.
func TestWhatNeedsAPersonAccumulates(t *testing.T) {
	t.Parallel()
	texts := []string{
		"Never commit to `main` directly.", "Mara prefers `vitest` over `jest`.",
		"Handlers should return early, see `http.go`.", "I think `kafka` would be the cleaner design.",
	}
	b := workertest.New(t, triage.Definition)
	publish := func(round int, text string) bus.Outgoing {
		return sent(fmt.Sprintf("evt_%d_%.8s", round, text), "", func(p *winnowv1.ProposalCreated) { p.Text = text })
	}
	for _, text := range texts {
		b.DeliverOnce(publish(1, text))
	}
	b.Stop()
	b.Start()
	for _, text := range texts {
		b.DeliverOnce(publish(2, text))
	}
	waiting, err := b.Store().Proposals(t.Context(), memory.DefaultTenant, store.ProposalQuery{States: []memory.ProposalState{memory.ProposalNeedsReview}})
	if err != nil || len(waiting) != len(texts) {
		t.Fatalf("%d wait, %v; want %d", len(waiting), err, len(texts))
	}
	for _, p := range waiting {
		if p.SeenCount != 2 {
			t.Errorf("%q was seen %d times, want 2", p.Text, p.SeenCount)
		}
	}
	memories, err := b.Store().Memories(t.Context(), memory.DefaultTenant, store.MemoryQuery{})
	if err != nil || len(memories) != 0 {
		t.Errorf("%d memories, %v; want none without a person", len(memories), err)
	}
}

// S3.10, D5: copies by several publishers and in several batches become evidence
// of the promoted one.
func TestCopiesBecomeEvidence(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, triage.Definition)
	for round := range 3 {
		var batch []bus.Outgoing
		for i := range 4 {
			batch = append(batch, sent(fmt.Sprintf("evt_%d_%d", round, i), "", func(p *winnowv1.ProposalCreated) {
				p.SessionId = fmt.Sprintf("sess_%d_%d", round, i)
			}))
		}
		b.DeliverOnce(batch...)
	}
	memories, err := b.Store().Memories(t.Context(), memory.DefaultTenant, store.MemoryQuery{})
	if err != nil || len(memories) != 1 || memories[0].SeenCount != 12 {
		t.Fatalf("memories %+v, %v; want one, seen 12 times", memories, err)
	}
	evidence, err := b.Store().Evidence(t.Context(), memory.DefaultTenant, memories[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	sessions, proposals := map[string]bool{}, map[string]bool{}
	for _, e := range evidence {
		sessions[e.SessionID], proposals[e.ProposalID] = true, true
	}
	if len(sessions) != 12 || len(proposals) != 12 {
		t.Errorf("evidence of %d sessions and %d proposals, want 12 each", len(sessions), len(proposals))
	}
	// One principal corroborates nothing, in any number of sessions.
	if memories[0].Authority != memory.OriginAgent {
		t.Errorf("authority %s, want agent", memories[0].Authority)
	}
}
