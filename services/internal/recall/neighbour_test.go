package recall_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/store"
)

// said is a memory and the session that it came from.
type said struct {
	session, principal, text string
	scope                    memory.Scope
	authority                memory.Origin
	tenant                   memory.Tenant // of the asking; empty: that of the answer
}

// storeSaid stores what was said, in its order, as triage leaves it behind.
func (b *bench) storeSaid(tenant memory.Tenant, list ...said) (ids []string) {
	b.Helper()
	now := time.Now().UTC().Truncate(time.Microsecond)
	var set change.Set
	for _, s := range list {
		if s.scope == "" {
			s.scope = "project:shop"
		}
		if s.principal == "" {
			s.principal = "agent"
		}
		if s.authority == 0 {
			s.authority = memory.OriginAgent
		}
		p := memory.Proposal{
			ID: ident.New(memory.PrefixProposal), Tenant: tenant, Scope: s.scope, State: memory.ProposalPromoted, Kind: memory.KindFact,
			Text: s.text, Principal: s.principal, Origin: s.authority, Authority: s.authority, EventID: ident.New(memory.PrefixEvent),
			SessionID: s.session, CreatedAt: now, SeenCount: 1, DecisionID: ident.New(memory.PrefixDecision),
		}
		m := memory.Memory{
			ID: ident.New(memory.PrefixMemory), Tenant: tenant, Scope: s.scope, State: memory.StateActive, Kind: memory.KindFact,
			Text: s.text, Confidence: 0.8, Importance: 5, SeenCount: 1, Principal: s.principal, Origin: s.authority,
			Authority: s.authority, CreatedAt: now, ProposalID: p.ID, DecisionID: p.DecisionID,
		}
		set.Proposals, set.Memories = append(set.Proposals, p), append(set.Memories, m)
		set.Decisions = append(set.Decisions, memory.Decision{
			ID: p.DecisionID, Tenant: tenant, Scope: s.scope, ProposalID: p.ID, MemoryID: m.ID, Verdict: memory.VerdictPromoted,
			Rule: "fact", Features: []byte(`{}`), Principal: "agent", Actor: memory.ActorTriage, At: now,
		})
		ids = append(ids, m.ID)
	}
	if _, err := b.store.Commit(b.Context(), tenant, set, store.InboxKey{}); err != nil {
		b.Fatal(err)
	}
	return ids
}

// A short answer is found by the words of the question before it, and by no other
// neighbour: not by memories of another session, scope or principal, and not by text
// from outside. The result is the same for an index that stores rows and for rows read
// in Postgres.
func TestNeighboursOfASession(t *testing.T) {
	t.Parallel()
	asked := "Which lake did the sailing school choose for the autumn regatta?"
	answer := "We chose the northern one in the end."
	question := recall.Question{Text: "lake of the sailing school regatta that was chosen"}
	for name, c := range map[string]struct {
		asked, answer said
		lifted        bool
	}{
		"same session":      {said{session: "s1"}, said{session: "s1"}, true},
		"no session":        {said{}, said{}, false},
		"another session":   {said{session: "s1"}, said{session: "s2"}, false},
		"another scope":     {said{session: "s1", scope: "project:other"}, said{session: "s1"}, false},
		"another principal": {said{session: "s1", principal: "human"}, said{session: "s1"}, false},
		"another tenant":    {said{session: "s1", tenant: memory.SystemTenant}, said{session: "s1"}, false},
		"asked outside":     {said{session: "s1", authority: memory.OriginExternal}, said{session: "s1"}, false},
		"answered outside":  {said{session: "s1"}, said{session: "s1", authority: memory.OriginExternal}, false},
	} {
		for _, inIndex := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, index remembers: %v", name, inIndex), func(t *testing.T) {
				t.Parallel()
				b := setup(t)
				b.truth.Originals = inIndex
				b.remember(text("They chose the red one in the end."), text("The lunch order goes out at eleven."))
				c.asked.text, c.answer.text = asked, answer
				b.storeSaid(cmp.Or(c.asked.tenant, memory.DefaultTenant), c.asked)
				known := b.storeSaid(memory.DefaultTenant, c.answer)
				relevance := func() float64 {
					for _, f := range b.search(question).Found {
						if f.ID == known[0] {
							return f.Relevance
						}
					}
					return 0
				}
				alone := relevance()
				b.recall.Neighbours = b.store
				if near := relevance(); (near > alone+0.1) != c.lifted {
					t.Errorf("relevance %.3f alone, %.3f beside the question", alone, near)
				}
			})
		}
	}
}

// A memory that joins a session later becomes a neighbour of those read before.
func TestNeighbourThatCameLater(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.recall.Neighbours = b.store
	b.remember(text("They chose the red one in the end."), text("The lunch order goes out at eleven."))
	question := recall.Question{Text: "lake of the sailing school regatta that was chosen"}
	first := b.storeSaid(memory.DefaultTenant, said{session: "s1", text: "Which lake did the sailing school choose for the autumn regatta?"})
	b.search(question)
	second := b.storeSaid(memory.DefaultTenant, said{session: "s1", text: "We chose the northern one in the end."})
	if got := ids(b.search(question)); !slices.Equal(got[:2], []string{first[0], second[0]}) {
		t.Errorf("found %v, want %v first", got, []string{first[0], second[0]})
	}
}
