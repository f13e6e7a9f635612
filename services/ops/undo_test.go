package ops_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/ops"
	"github.com/winnowhq/winnow/services/triage"
)

const scope = memory.Scope("project:shop")

// bench is a store, a lane that judges into it, and the operations on it.
type bench struct {
	who string // the proposing principal; empty is "agent"
	in  string // the session; empty is a new one each time
	*testing.T
	ops  *ops.Ops
	lane *judge.Lane
	now  time.Time
	n    int
}

func setup(t *testing.T) *bench {
	t.Helper()
	r, err := redact.New(redact.Config{Key: []byte("test")})
	if err != nil {
		t.Fatal(err)
	}
	policy, _, err := judge.ShippedPolicy("standard")
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)}
	b.ops = &ops.Ops{
		Store: pgtest.Open(t), Redactor: r, Tenant: memory.DefaultTenant, Person: "local", Digest: digests(),
		Now: func() time.Time { return b.now }, NewID: ident.New,
	}
	b.lane = judge.NewLane(judge.LaneConfig{
		Tenant: memory.DefaultTenant, Scope: scope, Policy: policy, Similarity: judge.Lexical{},
		Analyzer: wording.NewAnalyzer(), NewID: ident.New,
	})
	return b
}

// propose judges a text and checks the verdict.
func (b *bench) propose(text string, verdict memory.Verdict, rule string) memory.Decision {
	b.Helper()
	d := b.judge(text)
	if d.Verdict != verdict || rule != "" && d.Rule != rule {
		b.Fatalf("%q was %s by %s, want %s by %s", text, d.Verdict, d.Rule, verdict, rule)
	}
	return d
}

// judge commits the verdict on a text as triage does.
func (b *bench) judge(text string) memory.Decision {
	b.Helper()
	b.n++
	b.now = b.now.Add(time.Minute)
	p := memory.Proposal{
		ID: ident.New(memory.PrefixProposal), Tenant: memory.DefaultTenant, Scope: scope, State: memory.ProposalPending, Text: text,
		Principal: b.speaker(), Origin: memory.OriginAgent, Authority: memory.OriginAgent, EventID: fmt.Sprint("evt", b.n),
		SessionID: cmp.Or(b.in, fmt.Sprint("session", b.n)), ObservedAt: b.now, CreatedAt: b.now,
	}
	d, out := b.lane.Judge(judge.Item{Proposal: p}, b.now)
	b.commit(*triage.Effects(d, out, p.EventID, ident.New))
	return d
}

// speaker returns the proposing principal, the agent by default.
func (b *bench) speaker() string {
	if b.who != "" {
		return b.who
	}
	return "agent"
}

func (b *bench) commit(set change.Set) {
	b.Helper()
	if _, err := b.ops.Store.Commit(b.Context(), memory.DefaultTenant, set, store.InboxKey{}); err != nil {
		b.Fatal(err)
	}
}

// snapshot returns every row that an undo could change, without version,
// timestamps and the decision in force (SPEC §3).
func (b *bench) snapshot(except ...string) string {
	b.Helper()
	ctx := b.Context()
	var lines []string
	add := func(id string, row any) {
		evidence, err := b.ops.Store.Evidence(ctx, memory.DefaultTenant, id)
		if err != nil {
			b.Fatal(err)
		}
		links, err := b.ops.Store.Links(ctx, memory.DefaultTenant, id)
		if err != nil {
			b.Fatal(err)
		}
		text, err := json.Marshal([]any{row, evidence, links})
		if err != nil {
			b.Fatal(err)
		}
		if !slices.Contains(except, id) {
			lines = append(lines, string(text))
		}
	}
	memories, err := b.ops.Store.Memories(ctx, memory.DefaultTenant, store.MemoryQuery{})
	if err != nil {
		b.Fatal(err)
	}
	for _, m := range memories {
		m.Version, m.LastConfirmed, m.ArchivedAt = 0, time.Time{}, time.Time{}
		add(m.ID, m)
	}
	proposals, err := b.ops.Store.Proposals(ctx, memory.DefaultTenant, store.ProposalQuery{})
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range proposals {
		p.Version, p.LastConfirmed, p.DecisionID = 0, time.Time{}, ""
		add(p.ID, p)
	}
	return strings.Join(lines, "\n")
}

func (b *bench) undo(id string, cascade bool) ops.Undone {
	b.Helper()
	done, err := b.ops.Undo(b.Context(), id, cascade)
	if err != nil {
		b.Fatal(err)
	}
	return done
}

