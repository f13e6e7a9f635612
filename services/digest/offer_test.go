package digest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/consolidation"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// offer stores two memories of a scope and the offer to merge them.
func (b *bench) offer(scope memory.Scope, text string) (memory.Proposal, []string) {
	b.Helper()
	b.pass(time.Second)
	var sources []consolidation.Candidate
	var ids []string
	for _, title := range []string{"Retries of the mailer", "Backoff of the mailer"} {
		m := memory.Memory{
			ID: b.id(memory.PrefixMemory), Tenant: memory.DefaultTenant, Scope: scope, State: memory.StateActive, Kind: memory.KindStrategy,
			Section: "Patterns", Title: title, Text: title + " is settled.", Importance: 5, Confidence: 0.6, Origin: memory.OriginAgent,
			Authority: memory.OriginAgent, Principal: "agent", CreatedAt: b.now(), LastConfirmed: b.now(), SeenCount: 1,
		}
		b.commit(memory.DefaultTenant, change.Set{Memories: []memory.Memory{m}})
		sources, ids = append(sources, consolidation.Candidate{Memory: b.memory(m.ID)}), append(ids, m.ID)
	}
	set, p := consolidation.Offer(consolidation.Act{
		Now: b.now(), NewID: b.id, RunID: "run_1", Sources: sources, Similarity: "both",
		Group:   consolidation.Group{Members: ids, Mode: consolidation.ModeTheme, Average: 0.3, Minimum: 0.2, Why: "2 memories are on one theme."},
		Product: consolidation.Product{Title: "The mailer", Text: text, Confidence: 0.6, By: "concatenation"},
	})
	b.commit(memory.DefaultTenant, set)
	return p, ids
}

// SPEC §11, D8: the digest asks about a theme in one question with the whole merged
// text, behind all others; ok leaves it open, y merges, and undo takes it back.
func TestOfferInTheDigest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.ask(shop, 2)
	long := "The mailer retries five times. " + strings.Repeat("It waits longer every time. ", 16)
	p, ids := b.offer(shop, strings.TrimSpace(long))
	b.set(monday)
	d := b.due("local", "2026-W48")
	if len(d.Items) != 3 || d.Items[2].ProposalID != p.ID && d.Items[0].ProposalID != p.ID && d.Items[1].ProposalID != p.ID {
		t.Fatalf("items %+v", d.Items)
	}
	if !strings.Contains(d.Text, "merge these 2 into it? Retries of the mailer; Backoff of the mailer") || !strings.Contains(d.Text, p.Text) {
		t.Fatalf("the digest:\n%s", d.Text)
	}
	if words := len(strings.Fields(d.Text)); words > 320 {
		t.Errorf("%d words", words)
	}
	var n string
	for _, item := range d.Items {
		if item.ProposalID == p.ID {
			n = string(rune('0' + item.Number))
		}
	}
	b.answer("local", d.Code, "ok")
	if b.proposal(p.ID).State != memory.ProposalNeedsReview {
		t.Errorf("ok decided the offer: %s", b.proposal(p.ID).State)
	}
	if a := b.answer("local", d.Code, n+"y"); !a.GetApplied() {
		t.Fatalf("%v", a)
	}
	m := b.memoryOf(p.ID)
	for _, id := range ids {
		if s := b.memory(id); s.State != memory.StateArchived || s.SuccessorID != m.ID {
			t.Errorf("%s is %s, successor %q", id, s.State, s.SuccessorID)
		}
	}
	if a := b.answer("local", d.Code, "undo"); !a.GetApplied() || b.memory(ids[0]).State != memory.StateActive || b.proposal(p.ID).State != memory.ProposalNeedsReview {
		t.Errorf("undo: %v, %s", a, b.memory(ids[0]).State)
	}
}

// D12: the digest names both texts of a contradiction in one question. A yes keeps the
// later text in place of both, and undo brings both back.
func TestContradictionInTheDigest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var sources []consolidation.Candidate
	for _, text := range []string{"The mailer listens on port 25.", "The mailer listens on port 2525."} {
		b.pass(time.Second)
		m := memory.Memory{
			ID: b.id(memory.PrefixMemory), Tenant: memory.DefaultTenant, Scope: shop, State: memory.StateActive, Kind: memory.KindFact,
			Section: "Facts", Text: text, Importance: 5, Confidence: 0.6, Origin: memory.OriginAgent, Authority: memory.OriginAgent,
			Principal: "agent", CreatedAt: b.now(), LastConfirmed: b.now(), SeenCount: 1,
		}
		b.commit(memory.DefaultTenant, change.Set{Memories: []memory.Memory{m}})
		sources = append(sources, consolidation.Candidate{Memory: b.memory(m.ID)})
	}
	set, p := consolidation.Contradiction(consolidation.Act{
		Now: b.now(), NewID: b.id, RunID: "run_1", Sources: sources, Similarity: "both", Group: consolidation.Group{Mode: consolidation.ModeMerge},
	}, "The memories contradict each other.")
	b.commit(memory.DefaultTenant, set)
	b.set(monday)
	d := b.due("local", "2026-W48")
	for _, want := range []string{
		`"The mailer listens on port 2525." — recommend: review (the memories contradict each other)`,
		`stored now: "The mailer listens on port 25."`, "yes keeps the first in place of both",
	} {
		if !strings.Contains(d.Text, want) {
			t.Errorf("%q is not in\n%s", want, d.Text)
		}
	}
	if a := b.answer("local", d.Code, "1y"); !a.GetApplied() {
		t.Fatalf("%v", a)
	}
	m := b.memoryOf(p.ID)
	for i := range sources {
		if s := b.memory(sources[i].ID); m.Text != sources[1].Text || s.State != memory.StateArchived || s.SuccessorID != m.ID {
			t.Errorf("%q is %s, its successor %q", s.Text, s.State, s.SuccessorID)
		}
	}
	if a := b.answer("local", d.Code, "undo"); !a.GetApplied() || b.memory(sources[0].ID).State != memory.StateActive || b.memory(sources[1].ID).State != memory.StateActive {
		t.Errorf("undo: %v", a)
	}
}

// An offer waits 28 days like any question; one whose memories changed is withdrawn,
// and neither is ever merged.
func TestOffersExpire(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p, ids := b.offer(shop, "The mailer retries five times.")
	gone, of := b.offer(shop, "The mailer waits longer every time.")
	m := b.memory(of[0])
	b.commit(memory.DefaultTenant, change.Set{MemoryUpdates: []change.MemoryUpdate{{
		ID: m.ID, State: memory.StateArchived, Confidence: m.Confidence, SeenCount: m.SeenCount, LastConfirmed: m.LastConfirmed,
		ArchivedAt: b.now(), ArchiveReason: "wrong", Expect: m.Version,
	}}})
	b.set(monday)
	d := b.due("local", "2026-W48")
	if len(d.Items) != 1 || d.Items[0].ProposalID != p.ID || b.proposal(gone.ID).State != memory.ProposalExpired || strings.Contains(d.Text, "expired") {
		t.Errorf("items %+v, the outdated one %s\n%s", d.Items, b.proposal(gone.ID).State, d.Text)
	}
	b.set(monday.Add(5 * week))
	b.due("local", "2027-W01")
	if b.proposal(p.ID).State != memory.ProposalExpired || b.memory(ids[0]).State != memory.StateActive {
		t.Errorf("after five weeks %s, its memory %s", b.proposal(p.ID).State, b.memory(ids[0]).State)
	}
}
