package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// SPEC §16.8: two tenants that use the same store in turn, with the same scope
// names, never see each other. Drivers should give this a pool of one
// connection too, which shows state that one tenant leaves for the next.
func testTenants(t *testing.T, s store.Store) { Tenants(t, s) }

// Tenants runs the tenant property on s, which must hold nothing yet.
func Tenants(t *testing.T, s store.Store) {
	ctx := t.Context()
	ids := map[memory.Tenant][]string{}
	tenants := []memory.Tenant{tenant, other}
	rapid.Check(t, func(rt *rapid.T) {
		own := rapid.SampledFrom(tenants).Draw(rt, "tenant")
		foreign := tenants[1-slices.Index(tenants, own)]
		switch rapid.IntRange(0, 3).Draw(rt, "step") {
		case 0:
			p, m := proposal(scopeA, memory.ProposalNeedsReview, "of "+string(own)), remembered(scopeA, "of "+string(own))
			p.Tenant, m.Tenant = own, own
			_, err := s.CommitBatch(ctx, own, batchOf(scopeA), always(change.Set{
				Proposals: []memory.Proposal{p}, Memories: []memory.Memory{m}, Audit: []change.Audit{audited(p.ID)},
			}))
			if err != nil {
				rt.Fatal(err)
			}
			ids[own] = append(ids[own], p.ID)
		case 1:
			if len(ids[foreign]) == 0 {
				return
			}
			id := rapid.SampledFrom(ids[foreign]).Draw(rt, "foreign row")
			if _, err := s.Proposal(ctx, own, id); !errors.Is(err, store.ErrNotFound) {
				rt.Fatalf("%s read a row of %s: %v", own, foreign, err)
			}
			_, err := s.Commit(ctx, own, change.Set{
				ProposalUpdates: []change.ProposalUpdate{{ID: id, State: memory.ProposalRejected}},
			}, store.InboxKey{})
			if !errors.Is(err, store.ErrNotFound) {
				rt.Fatalf("%s wrote a row of %s: %v", own, foreign, err)
			}
		case 2:
			rows, err := s.Proposals(ctx, own, store.ProposalQuery{Limit: 1000})
			if err != nil || len(rows) != len(ids[own]) {
				rt.Fatalf("%s sees %d proposals and has %d: %v", own, len(rows), len(ids[own]), err)
			}
			c, err := s.Counts(ctx, own, time.Time{})
			if err != nil || c.Memories[memory.StateActive] != len(ids[own]) {
				rt.Fatalf("%s counts %v and has %d: %v", own, c.Memories, len(ids[own]), err)
			}
		case 3:
			r, err := s.VerifyAudit(ctx, own)
			if err != nil || r.BrokenAt != 0 || r.Events != int64(len(ids[own])) {
				rt.Fatalf("audit of %s: %+v, %v", own, r, err)
			}
		}
	})
}
