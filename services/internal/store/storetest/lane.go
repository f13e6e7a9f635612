package storetest

import (
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

func testLaneDelta(t *testing.T, s store.Store) {
	stays, leaves := remembered(scopeA, "stays"), remembered(scopeA, "leaves")
	open := proposal(scopeA, memory.ProposalNeedsReview, "open")
	first := commitBatch(t, s, change.Set{
		Memories: []memory.Memory{stays, leaves}, Proposals: []memory.Proposal{open},
	}, scopeA)
	commitBatch(t, s, change.Set{
		MemoryUpdates:   []change.MemoryUpdate{{ID: leaves.ID, State: memory.StateArchived, ArchivedAt: now(), ArchiveReason: "merged", SuccessorID: stays.ID}},
		ProposalUpdates: []change.ProposalUpdate{{ID: open.ID, State: memory.ProposalMerged, Target: stays.ID, SeenCount: 1}},
		// Decided on arrival, so the lane does not return it.
		Proposals: []memory.Proposal{proposal(scopeA, memory.ProposalRejected, "dup")},
	}, scopeA)

	got := lanes(t, s, map[memory.Scope]int64{scopeA: first.Versions[scopeA], scopeB: 0})
	if len(got) != 2 || got[0].Scope != scopeA || got[1].Scope != scopeB {
		t.Fatalf("want an entry for each scope in order, got %+v", got)
	}
	a := got[0]
	if a.Version != 2 || got[1].Version != 0 {
		t.Errorf("versions %d and %d, want 2 and 0", a.Version, got[1].Version)
	}
	if len(a.Memories) != 1 || a.Memories[0].ID != leaves.ID || a.Memories[0].State != memory.StateArchived {
		t.Errorf("memories %+v, want the archived one alone", a.Memories)
	}
	if len(a.Proposals) != 1 || a.Proposals[0].ID != open.ID || a.Proposals[0].State != memory.ProposalMerged {
		t.Errorf("proposals %+v, want the one that was decided", a.Proposals)
	}
	again := lanes(t, s, map[memory.Scope]int64{scopeA: 2})
	if len(again[0].Memories)+len(again[0].Proposals) != 0 {
		t.Errorf("news of a lane that stands still: %+v", again[0])
	}
}

func testLaneFull(t *testing.T, s store.Store) {
	active, archived := remembered(scopeA, "active"), remembered(scopeA, "archived")
	archived.State = memory.StateArchived
	open, pending := proposal(scopeA, memory.ProposalNeedsReview, "open"), proposal(scopeA, memory.ProposalPending, "pending")
	commitBatch(t, s, change.Set{
		Memories: []memory.Memory{active, archived},
		Proposals: []memory.Proposal{open, pending, proposal(scopeA, memory.ProposalPromoted, "promoted"),
			proposal(scopeA, memory.ProposalQuarantined, "bad")},
	}, scopeA)
	a := lanes(t, s, map[memory.Scope]int64{scopeA: 0})[0]
	if len(a.Memories) != 1 || a.Memories[0].ID != active.ID {
		t.Errorf("memories %+v, want the active one", a.Memories)
	}
	if len(a.Proposals) != 2 || a.Proposals[0].ID != open.ID || a.Proposals[1].ID != pending.ID {
		t.Errorf("proposals %+v, want the open ones by id", a.Proposals)
	}
}

// A person's rejection settles a question; a rejection by triage does not.
func testLaneSettled(t *testing.T, s store.Store) {
	byPerson, byTriage := proposal(scopeA, memory.ProposalNeedsReview, "person"), proposal(scopeA, memory.ProposalNeedsReview, "triage")
	old := proposal(scopeA, memory.ProposalNeedsReview, "long ago")
	first := commitBatch(t, s, change.Set{Proposals: []memory.Proposal{byPerson, byTriage, old}}, scopeA)

	reject := func(p memory.Proposal, actor memory.Actor, at time.Time) (memory.Decision, change.ProposalUpdate) {
		p.DecisionID = ident.New(memory.PrefixDecision)
		d := decision(p, memory.VerdictRejected, actor)
		d.Principal, d.At = "human", at
		return d, change.ProposalUpdate{ID: p.ID, State: memory.ProposalRejected, DecisionID: p.DecisionID, SeenCount: 1}
	}
	d1, u1 := reject(byPerson, memory.ActorPerson, now())
	d2, u2 := reject(byTriage, memory.ActorTriage, now())
	d3, u3 := reject(old, memory.ActorPerson, now().AddDate(-2, 0, 0))
	mustCommit(t, s, change.Set{
		Decisions:       []memory.Decision{d1, d2, d3},
		ProposalUpdates: []change.ProposalUpdate{u1, u2, u3},
	})
	for name, since := range map[string]int64{"full": 0, "delta": first.Versions[scopeA]} {
		a := lanes(t, s, map[memory.Scope]int64{scopeA: since})[0]
		got, ok := a.Settled[byPerson.ID]
		want := store.Settlement{DecisionID: d1.ID, Principal: "human", At: d1.At.Format(time.DateOnly)}
		if !ok || got != want {
			t.Errorf("%s: settlement %+v, want %+v", name, got, want)
		}
		if _, ok := a.Settled[byTriage.ID]; ok {
			t.Errorf("%s: triage settled something", name)
		}
		if _, ok := a.Settled[old.ID]; ok && since == 0 {
			t.Errorf("%s: a rejection of two years ago still settles", name)
		}
		if name == "full" && len(a.Proposals) != 1 || name == "delta" && len(a.Proposals) != 3 {
			t.Errorf("%s: %d proposals", name, len(a.Proposals))
		}
	}
}

// SPEC §7: a second principal lifts what an agent said, and nothing lowers it.
func testLift(t *testing.T, s store.Store) {
	m, p := remembered(scopeA, "said by an agent"), proposal(scopeA, memory.ProposalNeedsReview, "asked by an agent")
	witness := memory.Evidence{
		ID: ident.New(memory.PrefixEvidence), Tenant: tenant, Subject: m.ID, ProposalID: p.ID, Principal: "agent",
		SessionID: "s1", Origin: memory.OriginAgent, ObservedAt: now(),
	}
	commitBatch(t, s, change.Set{
		Memories: []memory.Memory{m}, Proposals: []memory.Proposal{p}, Evidence: []memory.Evidence{witness},
	}, scopeA)
	a := lanes(t, s, map[memory.Scope]int64{scopeA: 0})[0]
	if got := a.Witnesses[m.ID]; len(got) != 1 || got[0].Principal != "agent" || got[0].SessionID != "s1" {
		t.Errorf("witnesses %+v, want the one of the memory", a.Witnesses)
	}
	for _, lift := range []memory.Origin{memory.OriginFirstParty, memory.OriginUnknown} {
		commitBatch(t, s, change.Set{
			MemoryUpdates: []change.MemoryUpdate{
				{ID: m.ID, State: memory.StateActive, SeenCount: 2, Confidence: 0.5, Lift: lift},
				{ID: m.ID, State: memory.StateActive, SeenCount: 3, Confidence: 0.5},
			},
			ProposalUpdates: []change.ProposalUpdate{{ID: p.ID, State: memory.ProposalNeedsReview, SeenCount: 2, Lift: lift}},
		}, scopeA)
		gotM, errM := s.Memory(t.Context(), tenant, m.ID)
		gotP, errP := s.Proposal(t.Context(), tenant, p.ID)
		if errM != nil || errP != nil || gotM.Authority != memory.OriginFirstParty || gotP.Authority != memory.OriginFirstParty {
			t.Errorf("after lifting to %v: memory %v, proposal %v; %v %v", lift, gotM.Authority, gotP.Authority, errM, errP)
		}
		if gotM.SeenCount != 3 {
			t.Errorf("seen %d times, want the last update's 3", gotM.SeenCount)
		}
	}
}

// SPEC §7: an update with Outside lowers the authority to external, and a later
// update does not raise it again.
func testOutside(t *testing.T, s store.Store) {
	m, p := remembered(scopeA, "said by an agent"), proposal(scopeA, memory.ProposalNeedsReview, "asked by an agent")
	commitBatch(t, s, change.Set{Memories: []memory.Memory{m}, Proposals: []memory.Proposal{p}}, scopeA)
	for _, outside := range []bool{true, false} {
		commitBatch(t, s, change.Set{
			MemoryUpdates:   []change.MemoryUpdate{{ID: m.ID, State: memory.StateArchived, ArchivedAt: now(), SeenCount: 1, Confidence: 0.5, Outside: outside}},
			ProposalUpdates: []change.ProposalUpdate{{ID: p.ID, State: memory.ProposalNeedsReview, SeenCount: 1, Outside: outside}},
		}, scopeA)
		gotM, errM := s.Memory(t.Context(), tenant, m.ID)
		gotP, errP := s.Proposal(t.Context(), tenant, p.ID)
		if errM != nil || errP != nil || gotM.Authority != memory.OriginExternal || gotP.Authority != memory.OriginExternal {
			t.Errorf("memory %v, proposal %v; %v %v", gotM.Authority, gotP.Authority, errM, errP)
		}
	}
}
