package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// What is read without a lock, and the news since the version that the outline
// names, are together what a lane reads under the lock.
func testLaneOutline(t *testing.T, s store.Store) {
	stays, leaves := remembered(scopeA, "stays"), remembered(scopeA, "leaves")
	archived := remembered(scopeA, "archived")
	archived.State = memory.StateArchived
	open, settled := proposal(scopeA, memory.ProposalNeedsReview, "open"), proposal(scopeA, memory.ProposalNeedsReview, "settled")
	commitBatch(t, s, change.Set{
		Memories:  []memory.Memory{stays, leaves, archived},
		Proposals: []memory.Proposal{open, settled, proposal(scopeA, memory.ProposalRejected, "dup")},
	}, scopeA)
	settled.DecisionID = ident.New(memory.PrefixDecision)
	mustCommit(t, s, change.Set{
		Decisions:       []memory.Decision{decision(settled, memory.VerdictRejected, memory.ActorPerson)},
		ProposalUpdates: []change.ProposalUpdate{{ID: settled.ID, State: memory.ProposalRejected, DecisionID: settled.DecisionID, SeenCount: 1}},
	})

	outlines, err := s.LaneOutlines(t.Context(), tenant, 100, scopeB, scopeA)
	if err != nil || len(outlines) != 2 || outlines[0].Scope != scopeA || outlines[1].Scope != scopeB {
		t.Fatalf("outlines %+v, %v; want one for each scope in order", outlines, err)
	}
	a := outlines[0]
	if !slices.Equal(a.Memories, []string{stays.ID, leaves.ID}) || !slices.Equal(a.Proposals, []string{open.ID, settled.ID}) || a.More || a.Version != 2 {
		t.Errorf("outline %+v", a)
	}
	if b := outlines[1]; b.Version != 0 || len(b.Memories)+len(b.Proposals) != 0 {
		t.Errorf("outline of a scope that does not exist: %+v", b)
	}
	one, err := s.LaneOutlines(t.Context(), tenant, 1, scopeA)
	if err != nil || !one[0].More || len(one[0].Memories) != 1 {
		t.Errorf("outline of at most one: %+v, %v", one, err)
	}

	// After the outline one memory goes and another comes.
	fresh := remembered(scopeA, "fresh")
	commitBatch(t, s, change.Set{
		Memories:      []memory.Memory{fresh},
		MemoryUpdates: []change.MemoryUpdate{{ID: leaves.ID, State: memory.StateArchived, ArchivedAt: now(), ArchiveReason: "merged", SuccessorID: stays.ID}},
	}, scopeA)
	rows, err := s.LaneRows(t.Context(), tenant, a.Memories, a.Proposals)
	if err != nil || len(rows) != 1 || rows[0].Scope != scopeA {
		t.Fatalf("rows %+v, %v", rows, err)
	}
	r := rows[0]
	if len(r.Memories) != 2 || r.Memories[1].State != memory.StateArchived {
		t.Errorf("memories %+v, want both as they stand now", r.Memories)
	}
	if len(r.Proposals) != 2 || r.Settled[settled.ID].DecisionID != settled.DecisionID {
		t.Errorf("proposals %+v settled by %+v", r.Proposals, r.Settled)
	}
	news := lanes(t, s, map[memory.Scope]int64{scopeA: a.Version})[0]
	if len(news.Memories) != 2 || news.Version != 3 {
		t.Errorf("news since the outline: %+v at %d, want what came and what went", news.Memories, news.Version)
	}
	if other, err := s.LaneRows(t.Context(), "acme", a.Memories, a.Proposals); err != nil || len(other) != 0 {
		t.Errorf("another tenant reads %+v, %v", other, err)
	}
}

// Under the lock of a scope a row is found by its id or by its words, whatever
// their format, while it is in force.
func testRowsUnderLock(t *testing.T, s store.Store) {
	named, worded, gone := remembered(scopeA, "named"), remembered(scopeA, "- Same **words**"), remembered(scopeA, "gone")
	gone.State = memory.StateArchived
	open, decided := proposal(scopeA, memory.ProposalNeedsReview, "open words"), proposal(scopeA, memory.ProposalPromoted, "decided words")
	elsewhere := remembered(scopeB, "elsewhere")
	commitBatch(t, s, change.Set{
		Memories: []memory.Memory{named, worded, gone, elsewhere}, Proposals: []memory.Proposal{open, decided},
	}, scopeA, scopeB)
	stop := errors.New("only looking")
	_, err := s.CommitBatch(t.Context(), tenant, batchOf(scopeA), func(ctx context.Context, _ []int, view store.LaneView) (change.Set, error) {
		r, err := view.Rows(ctx, scopeA, []string{named.ID}, []memory.TextHash{
			memory.HashText("same words"), memory.HashText("gone"), memory.HashText("open words"), memory.HashText("decided words"), memory.HashText("elsewhere"),
		})
		if err != nil {
			return change.Set{}, err
		}
		if len(r.Memories) != 2 || r.Memories[0].ID != named.ID || r.Memories[1].ID != worded.ID {
			t.Errorf("memories %+v, want the one by its id and the one by its words", r.Memories)
		}
		if len(r.Proposals) != 1 || r.Proposals[0].ID != open.ID {
			t.Errorf("proposals %+v, want the open one", r.Proposals)
		}
		if _, err := view.Rows(ctx, scopeB, nil, nil); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("rows of a scope that is not locked: %v", err)
		}
		if _, err := view.Rows(ctx, scopeA, []string{elsewhere.ID}, nil); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("rows of another scope: %v", err)
		}
		return change.Set{}, stop
	})
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
}
