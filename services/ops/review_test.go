package ops_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/ops"
)

const review = memory.VerdictNeedsReview

// waiting returns the open items of the bench's scope, by text.
func (b *bench) waiting() []ops.Item {
	b.Helper()
	items, err := b.ops.Waiting(b.Context(), scope, 0)
	if err != nil {
		b.Fatal(err)
	}
	return items
}

// S3.19, S3.20, S3.34: what waits is grouped by section in the order of
// MEMORY.md, oldest first within one; every item has its exact text, where it
// came from, a recommendation and the reason for it.
func TestReviewIsGroupedWithReasons(t *testing.T) {
	t.Parallel()
	b := setup(t)
	// Published across the sections, so that the order of arrival differs.
	b.propose("The invoices of the shop are numbered per country.", review, "")
	b.propose("Never commit to `main` directly.", review, "hardrule")
	b.propose("Mara prefers `vitest` over `jest`.", review, "preference")
	b.propose("Handlers should return early, see `http.go`.", review, "convention")
	b.propose("Never log the body of a payment in `pay.go`.", review, "hardrule")
	b.propose("Error values should be wrapped, see `errors.go`.", review, "convention")

	items := b.waiting()
	var sections []string
	for _, item := range items {
		sections = append(sections, item.Section)
		if item.Advice == "" || len(item.Reason) < 10 || item.Rule == "" || item.From == "" {
			t.Errorf("%q: advice %q, reason %q, rule %q, from %q", item.Text, item.Advice, item.Reason, item.Rule, item.From)
		}
		if item.Preselect {
			t.Errorf("%q of an agent may be taken by Enter", item.Text)
		}
	}
	if want := []string{"Conventions", "Conventions", "Hard Rules", "Hard Rules", "Preferences", "Notes"}; !slices.Equal(sections, want) {
		t.Fatalf("sections %v, want %v", sections, want)
	}
	if items[0].Text != "Handlers should return early, see `http.go`." || items[2].Text != "Never commit to `main` directly." {
		t.Errorf("within their sections the oldest are not first: %q, %q", items[0].Text, items[2].Text)
	}
}

// S3.20, D3: a text that contradicts a memory is recommended as its replacement,
// and both texts are shown. The answer archives the old memory, and undo
// restores it.
func TestReviewReplaces(t *testing.T) {
	t.Parallel()
	b := setup(t)
	old := b.propose("2026-11-18: `pgbouncer` keeps 12 connections to `pg-main` open.", memory.VerdictPromoted, "fact")
	b.propose("16 connections to `pg-main` are kept open by `pgbouncer`.", review, "conflict")
	before := b.snapshot()
	item := b.waiting()[0]
	if item.Advice != memory.AdviceReplace || item.Against != b.memory(old.MemoryID).Text {
		t.Fatalf("advice %s, stored %q", item.Advice, item.Against)
	}
	done, err := b.ops.Decide(t.Context(), item.ID, ops.Answer{Action: ops.ActionReplace})
	if err != nil {
		t.Fatal(err)
	}
	if m := b.memory(old.MemoryID); done.Replaced != m.ID || m.State != memory.StateArchived || m.SuccessorID != done.Memory {
		t.Errorf("replaced %q; the old one is %s, successor %q", done.Replaced, m.State, m.SuccessorID)
	}
	b.undo(done.Decision, false)
	if after := b.snapshot(done.Memory); after != before {
		t.Errorf("not as before the answer:\n%s\nwant\n%s", after, before)
	}
	// The question is open again in its first form.
	again := b.waiting()[0]
	if again.Advice != item.Advice || again.Against != item.Against || !strings.HasSuffix(again.Reason, item.Reason) {
		t.Errorf("asked again with advice %s (%s) against %q, want %s (%s)", again.Advice, again.Reason, again.Against, item.Advice, item.Reason)
	}
	if _, err := b.ops.Decide(t.Context(), item.ID, ops.Answer{Action: ops.ActionReplace}); err != nil {
		t.Errorf("answering it again: %v", err)
	}
}

