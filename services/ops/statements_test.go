package ops_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile/projection"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/ops"
)

// statements counts the statements that a store sends to the database.
type statements struct{ n atomic.Int64 }

func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	s.n.Add(1)
	return ctx
}
func (s *statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
func (s *statements) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}
func (s *statements) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) { s.n.Add(1) }
func (s *statements) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

// family is n memories of the session run-7, each of which replaced one and was
// repeated once by another principal, n proposals of it that wait, each joined by one
// of another principal, and n lines that a person wrote into the file.
func family(n int) (set change.Set, first memory.Decision) {
	said := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	add := func(p memory.Proposal, state memory.ProposalState, verdict memory.Verdict, rule, target, made string) memory.Decision {
		p.ID, p.Tenant, p.Scope, p.State, p.Kind = ident.New(memory.PrefixProposal), memory.DefaultTenant, scope, state, memory.KindFact
		p.Origin, p.Authority, p.EventID, p.SeenCount = memory.OriginAgent, memory.OriginAgent, ident.New(memory.PrefixEvent), 1
		p.CreatedAt, p.Target, p.DecisionID = said, target, ident.New(memory.PrefixDecision)
		d := memory.Decision{
			ID: p.DecisionID, Tenant: p.Tenant, Scope: scope, ProposalID: p.ID, Verdict: verdict, Rule: rule, Fired: []string{rule},
			Target: target, MemoryID: made, Policy: "standard", PolicyVersion: "v1", Features: []byte(`{}`), Actor: memory.ActorTriage, At: said,
		}
		set.Proposals, set.Decisions = append(set.Proposals, p), append(set.Decisions, d)
		return d
	}
	witness := func(subject string, of memory.Decision) {
		set.Evidence = append(set.Evidence, memory.Evidence{
			Tenant: memory.DefaultTenant, Subject: subject, ID: ident.New(memory.PrefixEvent), ProposalID: of.ProposalID, Principal: "other", Origin: memory.OriginAgent,
		})
	}
	remember := func(text string) *memory.Memory {
		set.Memories = append(set.Memories, memory.Memory{
			ID: ident.New(memory.PrefixMemory), Tenant: memory.DefaultTenant, Scope: scope, State: memory.StateActive, Kind: memory.KindFact,
			Text: text, Importance: 5, Confidence: 0.5, Origin: memory.OriginAgent, Authority: memory.OriginAgent, SeenCount: 2, CreatedAt: said,
		})
		return &set.Memories[len(set.Memories)-1]
	}
	mine := memory.Proposal{Text: "said", Principal: "agent", SessionID: "run-7"}
	theirs := memory.Proposal{Text: "said too", Principal: "other", SessionID: "run-8"}
	for i := range n {
		old := remember(fmt.Sprint("old ", i)).ID
		m := remember(fmt.Sprint("new ", i))
		made := add(mine, memory.ProposalPromoted, memory.VerdictPromoted, "update", old, m.ID)
		m.ProposalID, m.DecisionID = made.ProposalID, made.ID
		was := &set.Memories[len(set.Memories)-2]
		was.State, was.SuccessorID, was.ArchiveReason, was.ArchivedAt = memory.StateArchived, m.ID, "superseded", said
		set.Links = append(set.Links, memory.Link{Tenant: memory.DefaultTenant, From: m.ID, Kind: memory.LinkSupersedes, To: old})
		witness(m.ID, made)
		witness(m.ID, add(theirs, memory.ProposalRejected, memory.VerdictRejected, "dup.exact", m.ID, ""))
		waits := add(mine, memory.ProposalNeedsReview, memory.VerdictNeedsReview, "gray", m.ID, "")
		witness(waits.ProposalID, add(theirs, memory.ProposalMerged, memory.VerdictMerged, "merged", waits.ProposalID, ""))
		byHand := memory.Proposal{Text: "written", Principal: memory.VaultPrincipal(memory.DefaultTenant)}
		add(byHand, memory.ProposalNeedsReview, memory.VerdictNeedsReview, "gray", waits.ProposalID, "")
		if i == 0 {
			first = made
		}
	}
	// And n that repeat the first memory.
	for range n {
		witness(first.MemoryID, add(theirs, memory.ProposalRejected, memory.VerdictRejected, "dup.exact", first.MemoryID, ""))
	}
	return set, first
}

// The number of statements does not grow with the number of rows to list, to
// undo or to retract.
func TestStatementsDoNotGrow(t *testing.T) {
	t.Parallel()
	counts := map[int]map[string]int64{}
	for _, n := range []int{1, 50} {
		b := setup(t)
		var sent statements
		b.ops.Store = pgtest.Connect(t, postgres.Config{URL: pgtest.URL(t), MaxConns: 1, Tracer: &sent})
		set, first := family(n)
		if _, err := b.ops.Store.Commit(t.Context(), memory.DefaultTenant, set, store.InboxKey{}); err != nil {
			t.Fatal(err)
		}
		counts[n] = map[string]int64{}
		count := func(what string, do func() error) {
			t.Helper()
			before := sent.n.Load()
			if err := do(); err != nil {
				t.Fatalf("%s of %d: %v", what, n, err)
			}
			counts[n][what] = sent.n.Load() - before
		}
		count("lines that wait for a person", func() error {
			items, err := b.ops.Waiting(t.Context(), scope, 200)
			if len(items) != 2*n {
				t.Errorf("%d lines, want %d", len(items), 2*n)
			}
			return err
		})
		count("lines written by hand", func() error {
			lines, err := projection.Waiting(t.Context(), b.ops.Store, memory.DefaultTenant, scope)
			if len(lines) != n {
				t.Errorf("%d lines, want %d", len(lines), n)
			}
			return err
		})
		count("a retraction that is tried", func() error {
			done, err := b.ops.Retract(t.Context(), ops.RetractRequest{Session: "run-7"}, false)
			if len(done.Archived) != n || len(done.Closed) != n || len(done.Restored) != n || len(done.ToReview) != 3*n {
				t.Errorf("%d archived, %d closed, %d restored, %d to review", len(done.Archived), len(done.Closed), len(done.Restored), len(done.ToReview))
			}
			return err
		})
		var retraction string
		count("a retraction", func() error {
			done, err := b.ops.Retract(t.Context(), ops.RetractRequest{Session: "run-7"}, true)
			retraction = done.ID
			return err
		})
		count("its undo", func() error {
			done, err := b.ops.Undo(t.Context(), retraction, false)
			if len(done.Restored) != n {
				t.Errorf("%d restored", len(done.Restored))
			}
			return err
		})
		count("an undo with what rests on it", func() error {
			done, err := b.ops.Undo(t.Context(), first.ID, true)
			if len(done.Undid) != n+2 {
				t.Errorf("%d undone, want %d", len(done.Undid), n+2)
			}
			return err
		})
	}
	for what, n := range counts[1] {
		t.Logf("%s: %d statements for 1, %d for 50", what, n, counts[50][what])
		if counts[50][what] != n {
			t.Errorf("%s: %d statements for 1, %d for 50", what, n, counts[50][what])
		}
	}
}