func (b *bench) proposal(id string) memory.Proposal {
	b.Helper()
	p, err := b.ops.Store.Proposal(b.Context(), memory.DefaultTenant, id)
	if err != nil {
		b.Fatal(err)
	}
	return p
}

func (b *bench) memory(id string) memory.Memory {
	b.Helper()
	m, err := b.ops.Store.Memory(b.Context(), memory.DefaultTenant, id)
	if err != nil {
		b.Fatal(err)
	}
	return m
}

const (
	fact    = "2026-11-20: `pgbouncer` pool size raised to 40 in `deploy/pgbouncer.ini` after the checkout timeouts."
	moved   = "2026-11-18: Staging Postgres listens on port 5433 (`terraform/staging/db.tf`)."
	updated = "2026-11-20: Staging Postgres moved from port 5433 to port 5440 (`terraform/staging/db.tf`)."
)

func TestUndoPromotion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.propose(fact, memory.VerdictPromoted, "fact")
	before := b.snapshot(d.ProposalID, d.MemoryID)
	b.undo(d.MemoryID, false)
	if m := b.memory(d.MemoryID); m.State != memory.StateArchived || m.ArchiveReason != "undone" {
		t.Errorf("memory is %s (%s), want archived as undone", m.State, m.ArchiveReason)
	}
	if p := b.proposal(d.ProposalID); p.State != memory.ProposalNeedsReview || p.Target != "" || p.SeenCount != 1 {
		t.Errorf("proposal is %s, target %q, seen %d; want it back in review", p.State, p.Target, p.SeenCount)
	}
	if after := b.snapshot(d.ProposalID, d.MemoryID); after != before {
		t.Errorf("other rows changed:\n%s\nwant\n%s", after, before)
	}
	if _, err := b.ops.Undo(t.Context(), d.ID, false); !errors.Is(err, ops.ErrState) {
		t.Errorf("undoing it twice: %v, want ErrState", err)
	}
}

func TestUndoRejection(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.propose(fact, memory.VerdictPromoted, "fact")
	before := b.snapshot()
	d := b.propose("- "+fact, memory.VerdictRejected, "dup.exact")
	if n := b.memory(d.Target).SeenCount; n != 2 {
		t.Fatalf("seen %d times before the undo, want 2", n)
	}
	b.undo(d.ProposalID, false)
	if after := b.snapshot(d.ProposalID); after != before {
		t.Errorf("not as before the repeat:\n%s\nwant\n%s", after, before)
	}
	if p := b.proposal(d.ProposalID); p.State != memory.ProposalNeedsReview {
		t.Errorf("proposal is %s, want needs_review", p.State)
	}
}

// A second principal's repeat lifts an agent's statement (SPEC §7); undoing the
// repeat reverts the lift.
func TestUndoOfACorroboration(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.propose(fact, memory.VerdictPromoted, "fact")
	before := b.snapshot()
	b.who = "another-agent"
	d := b.propose("- "+fact, memory.VerdictRejected, "dup.exact")
	if a := b.memory(first.MemoryID).Authority; a != memory.OriginFirstParty {
		t.Fatalf("authority %s after the second witness, want first_party", a)
	}
	b.undo(d.ProposalID, false)
	if after := b.snapshot(d.ProposalID); after != before {
		t.Errorf("not as before the repeat:\n%s\nwant\n%s", after, before)
	}
}

func TestUndoMerge(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const rule = "Always run `make lint` before you push to `main`."
	waiting := b.propose(rule, memory.VerdictNeedsReview, "")
	before := b.snapshot()
	d := b.propose("- "+rule, memory.VerdictMerged, "")
	if p := b.proposal(waiting.ProposalID); p.SeenCount != 2 {
		t.Fatalf("survivor seen %d times, want 2", p.SeenCount)
	}
	b.undo(d.ID, false)
	if after := b.snapshot(d.ProposalID); after != before {
		t.Errorf("the survivor is not as before the merge:\n%s\nwant\n%s", after, before)
	}
	if p := b.proposal(d.ProposalID); p.State != memory.ProposalNeedsReview || p.Target != "" {
		t.Errorf("merged one is %s with target %q, want it back in review", p.State, p.Target)
	}
}

