package ops_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/consolidation"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/ops"
)

// offer asks whether the memories should be merged, as a run does.
func (b *bench) offer(ids ...string) memory.Proposal {
	b.Helper()
	r := b.begin(memory.RunSimilar, memory.ActionOffer)
	a := b.act(r, 1, ids...)
	a.Group.Mode = consolidation.ModeTheme
	set, p := consolidation.Offer(a)
	b.commit(set)
	b.end(r, memory.RunCompleted)
	return b.proposal(p.ID)
}

// themes are memories on one theme.
func (b *bench) themes() []string {
	b.Helper()
	var ids []string
	for _, text := range []string{"Slow queries of the mailer are logged.", "The mailer retries five times.", "Reports of the mailer run at night."} {
		ids = append(ids, b.remember(text).ID)
	}
	return ids
}

// SPEC §11, D9: a yes to an offer stores the merged text and archives its memories in
// one transaction; undo restores them and asks again; a no changes no memory.
func TestOfferIsAnswered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.themes()
	p := b.offer(ids...)
	items := b.waiting()
	if len(items) != 1 || items[0].ID != p.ID || items[0].Text != p.Text || len(items[0].Merges) != 3 || items[0].Merges[1] != "The mailer retries five times." {
		t.Fatalf("asked %+v", items)
	}
	before := b.exactly(ids...)

	done, err := b.ops.Decide(t.Context(), p.ID, ops.Answer{Action: ops.ActionPromote})
	if err != nil || !slices.Equal(done.Merged, ids) {
		t.Fatalf("%+v (%v)", done, err)
	}
	m := b.memory(done.Memory)
	if m.Text != p.Text || m.Authority != memory.OriginHuman || m.Origin != memory.OriginAgent || !slices.Equal(m.Tags, []string{"consolidated", "shop"}) {
		t.Errorf("the new memory: %+v", m)
	}
	if e := b.evidence(m.ID); len(e) != 3 || e[0].Principal != "agent" || e[0].Span == "" {
		t.Errorf("who said it is lost: %+v", e)
	}
	for _, id := range ids {
		if s := b.memory(id); s.State != memory.StateArchived || s.SuccessorID != m.ID || s.ArchiveReason != memory.ReasonConsolidated {
			t.Errorf("%s: %+v", id, s)
		}
	}
	b.undo(done.Decision, false)
	if after := b.exactly(ids...); after != before {
		t.Errorf("undone:\n%s\nwant\n%s", after, before)
	}
	again := b.waiting()
	if len(again) != 1 || again[0].ID != p.ID || len(again[0].Merges) != 3 {
		t.Fatalf("asked again: %+v", again)
	}

	// In the person's own words.
	edited, err := b.ops.Decide(t.Context(), p.ID, ops.Answer{Action: ops.ActionPromote, Text: "The mailer logs slow queries, retries five times and reports at night."})
	if err != nil {
		t.Fatal(err)
	}
	if m := b.memory(edited.Memory); m.Origin != memory.OriginHuman || !strings.HasPrefix(m.Text, "The mailer logs") || b.memory(ids[0]).SuccessorID != m.ID {
		t.Errorf("edited: %+v", m)
	}
	b.undo(edited.Decision, false)
	if _, err := b.ops.Decide(t.Context(), p.ID, ops.Answer{Action: ops.ActionReject}); err != nil {
		t.Fatal(err)
	}
	if after := b.exactly(ids...); after != before || b.proposal(p.ID).State != memory.ProposalRejected {
		t.Errorf("a no changed the memories:\n%s", after)
	}
}

// An offer whose memories changed since is not merged: its text would bring back what
// was archived. Nor can it take another memory's place.
func TestOutdatedOfferIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.themes()
	p := b.offer(ids...)
	if _, err := b.ops.Decide(t.Context(), p.ID, ops.Answer{Action: ops.ActionReplace, Target: ids[0]}); !errors.Is(err, ops.ErrState) {
		t.Errorf("replacing: %v", err)
	}
	if _, err := b.ops.Archive(t.Context(), ids[1], "wrong"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.ops.Decide(t.Context(), p.ID, ops.Answer{Action: ops.ActionPromote}); !errors.Is(err, ops.ErrState) || !strings.Contains(err.Error(), ids[1]) {
		t.Errorf("%v, want a refusal that names %s", err, ids[1])
	}
	if b.memory(ids[0]).State != memory.StateActive {
		t.Error("a refused answer archived a memory")
	}
	if _, err := b.ops.Decide(t.Context(), p.ID, ops.Answer{Action: ops.ActionReject}); err != nil {
		t.Errorf("rejecting it: %v", err)
	}
}

// Two offers of one memory: the second answer is refused, and no memory has two
// successors.
func TestTwoOffersOfOneMemory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.themes()
	first, second := b.offer(ids[0], ids[1]), b.offer(ids[1], ids[2])
	if _, err := b.ops.Decide(t.Context(), first.ID, ops.Answer{Action: ops.ActionPromote}); err != nil {
		t.Fatal(err)
	}
	b.now = b.now.Add(time.Minute)
	if _, err := b.ops.Decide(t.Context(), second.ID, ops.Answer{Action: ops.ActionPromote}); !errors.Is(err, ops.ErrState) {
		t.Errorf("%v, want a refusal", err)
	}
}
