package ops_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/ops"
)

// said proposes a text as a principal in a session.
func (b *bench) said(who, session, text string, verdict memory.Verdict, rule string) memory.Decision {
	b.Helper()
	b.who, b.in = who, session
	defer func() { b.who, b.in = "", "" }()
	return b.propose(text, verdict, rule)
}

func (b *bench) retract(r ops.RetractRequest, apply bool) ops.Retracted {
	b.Helper()
	done, err := b.ops.Retract(b.Context(), r, apply)
	if err != nil {
		b.Fatal(err)
	}
	return done
}

func ids(list []ops.Touched) []string {
	var out []string
	for _, t := range list {
		out = append(out, t.ID)
	}
	return out
}

// wantIDs compares without regard to order.
func wantIDs(t *testing.T, what string, got []ops.Touched, want ...string) {
	t.Helper()
	have := ids(got)
	slices.Sort(have)
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Errorf("%s %v, want %v", what, have, want)
	}
}

const (
	lint   = "Always run `make lint` before you push to `main`."
	ports  = "2026-11-19: `redis` of the shop listens on port 6399 in `deploy/redis.conf`."
	backup = "2026-11-17: `pg_dump` of the shop runs at 02:00 from `cron/backup.sh`."
)

// SPEC §7: a session's words are removed from all rows that contain them. A row
// that the session only corroborated loses a witness. A memory that the session
// replaced is active again. All of that can be undone. How many texts one transaction
// takes makes no difference.
func TestRetractSession(t *testing.T) {
	t.Parallel()
	for _, page := range []int{0, 1, 2, 3} {
		t.Run(fmt.Sprintf("page=%d", page), func(t *testing.T) {
			t.Parallel()
			retractSession(t, page)
		})
	}
}

func retractSession(t *testing.T, page int) {
	b := setup(t)
	b.ops.RetractPage = page
	clean := b.propose(moved, memory.VerdictPromoted, "fact")
	backed := b.propose(backup, memory.VerdictPromoted, "fact")
	bad := b.said("bot", "run-7", fact, memory.VerdictPromoted, "fact")
	update := b.said("bot", "run-7", updated, memory.VerdictPromoted, "update")
	waits := b.said("bot", "run-7", lint, memory.VerdictNeedsReview, "")
	repeat := b.said("bot", "run-7", "- "+backup, memory.VerdictRejected, "dup.exact")
	echoed := b.said("other", "run-8", "- "+fact, memory.VerdictRejected, "dup.exact")
	joined := b.said("other", "run-8", "- "+lint, memory.VerdictMerged, "")
	if m := b.memory(backed.MemoryID); m.Authority != memory.OriginFirstParty || m.SeenCount != 2 {
		t.Fatalf("the second witness made it %s, seen %d", m.Authority, m.SeenCount)
	}
	err := b.ops.Store.RecordServed(t.Context(), memory.DefaultTenant, []store.Served{
		{SessionID: "run-9", MemoryID: bad.MemoryID, Principal: "agent", At: b.now},
		{SessionID: "run-9", MemoryID: backed.MemoryID, Principal: "agent", At: b.now},
	})
	if err != nil {
		t.Fatal(err)
	}
	before := b.snapshot()

	check := func(done ops.Retracted) {
		t.Helper()
		if done.Proposals != 4 {
			t.Errorf("%d proposals of the session, want 4", done.Proposals)
		}
		wantIDs(t, "archived", done.Archived, bad.MemoryID, update.MemoryID)
		wantIDs(t, "closed", done.Closed, waits.ProposalID)
		wantIDs(t, "weakened", done.Weakened, backed.MemoryID)
		wantIDs(t, "restored", done.Restored, clean.MemoryID)
		wantIDs(t, "back in review", done.ToReview, echoed.ProposalID, joined.ProposalID)
		if len(done.Served) != 1 || done.Served[0].Session != "run-9" || !slices.Equal(done.Served[0].Memories, []string{bad.MemoryID}) {
			t.Errorf("served to %+v, want run-9 with the one memory", done.Served)
		}
	}
	dry := b.retract(ops.RetractRequest{Session: "run-7"}, false)
	check(dry)
	if dry.Applied || dry.ID != "" || b.snapshot() != before {
		t.Error("a dry run changed something")
	}
	done := b.retract(ops.RetractRequest{Session: "run-7"}, true)
	check(done)
	if m := b.memory(bad.MemoryID); m.State != memory.StateArchived || m.ArchiveReason != "retracted" {
		t.Errorf("its memory is %s (%s)", m.State, m.ArchiveReason)
	}
	if m := b.memory(clean.MemoryID); m.State != memory.StateActive || m.SuccessorID != "" {
		t.Errorf("what it had replaced is %s, successor %q", m.State, m.SuccessorID)
	}
	if m := b.memory(backed.MemoryID); m.Authority != memory.OriginAgent || m.SeenCount != 1 {
		t.Errorf("what it corroborated is %s, seen %d; want agent, seen once", m.Authority, m.SeenCount)
	}
	for id, state := range map[string]memory.ProposalState{
		waits.ProposalID: memory.ProposalExpired, repeat.ProposalID: memory.ProposalExpired, bad.ProposalID: memory.ProposalExpired,
		echoed.ProposalID: memory.ProposalNeedsReview, joined.ProposalID: memory.ProposalNeedsReview, backed.ProposalID: memory.ProposalPromoted,
	} {
		if p := b.proposal(id); p.State != state {
			t.Errorf("%s %q is %s, want %s", id, p.Text, p.State, state)
		}
	}
	again := b.retract(ops.RetractRequest{Session: "run-7"}, true)
	if again.Applied || len(again.Archived)+len(again.Closed)+len(again.Weakened) != 0 {
		t.Errorf("retracting twice changed %+v", again)
	}
	b.audited(done.ID)

	b.undo(done.ID, false)
	if after := b.snapshot(); after != before {
		t.Errorf("not as before the retraction:\n%s\nwant\n%s", after, before)
	}
	if _, err := b.ops.Undo(t.Context(), done.ID, false); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("undoing it twice: %v", err)
	}
}