func TestUndoUpdate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	old := b.propose(moved, memory.VerdictPromoted, "fact")
	before := b.snapshot()
	d := b.propose(updated, memory.VerdictPromoted, "update")
	if m := b.memory(old.MemoryID); m.State != memory.StateArchived || m.SuccessorID != d.MemoryID {
		t.Fatalf("old one is %s, successor %q", m.State, m.SuccessorID)
	}
	done := b.undo(d.ID, false)
	if after := b.snapshot(d.ProposalID, d.MemoryID); after != before {
		t.Errorf("not as before the update:\n%s\nwant\n%s", after, before)
	}
	if !slices.Equal(done.Restored, []string{old.MemoryID}) {
		t.Errorf("restored %v, want %s", done.Restored, old.MemoryID)
	}
}

// Undo of a decision with dependents fails and lists them, unless they are
// undone with it.
func TestUndoWithDependents(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.propose(moved, memory.VerdictPromoted, "fact")
	repeat := b.propose("- "+moved, memory.VerdictRejected, "dup.exact")
	second := b.propose(updated, memory.VerdictPromoted, "update")

	before := b.snapshot()
	_, err := b.ops.Undo(t.Context(), first.ID, false)
	var dependents *ops.DependentsError
	if !errors.As(err, &dependents) || len(dependents.List) != 2 {
		t.Fatalf("got %v, want a refusal that lists two dependents", err)
	}
	if b.snapshot() != before {
		t.Error("a refused undo changed rows")
	}
	done := b.undo(first.ID, true)
	if len(done.Undid) != 3 {
		t.Errorf("took back %v, want three decisions", done.Undid)
	}
	for _, id := range []string{first.ProposalID, repeat.ProposalID, second.ProposalID} {
		if p := b.proposal(id); p.State != memory.ProposalNeedsReview || p.SeenCount != 1 {
			t.Errorf("%s is %s, seen %d; want it in review, seen once", id, p.State, p.SeenCount)
		}
	}
	for _, id := range []string{first.MemoryID, second.MemoryID} {
		if m := b.memory(id); m.State != memory.StateArchived || m.SuccessorID != "" {
			t.Errorf("%s is %s, successor %q; want archived without one", id, m.State, m.SuccessorID)
		}
	}
	report, err := b.ops.VerifyAudit(context.Background(), ops.Heads{}, true)
	if err != nil || report.BrokenAt != 0 {
		t.Errorf("audit: %+v, %v", report, err)
	}
}

// What was forgotten does not come back: no undo asks about a text that is gone, or puts it
// into service. What it had replaced is found by its own undo.
func TestUndoOfTheForgotten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.propose(moved, memory.VerdictPromoted, "fact")
	second := b.propose(updated, memory.VerdictPromoted, "update")
	alone := b.propose(fact, memory.VerdictPromoted, "fact")
	repeat := b.propose("- "+fact, memory.VerdictRejected, "dup.exact")
	forget := func(id string) {
		t.Helper()
		if _, err := b.ops.Store.(store.Forgetter).Forget(t.Context(), b.ops.Tenant, store.Forgetting{
			IDs: []string{id}, Run: ident.New("run_"), By: "anna", NewID: ident.New,
		}, true); err != nil {
			t.Fatal(err)
		}
	}
	forget(second.MemoryID)
	forget(alone.MemoryID)
	before := b.snapshot()
	for _, d := range []memory.Decision{second, alone, repeat} {
		if _, err := b.ops.Undo(t.Context(), d.ID, true); !errors.Is(err, ops.ErrState) || !strings.Contains(err.Error(), "forgotten") {
			t.Errorf("undo of %s (%s): %v", d.ID, d.Rule, err)
		}
	}
	if b.snapshot() != before {
		t.Error("a refused undo changed rows")
	}
	b.undo(first.ID, false)
	if m := b.memory(second.MemoryID); m.State != memory.StateArchived || !m.Forgotten() {
		t.Errorf("the forgotten one is %s (%s)", m.State, m.ArchiveReason)
	}
}

