package recall_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
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

// Candidates that are found by their rows in the index make the answers, to the last bit,
// that they make by their ids: an index without originals has no rows. Sessions are longer
// and shorter than what is looked through, some candidates are archived, and scopes, depth
// and kinds narrow the questions.
func TestRowsOfTheIndexChangeNoAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rng := rand.New(rand.NewPCG(4, 19))
	var list []said
	for i := range 300 {
		list = append(list, said{
			session: []string{"long", fmt.Sprint("s", i/3), fmt.Sprint("s", i/3), ""}[rng.IntN(4)],
			scope:   memory.Scope(fmt.Sprint("project:p", rng.IntN(3))), text: sentence(rng),
		})
	}
	known := b.storeSaid(memory.DefaultTenant, list...)
	for i := range 20 {
		_, err := b.store.Commit(t.Context(), memory.DefaultTenant, change.Set{MemoryUpdates: []change.MemoryUpdate{{
			ID: known[i], State: memory.StateArchived, ArchivedAt: time.Now(), ArchiveReason: "merged", SuccessorID: known[i+20],
			Confidence: 0.8, SeenCount: 1,
		}}}, store.InboxKey{})
		if err != nil {
			t.Fatal(err)
		}
	}
	plain := over(t, b.store)
	plain.truth.Originals = false
	b.recall.Neighbours, plain.recall.Neighbours = b.store, b.store
	for i := range 120 {
		words := strings.Fields(list[rng.IntN(len(list))].text)
		q := recall.Question{Text: strings.Join(words[:2+rng.IntN(6)], " "), Unasked: i%2 == 0, Deep: i%5 == 0}
		switch i % 4 {
		case 1:
			q.Scopes = []memory.Scope{"project:p1"}
		case 2:
			q.Filter.Kinds = []memory.Kind{memory.KindFact}
		}
		got, want := b.search(q), plain.search(q)
		if len(got.Found) != len(want.Found) || got.Capped != want.Capped {
			t.Fatalf("%+v: %d found and %d capped, want %d and %d", q, len(got.Found), got.Capped, len(want.Found), want.Capped)
		}
		for n := range got.Found {
			g, w := &got.Found[n], &want.Found[n]
			if g.ID != w.ID || g.Relevance != w.Relevance || g.Redirected != w.Redirected {
				t.Fatalf("%+v, place %d: %s %v, want %s %v", q, n, g.ID, g.Relevance, w.ID, w.Relevance)
			}
		}
	}
}