// audited checks that the audit log names the person and verifies.
func (b *bench) audited(subject string) {
	b.Helper()
	events, err := b.ops.Store.AuditEvents(b.Context(), memory.DefaultTenant, subject, 0, 10)
	if err != nil || len(events) == 0 || events[0].Principal != "local" {
		b.Errorf("audit of %s: %+v, %v", subject, events, err)
	}
	report, err := b.ops.VerifyAudit(context.Background(), ops.Heads{}, true)
	if err != nil || report.BrokenAt != 0 {
		b.Errorf("audit: %+v, %v", report, err)
	}
}

// One memory of a retraction can be restored alone.
func TestUndoOneOfARetraction(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one := b.said("bot", "run-7", fact, memory.VerdictPromoted, "fact")
	two := b.said("bot", "run-7", ports, memory.VerdictPromoted, "fact")
	done := b.retract(ops.RetractRequest{Principal: "bot"}, true)
	b.undo(one.MemoryID, false)
	if a, z := b.memory(one.MemoryID), b.memory(two.MemoryID); a.State != memory.StateActive || z.State != memory.StateArchived {
		t.Errorf("%s and %s, want the first alone in service", a.State, z.State)
	}
	if p := b.proposal(one.ProposalID); p.State != memory.ProposalPromoted || p.DecisionID != one.ID {
		t.Errorf("its proposal is %s by %s, want promoted as before", p.State, p.DecisionID)
	}
	if undone := b.undo(done.ID, false); !slices.Equal(undone.Restored, []string{two.MemoryID}) {
		t.Errorf("the rest restored %v, want %s", undone.Restored, two.MemoryID)
	}
}

// Links carry a source's words to derived rows; a text in its own words does not
// contain them.
func TestRetractLineage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bad := b.said("bot", "run-7", moved, memory.VerdictPromoted, "fact")
	edited := b.said("bot", "run-7", fact, memory.VerdictPromoted, "fact")
	successor := b.said("other", "run-8", updated, memory.VerdictPromoted, "update")
	rewritten, err := b.ops.Edit(t.Context(), edited.MemoryID, "`pgbouncer` pool size is 40.")
	if err != nil {
		t.Fatal(err)
	}
	summary, deeper := b.derived("a summary of the shop", bad.MemoryID), ""
	deeper = b.derived("a summary of summaries", summary)

	done := b.retract(ops.RetractRequest{Principal: "bot"}, true)
	wantIDs(t, "archived", done.Archived, rewritten, summary, deeper)
	wantIDs(t, "kept", done.Independent, successor.MemoryID)
	if m := b.memory(successor.MemoryID); m.State != memory.StateActive {
		t.Errorf("what others said in its place is %s", m.State)
	}
	b.undo(done.ID, false)
	if m := b.memory(deeper); m.State != memory.StateActive {
		t.Errorf("after the undo it is %s", m.State)
	}
	// The person's own words are removed only with the person as the source.
	if mine := b.retract(ops.RetractRequest{Principal: "local"}, false); len(mine.Archived) == 0 || !slices.Contains(ids(mine.Archived), rewritten) {
		t.Errorf("the person wrote %v, want %s among them", ids(mine.Archived), rewritten)
	}
}