// A person's answer is a decision of its own and can be undone (S3.21).
func TestReviewAndUndo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.propose("Always run `make lint` before you push to `main`.", memory.VerdictNeedsReview, "")
	items, err := b.ops.Waiting(t.Context(), "", 0)
	if err != nil || len(items) != 1 || items[0].ID != d.ProposalID || items[0].Preselect {
		t.Fatalf("waiting: %+v, %v; want one item of an agent, not preselected", items, err)
	}
	answered, err := b.ops.Decide(t.Context(), d.ProposalID, ops.Answer{Action: ops.ActionPromote, Text: "Run `make lint` before a push."})
	if err != nil {
		t.Fatal(err)
	}
	m := b.memory(answered.Memory)
	if m.Origin != memory.OriginHuman || m.Text != "Run `make lint` before a push." {
		t.Errorf("memory %q of origin %s, want the person's own words", m.Text, m.Origin)
	}
	if _, err := b.ops.Decide(t.Context(), d.ProposalID, ops.Answer{Action: ops.ActionReject}); !errors.Is(err, ops.ErrState) {
		t.Errorf("deciding it twice: %v, want ErrState", err)
	}
	b.undo(answered.Decision, false)
	if p := b.proposal(d.ProposalID); p.State != memory.ProposalNeedsReview {
		t.Errorf("proposal is %s after the undo, want needs_review", p.State)
	}
}

// Editing and archiving are decisions too.
func TestEditAndArchive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.propose(fact, memory.VerdictPromoted, "fact")
	before := b.snapshot()
	edited, err := b.ops.Edit(t.Context(), d.MemoryID, "`pgbouncer` pool size is 40.")
	if err != nil {
		t.Fatal(err)
	}
	chain, err := b.ops.History(t.Context(), edited)
	if err != nil || len(chain) != 2 || chain[0].ID != d.MemoryID {
		t.Errorf("history %v, %v; want the old one first", chain, err)
	}
	b.undo(edited, false)
	if after := b.snapshot(edited); after != before {
		t.Errorf("not as before the edit:\n%s\nwant\n%s", after, before)
	}
	if _, err := b.ops.Archive(t.Context(), d.MemoryID, "closed"); err != nil {
		t.Fatal(err)
	}
	b.undo(d.MemoryID, false)
	if after := b.snapshot(edited); after != before {
		t.Errorf("not as before the archiving:\n%s\nwant\n%s", after, before)
	}
}

// A question that a fuller text absorbed comes back as the question that it was, with the
// memory that it would replace. Issue 14, item 5.
func TestUndoOfAbsorbedAsksTheQuestionAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	known := b.remember("Builds of billing end after ten minutes.")
	id := func(prefix string) string { return ident.New(prefix) }
	asked := memory.Proposal{
		ID: id(memory.PrefixProposal), Tenant: memory.DefaultTenant, Scope: scope, State: memory.ProposalMerged,
		Text: "Builds of billing end after twenty minutes.", Principal: "agent", Origin: memory.OriginAgent, Authority: memory.OriginAgent,
		EventID: "evt_asked", CreatedAt: b.now, SeenCount: 1,
	}
	fuller := asked
	fuller.ID, fuller.State, fuller.EventID = id(memory.PrefixProposal), memory.ProposalNeedsReview, "evt_fuller"
	fuller.Text = "Builds of billing end after twenty minutes, on every runner."
	question := memory.Decision{
		ID: id(memory.PrefixDecision), Tenant: memory.DefaultTenant, Scope: scope, ProposalID: asked.ID, Verdict: memory.VerdictNeedsReview,
		Rule: "conflict", Advice: "replace", Reason: "It says otherwise.", Target: known.ID, Actor: memory.ActorTriage, Features: []byte("{}"), At: b.now,
	}
	absorbed := question
	absorbed.ID, absorbed.Verdict, absorbed.Rule, absorbed.Advice = id(memory.PrefixDecision), memory.VerdictMerged, "absorbed", ""
	absorbed.Target, absorbed.At = fuller.ID, b.now.Add(time.Minute)
	other := question
	other.ID, other.ProposalID = id(memory.PrefixDecision), fuller.ID
	asked.DecisionID, asked.Target, fuller.DecisionID, fuller.Target = absorbed.ID, fuller.ID, other.ID, known.ID
	b.commit(change.Set{Proposals: []memory.Proposal{asked, fuller}, Decisions: []memory.Decision{question, absorbed, other}})

	b.undo(absorbed.ID, false)
	back, err := b.ops.Store.Proposal(t.Context(), memory.DefaultTenant, asked.ID)
	if err != nil || back.State != memory.ProposalNeedsReview || back.Target != known.ID {
		t.Errorf("it is %s and would replace %q, want %s: %v", back.State, back.Target, known.ID, err)
	}
	if d := b.decision(back.DecisionID); d.Advice != "replace" || d.Target != known.ID {
		t.Errorf("the decision in force advises %q about %q", d.Advice, d.Target)
	}
}