// S3.21: each item is confirmed or overruled by itself; the answer says whether
// the person agreed, a text in their own words is theirs, and the other items
// go on waiting.
func TestConfirmOrOverrule(t *testing.T) {
	t.Parallel()
	b := setup(t)
	texts := []string{
		"Never commit to `main` directly.", "Handlers should return early, see `http.go`.",
		"The invoices of the shop are numbered per country.", "Error values should be wrapped, see `errors.go`.",
	}
	ids := map[string]string{}
	for _, text := range texts {
		ids[text] = b.propose(text, review, "").ProposalID
	}
	advice := map[string]memory.Advice{}
	for _, item := range b.waiting() {
		advice[item.ID] = item.Advice
	}
	cases := []struct {
		text   string
		answer ops.Answer
		state  memory.ProposalState
		stored string // text of the memory
		origin memory.Origin
	}{
		{texts[0], ops.Answer{Action: ops.ActionPromote}, memory.ProposalPromoted, texts[0], memory.OriginAgent},
		{texts[1], ops.Answer{Action: ops.ActionReject, Note: "not ours"}, memory.ProposalRejected, "", 0},
		{texts[2], ops.Answer{Action: ops.ActionPromote, Text: "Invoices are numbered per country.", Section: "System Architecture"}, memory.ProposalPromoted, "Invoices are numbered per country.", memory.OriginHuman},
	}
	for _, c := range cases {
		id := ids[c.text]
		done, err := b.ops.Decide(t.Context(), id, c.answer)
		if err != nil {
			t.Fatal(err)
		}
		if p := b.proposal(id); p.State != c.state || p.DecisionID != done.Decision || p.Text != c.text {
			t.Errorf("%q is %s by %s, its own text now %q", c.text, p.State, p.DecisionID, p.Text)
		}
		reviews, err := b.ops.Store.Reviews(t.Context(), memory.DefaultTenant, id)
		if err != nil || len(reviews) != 1 {
			t.Fatalf("%d reviews of %q, %v", len(reviews), c.text, err)
		}
		if r := reviews[0]; r.Agreed != (string(advice[id]) == c.answer.Action) || r.Principal != "local" || r.Note != c.answer.Note || r.Rule == "" {
			t.Errorf("review of %q, recommended %s: %+v", c.text, advice[id], r)
		}
		if c.stored == "" {
			continue
		}
		m := b.memory(done.Memory)
		if m.Text != c.stored || m.Origin != c.origin || m.Authority != memory.OriginHuman || m.DecisionID != done.Decision {
			t.Errorf("memory %q, origin %s, authority %s, by %s", m.Text, m.Origin, m.Authority, m.DecisionID)
		}
		if c.answer.Section != "" && m.Section != c.answer.Section {
			t.Errorf("section %q, want %q", m.Section, c.answer.Section)
		}
	}
	if left := b.waiting(); len(left) != 1 || left[0].ID != ids[texts[3]] {
		t.Errorf("left: %+v, want only the one that nobody answered", left)
	}
}

// S3.32: every decision, edit, archival or undo of a person is one audit entry
// in their name, and the chain verifies.
func TestPersonsDecisionsAreAudited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.propose("Never commit to `main` directly.", review, "")
	done, err := b.ops.Decide(t.Context(), d.ProposalID, ops.Answer{Action: ops.ActionPromote})
	if err != nil {
		t.Fatal(err)
	}
	edited, err := b.ops.Edit(t.Context(), done.Memory, "Nobody commits to `main` directly.")
	if err != nil {
		t.Fatal(err)
	}
	b.undo(edited, false)
	b.undo(done.Decision, false)
	for subject, least := range map[string]int{d.ProposalID: 2, done.Memory: 2, edited: 1} {
		events, err := b.ops.AuditLog(t.Context(), subject, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		mine := 0
		for _, e := range events {
			if e.Actor == memory.ActorPerson && e.Principal == "local" {
				mine++
			}
		}
		if mine < least {
			t.Errorf("%s: %d entries of the person in %+v, want %d", subject, mine, events, least)
		}
	}
	if report, err := b.ops.VerifyAudit(t.Context(), ops.Heads{}, true); err != nil || report.BrokenAt != 0 {
		t.Errorf("audit: %+v, %v", report, err)
	}
}