// derived stores a memory that the system made of another one.
func (b *bench) derived(text, of string) string {
	b.Helper()
	m := memory.Memory{
		ID: ident.New(memory.PrefixMemory), Tenant: memory.DefaultTenant, Scope: scope, State: memory.StateActive, Kind: memory.KindFact,
		Section: "Notes", Text: text, Importance: 5, Confidence: 0.5, Principal: "system", Origin: memory.OriginAgent,
		Authority: memory.OriginAgent, CreatedAt: b.now, SeenCount: 1,
	}
	b.commit(change.Set{Memories: []memory.Memory{m}, Links: []memory.Link{
		{Tenant: memory.DefaultTenant, From: m.ID, To: of, Kind: memory.LinkConsolidates},
	}})
	return m.ID
}

// Evidence follows the row that it supports: a repeat of a later promoted
// proposal supports the memory.
func TestRetractFollowsEvidence(t *testing.T) {
	t.Parallel()
	b := setup(t)
	waits := b.propose(lint, memory.VerdictNeedsReview, "")
	b.said("bot", "run-7", "- "+lint, memory.VerdictMerged, "")
	answered, err := b.ops.Decide(t.Context(), waits.ProposalID, ops.Answer{Action: ops.ActionPromote})
	if err != nil {
		t.Fatal(err)
	}
	before := b.snapshot()
	done := b.retract(ops.RetractRequest{Session: "run-7"}, true)
	wantIDs(t, "archived", done.Archived)
	wantIDs(t, "weakened", done.Weakened, answered.Memory)
	evidence, err := b.ops.Store.Evidence(t.Context(), memory.DefaultTenant, answered.Memory)
	if err != nil || len(evidence) != 1 || evidence[0].Principal != "agent" {
		t.Errorf("evidence left %+v, %v", evidence, err)
	}
	b.undo(done.ID, false)
	if after := b.snapshot(); after != before {
		t.Errorf("not as before the retraction:\n%s\nwant\n%s", after, before)
	}
}

// A session's id selects a source too, restricted to its publisher, and so does
// an origin.
func TestRetractSources(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine := b.said("bot", "run-7", fact, memory.VerdictPromoted, "fact")
	theirs := b.said("other", "run-7", ports, memory.VerdictPromoted, "fact")
	s := memory.Session{
		ID: ident.New(memory.PrefixSession), Tenant: memory.DefaultTenant, Scope: scope, Name: "run-7", Principal: "bot",
		Hash: "h", Outcome: "unknown", State: memory.SessionIngested, IngestedAt: b.now,
	}
	b.commit(change.Set{Sessions: []memory.Session{s}})
	for name, c := range map[string]struct {
		r    ops.RetractRequest
		want []string
	}{
		"id":        {ops.RetractRequest{Session: s.ID}, []string{mine.MemoryID}},
		"name":      {ops.RetractRequest{Session: "run-7"}, []string{mine.MemoryID, theirs.MemoryID}},
		"both":      {ops.RetractRequest{Session: "run-7", Principal: "other"}, []string{theirs.MemoryID}},
		"origin":    {ops.RetractRequest{Origin: "agent"}, []string{mine.MemoryID, theirs.MemoryID}},
		"elsewhere": {ops.RetractRequest{Origin: "external"}, nil},
	} {
		wantIDs(t, name, b.retract(c.r, false).Archived, c.want...)
	}
	for name, r := range map[string]ops.RetractRequest{
		"no such session": {Session: "run-70"}, "no such id": {Session: ident.New(memory.PrefixSession)},
	} {
		if _, err := b.ops.Retract(t.Context(), r, true); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := b.ops.Retract(t.Context(), ops.RetractRequest{Session: s.ID, Principal: "other"}, true); !errors.Is(err, ops.ErrState) {
		t.Errorf("another principal's session: %v", err)
	}
}

// What a flood brought can be taken back: more texts of one principal than one
// transaction carries are retracted under one id, and undone by it. Issue 14, item 1.
func TestRetractFlood(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.ops.RetractPage = 40
	const flood = 130
	b.who, b.in = "bot", "run-1"
	for i := range flood {
		b.propose(fmt.Sprintf("2026-11-19: host `web-%d` of the shop was moved to rack %d.", i, i+1000), memory.VerdictPromoted, "fact")
	}
	b.who, b.in = "", ""
	before := b.snapshot()
	done := b.retract(ops.RetractRequest{Principal: "bot"}, true)
	if done.Proposals != flood || len(done.Archived) != flood || !done.Applied {
		t.Errorf("%d proposals, %d archived", done.Proposals, len(done.Archived))
	}
	b.audited(done.ID)
	undone, err := b.ops.Undo(t.Context(), done.ID, false)
	if err != nil || len(undone.Undid) != flood {
		t.Errorf("undid %d decisions: %v", len(undone.Undid), err)
	}
	if after := b.snapshot(); after != before {
		t.Errorf("not as before the retraction:\n%s\nwant\n%s", after, before)
	}
}
