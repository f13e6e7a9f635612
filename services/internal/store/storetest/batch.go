package storetest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

const (
	scopeA memory.Scope = "project:a"
	scopeB memory.Scope = "project:b"
)

func testReady(t *testing.T, s store.Store) {
	if err := s.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// SPEC §16.1: a redelivered event takes no second effect.
func testClaimsOnce(t *testing.T, s store.Store) {
	b := batchOf(scopeA, scopeA, scopeB)
	c, err := s.CommitBatch(t.Context(), tenant, b, always(change.Set{}))
	if err != nil || !slices.Equal(c.Fresh, []int{0, 1, 2}) {
		t.Fatalf("first delivery: fresh %v, %v", c.Fresh, err)
	}
	b.Items = append(b.Items, batchOf(scopeB).Items...)
	c, err = s.CommitBatch(t.Context(), tenant, b,
		func(_ context.Context, fresh []int, _ store.LaneView) (change.Set, error) {
			if !slices.Equal(fresh, []int{3}) {
				t.Errorf("decide got %v, want only the new item 3", fresh)
			}
			return change.Set{}, nil
		})
	if err != nil || !slices.Equal(c.Fresh, []int{3}) {
		t.Fatalf("second delivery: fresh %v, %v", c.Fresh, err)
	}
	// Only the lane of the fresh item was locked, so only its version changed.
	if c.Versions[scopeB] != 2 || len(c.Versions) != 1 {
		t.Errorf("versions %v, want project:b at 2 alone", c.Versions)
	}
}

func testClaimsPerConsumer(t *testing.T, s store.Store) {
	b := batchOf(scopeA)
	for _, consumer := range []string{"triage", "digest"} {
		b.Consumer = consumer
		c, err := s.CommitBatch(t.Context(), tenant, b, always(change.Set{}))
		if err != nil || len(c.Fresh) != 1 {
			t.Fatalf("%s: fresh %v, %v", consumer, c.Fresh, err)
		}
	}
}

func testClaimTwiceInBatch(t *testing.T, s store.Store) {
	b := batchOf(scopeA, scopeA)
	b.Items[1].Key = b.Items[0].Key
	c, err := s.CommitBatch(t.Context(), tenant, b, always(change.Set{}))
	if err != nil || !slices.Equal(c.Fresh, []int{0}) {
		t.Fatalf("fresh %v, %v; want the first of the two", c.Fresh, err)
	}
}

func testNothingFresh(t *testing.T, s store.Store) {
	b := batchOf(scopeA)
	for range 2 {
		calls := 0
		_, err := s.CommitBatch(t.Context(), tenant, b,
			func(context.Context, []int, store.LaneView) (change.Set, error) {
				calls++
				return change.Set{}, nil
			})
		if err != nil || calls > 1 {
			t.Fatalf("%d calls, %v", calls, err)
		}
		b = store.Batch{Consumer: "triage", Items: b.Items}
	}
	_, err := s.CommitBatch(t.Context(), tenant, b,
		func(context.Context, []int, store.LaneView) (change.Set, error) {
			t.Error("decide was called though nothing is fresh")
			return change.Set{}, nil
		})
	if err != nil {
		t.Fatal(err)
	}
}

// A claim must wait for an open transaction with the same key: an earlier
// acknowledgement would lose the event after a rollback.
func testClaimWaits(t *testing.T, s store.Store) {
	b := batchOf(scopeA)
	inside, fail := make(chan struct{}), errors.New("the first gives up")
	var g errgroup.Group
	g.Go(func() error {
		_, err := s.CommitBatch(t.Context(), tenant, b,
			func(context.Context, []int, store.LaneView) (change.Set, error) {
				close(inside)
				return change.Set{}, fail
			})
		if !errors.Is(err, fail) {
			return errors.Join(errors.New("want the error of decide"), err)
		}
		return nil
	})
	<-inside
	c, err := s.CommitBatch(t.Context(), tenant, b, always(change.Set{}))
	if err != nil || len(c.Fresh) != 1 {
		t.Errorf("second: fresh %v, %v; want the item that the first gave back", c.Fresh, err)
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}

// S0.41: a failure anywhere leaves neither rows, claims, versions nor events.
func testFailureLeavesNothing(t *testing.T, s store.Store) {
	b := batchOf(scopeA)
	p := proposal(scopeA, memory.ProposalPending, "text")
	bad := p
	bad.ID, bad.Importance = p.ID+"x", 99 // refused by a constraint
	full := change.Set{
		Proposals: []memory.Proposal{p, bad}, Events: []change.Event{recorded(p.ID)}, Audit: []change.Audit{audited(p.ID)},
	}
	_, err := s.CommitBatch(t.Context(), tenant, b, always(full))
	wantError(t, err, store.ErrInvalid)
	broken := errors.New("broken")
	_, err = s.CommitBatch(t.Context(), tenant, b, func(context.Context, []int, store.LaneView) (change.Set, error) {
		return full, broken
	})
	wantError(t, err, broken)

	if _, err := s.Proposal(t.Context(), tenant, p.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("proposal: %v, want none", err)
	}
	if rows, err := s.Unpublished(t.Context(), 10); err != nil || len(rows) > 0 {
		t.Errorf("outbox: %d rows, %v", len(rows), err)
	}
	if r, err := s.VerifyAudit(t.Context(), tenant); err != nil || r.Links+r.Events != 0 || r.BrokenAt != 0 {
		t.Errorf("audit: %+v, %v", r, err)
	}
	c, err := s.CommitBatch(t.Context(), tenant, b, always(change.Set{}))
	if err != nil || len(c.Fresh) != 1 || c.Versions[scopeA] != 1 {
		t.Errorf("after it: %+v, %v; want the item fresh and the lane at 1", c, err)
	}
}

func testUnknownScope(t *testing.T, s store.Store) {
	b := batchOf(scopeA, scopeB)
	b.RefuseUnknownScopes = true
	commitBatch(t, s, change.Set{}, scopeA)
	_, err := s.CommitBatch(t.Context(), tenant, b, always(change.Set{}))
	wantError(t, err, store.ErrUnknownScope)
	b.Items = b.Items[:1]
	if _, err = s.CommitBatch(t.Context(), tenant, b, always(change.Set{})); err != nil {
		t.Errorf("known scope in strict mode: %v", err)
	}
}

func testRowsCarryVersion(t *testing.T, s store.Store) {
	commitBatch(t, s, change.Set{}, scopeA)
	p, m := proposal(scopeA, memory.ProposalPending, "p"), remembered(scopeB, "m")
	c := commitBatch(t, s, change.Set{Proposals: []memory.Proposal{p}, Memories: []memory.Memory{m}}, scopeA, scopeB)
	gotP, errP := s.Proposal(t.Context(), tenant, p.ID)
	gotM, errM := s.Memory(t.Context(), tenant, m.ID)
	if err := errors.Join(errP, errM); err != nil {
		t.Fatal(err)
	}
	if gotP.Version != 2 || c.Versions[scopeA] != 2 || gotM.Version != 1 || c.Versions[scopeB] != 1 {
		t.Errorf("proposal at %d, memory at %d, lanes %v", gotP.Version, gotM.Version, c.Versions)
	}
}

func testForeignLane(t *testing.T, s store.Store) {
	b := remembered(scopeB, "of b")
	commitBatch(t, s, change.Set{Memories: []memory.Memory{b}}, scopeB)

	_, err := s.CommitBatch(t.Context(), tenant, batchOf(scopeA), always(change.Set{
		Proposals: []memory.Proposal{proposal(scopeB, memory.ProposalPending, "x")},
	}))
	wantError(t, err, store.ErrInvalid)
	_, err = s.CommitBatch(t.Context(), tenant, batchOf(scopeA), always(change.Set{
		MemoryUpdates: []change.MemoryUpdate{{ID: b.ID, State: memory.StateArchived}},
	}))
	wantError(t, err, store.ErrConflict)
	_, err = s.CommitBatch(t.Context(), tenant, batchOf(scopeA),
		func(ctx context.Context, _ []int, view store.LaneView) (change.Set, error) {
			_, err := view.Lanes(ctx, map[memory.Scope]int64{scopeB: 0})
			return change.Set{}, err
		})
	wantError(t, err, store.ErrInvalid)
}

// Every committer adds one memory and must read all earlier ones: a lane decides
// one batch at a time, on exact rows.
func testLaneSerialises(t *testing.T, s store.Store) {
	const committers, rounds = 4, 10
	var mu sync.Mutex
	var sizes []int
	var g errgroup.Group
	for range committers {
		g.Go(func() error {
			for range rounds {
				_, err := s.CommitBatch(t.Context(), tenant, batchOf(scopeA),
					func(ctx context.Context, _ []int, view store.LaneView) (change.Set, error) {
						news, err := view.Lanes(ctx, map[memory.Scope]int64{scopeA: 0})
						if err != nil {
							return change.Set{}, err
						}
						mu.Lock()
						sizes = append(sizes, len(news[0].Memories))
						mu.Unlock()
						return change.Set{Memories: []memory.Memory{remembered(scopeA, "m")}}, nil
					})
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	for i, n := range sizes {
		if n != i {
			t.Fatalf("committer %d saw %d memories: lanes overlapped (%v)", i, n, sizes)
		}
	}
}

// Unsorted locks deadlock here within a few rounds.
func testOppositeOrder(t *testing.T, s store.Store) {
	scopes := []memory.Scope{"project:1", "project:2", "project:3", "project:4", "project:5", "project:6"}
	var g errgroup.Group
	for i := range 4 {
		order := slices.Clone(scopes)
		if i%2 == 1 {
			slices.Reverse(order)
		}
		g.Go(func() error {
			for range 15 {
				set := change.Set{Audit: []change.Audit{audited("x")}}
				for _, scope := range order {
					set.Memories = append(set.Memories, remembered(scope, "m"))
				}
				if _, err := s.CommitBatch(t.Context(), tenant, batchOf(order...), always(set)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
}
