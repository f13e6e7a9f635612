package storetest

import (
	"context"
	"testing"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// named returns a text that the principal agent recorded in a session.
func named(state memory.ProposalState, name string) memory.Proposal {
	p := proposal(scopeA, state, "said in "+name)
	p.Principal, p.SessionID, p.Origin, p.Authority = "agent", name, memory.OriginAgent, memory.OriginAgent
	return p
}

func testExternalSessions(t *testing.T, s store.Store) {
	quiet, first, second, others := session(scopeA, "run-1"), session(scopeA, "run-1"), session(scopeB, "run-1"), session(scopeA, "run-1")
	quiet.External, others.Principal = 0, "human"
	elsewhere := session(scopeA, "run-2")
	mustCommit(t, s, change.Set{Sessions: []memory.Session{quiet, first, second, others, elsewhere}})
	of := func(m memory.Session) store.ExternalSession {
		return store.ExternalSession{
			SessionName: change.SessionName{Principal: m.Principal, Name: m.Name}, ID: m.ID, Format: m.Format, Highest: m.Highest,
		}
	}
	names := []change.SessionName{{Principal: "agent", Name: "run-1"}, {Principal: "agent", Name: "run-3"}, {Principal: "human", Name: "run-1"}}
	want := []store.ExternalSession{of(second), of(first), of(others)}
	same(t, want)(s.ExternalSessions(t.Context(), tenant, names))
	same(t, []store.ExternalSession(nil))(s.ExternalSessions(t.Context(), tenant, nil))

	_, err := s.CommitBatch(t.Context(), tenant, store.Batch{Consumer: "test", Items: []store.Item{{Key: "k", Scope: scopeA}}},
		func(ctx context.Context, _ []int, view store.LaneView) (change.Set, error) {
			same(t, want)(view.ExternalSessions(ctx, names))
			return change.Set{}, nil
		})
	if err != nil {
		t.Error(err)
	}
}

func testJudged(t *testing.T, s store.Store) {
	known, meanwhile := named(memory.ProposalPromoted, "run-1"), named(memory.ProposalNeedsReview, "run-1")
	// None of these can be lowered, or none belongs to this session.
	outside, person, rejected, other := named(memory.ProposalNeedsReview, "run-1"), named(memory.ProposalPromoted, "run-1"),
		named(memory.ProposalRejected, "run-1"), named(memory.ProposalPromoted, "run-1")
	outside.Authority, person.Origin, other.Principal = memory.OriginExternal, memory.OriginHuman, "human"
	elsewhere := named(memory.ProposalPromoted, "run-2")
	mustCommit(t, s, change.Set{Proposals: []memory.Proposal{known, outside, person, rejected, other, elsewhere}})

	arrives := func(texts ...string) error {
		one := session(scopeB, "run-1")
		_, err := s.Commit(t.Context(), tenant, change.Set{
			Sessions: []memory.Session{one},
			Judged:   []change.Judged{{SessionName: change.SessionName{Principal: "agent", Name: "run-1"}, Texts: texts}},
		}, store.InboxKey{})
		return err
	}
	wantError(t, arrives(), store.ErrConflict)
	if err := arrives(known.ID); err != nil {
		t.Error(err)
	}
	mustCommit(t, s, change.Set{Proposals: []memory.Proposal{meanwhile}})
	wantError(t, arrives(known.ID), store.ErrConflict)
	if err := arrives(known.ID, meanwhile.ID); err != nil {
		t.Error(err)
	}
}

// A session with a name that an open batch has queried commits after the batch and
// is checked against the batch's texts.
func testExternalSessionsAtOnce(t *testing.T, s store.Store) {
	name := change.SessionName{Principal: "agent", Name: "run-1"}
	text := named(memory.ProposalPromoted, "run-1")
	arrived := make(chan error, 1)
	_, err := s.CommitBatch(t.Context(), tenant, store.Batch{Consumer: "test", Items: []store.Item{{Key: ident.New("evt_"), Scope: scopeA}}},
		func(ctx context.Context, _ []int, view store.LaneView) (change.Set, error) {
			if external, err := view.ExternalSessions(ctx, []change.SessionName{name}); err != nil || len(external) > 0 {
				t.Errorf("external sessions %v, %v", external, err)
			}
			go func() {
				_, err := s.Commit(ctx, tenant, change.Set{Sessions: []memory.Session{session(scopeB, "run-1")}, Judged: []change.Judged{{SessionName: name}}}, store.InboxKey{})
				arrived <- err
			}()
			return change.Set{Proposals: []memory.Proposal{text}}, nil
		})
	if err != nil {
		t.Error(err)
	}
	wantError(t, <-arrived, store.ErrConflict)
}
