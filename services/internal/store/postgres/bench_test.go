package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

const benchItems = 256

// benchSet returns the largest set of a triage batch, with every proposal promoted:
// for each a proposal, a decision, a memory, a piece of evidence, two events and an
// audit entry.
func benchSet(scopes []memory.Scope) change.Set {
	var set change.Set
	at := time.Now()
	text := strings.Repeat("The deploy job of the billing service runs on port 5440 since 2026-03-01. ", 3)
	features := []byte(`{"specifics":["5440","2026-03-01"],"imperative":false,"dated":true,"tool":"deploy","score":0.8125,"rules":["fact","dup.near"]}`)
	for i := range benchItems {
		scope := scopes[i%len(scopes)]
		p, m, d := ident.New("prop_"), ident.New("mem_"), ident.New("dec_")
		set.Proposals = append(set.Proposals, memory.Proposal{
			ID: p, Scope: scope, State: memory.ProposalPromoted, Kind: memory.KindFact, Section: "Notes", Text: text,
			Tags: []string{"deploy"}, Principal: "agent", Origin: memory.OriginAgent, Authority: memory.OriginAgent,
			EventID: ident.New("evt_"), SessionID: "sess_1", CreatedAt: at, SeenCount: 1, DecisionID: d,
		})
		set.Memories = append(set.Memories, memory.Memory{
			ID: m, Scope: scope, State: memory.StateActive, Kind: memory.KindFact, Section: "Notes", Text: text,
			Importance: 5, Confidence: 0.5, Principal: "agent", Origin: memory.OriginAgent, Authority: memory.OriginAgent,
			CreatedAt: at, SeenCount: 1, ProposalID: p, DecisionID: d,
		})
		set.Decisions = append(set.Decisions, memory.Decision{
			ID: d, Scope: scope, ProposalID: p, Verdict: memory.VerdictPromoted, Rule: "fact", Fired: []string{"fact"},
			Reason: "dated, names a tool, contradicts nothing", MemoryID: m, Policy: "standard",
			PolicyVersion: strings.Repeat("a", 64), Calibration: "lex-1", Features: features, Principal: "agent",
			Candidates: []memory.Candidate{{ID: p, Role: memory.RoleMemory, Similarity: 0.4, Relation: "disjoint"}},
			Actor:      memory.ActorTriage, Authority: memory.OriginAgent, At: at,
		})
		set.Evidence = append(set.Evidence, memory.Evidence{
			ID: ident.New("evi_"), Subject: m, ProposalID: p, Principal: "agent", SessionID: "sess_1", Origin: memory.OriginAgent,
		})
		for range 2 {
			id := ident.New("evt_")
			set.Events = append(set.Events, change.Event{ID: id, Subject: "memory.recorded", Message: &winnowv1.MemoryRecorded{
				Id: id, MemoryId: m, Scope: string(scope), Kind: "fact", Section: "Notes", ProposalId: p, DecisionId: d,
			}})
		}
		set.Audit = append(set.Audit, change.Audit{
			Actor: memory.ActorTriage, Principal: "agent", Action: "proposal.decided", Subject: p,
			Body: map[string]string{"verdict": "promoted", "rule": "fact", "decision": d, "memory": m},
		})
	}
	return set
}

func benchScopes(n int) []memory.Scope {
	scopes := make([]memory.Scope, n)
	for i := range scopes {
		scopes[i] = memory.Scope(fmt.Sprintf("project:bench-%02d", i))
	}
	return scopes
}

// BenchmarkCommitBatch writes batches of 256 promoted proposals from several
// workers at once, over many scopes and in a hot one; raw is the same rows
// without claims, lanes, row security and audit. Look at items/s.
func BenchmarkCommitBatch(b *testing.B) {
	for _, c := range []struct {
		name    string
		scopes  int
		workers int
	}{{"scopes=40/workers=1", 40, 1}, {"scopes=40/workers=2", 40, 2}, {"scopes=1/workers=2", 1, 2}} {
		b.Run(c.name, func(b *testing.B) {
			s := pgtest.Open(b)
			scopes := benchScopes(c.scopes)
			batches(b, c.workers, func(ctx context.Context) error {
				set := benchSet(scopes)
				batch := store.Batch{Consumer: "triage"}
				for i := range set.Proposals {
					p := &set.Proposals[i]
					batch.Items = append(batch.Items, store.Item{Key: p.EventID + "/agent", Scope: p.Scope})
				}
				_, err := s.CommitBatch(ctx, memory.DefaultTenant, batch,
					func(context.Context, []int, store.LaneView) (change.Set, error) { return set, nil })
				return err
			})
		})
	}
	b.Run("raw/workers=2", func(b *testing.B) {
		db := pgtest.New(b)
		scopes := benchScopes(40)
		batch := store.Batch{Consumer: "triage"}
		for _, scope := range scopes {
			batch.Items = append(batch.Items, store.Item{Key: string(scope), Scope: scope})
		}
		_, err := db.Store.CommitBatch(b.Context(), memory.DefaultTenant, batch,
			func(context.Context, []int, store.LaneView) (change.Set, error) { return change.Set{}, nil })
		if err != nil {
			b.Fatal(err)
		}
		pool := testenv.Pool(b, db.URL)
		batches(b, 2, func(ctx context.Context) error {
			return postgres.RawWrite(ctx, pool, memory.DefaultTenant, benchSet(scopes), scopes)
		})
	})
}

// batches runs b.N batches by several workers and reports items per second.
func batches(b *testing.B, workers int, commit func(context.Context) error) {
	var left atomic.Int64
	left.Store(int64(b.N))
	failed := make(chan error, workers)
	b.ResetTimer()
	for range workers {
		go func() {
			for left.Add(-1) >= 0 {
				if err := commit(b.Context()); err != nil {
					failed <- err
					return
				}
			}
			failed <- nil
		}()
	}
	for range workers {
		if err := <-failed; err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*benchItems)/b.Elapsed().Seconds(), "items/s")
}
