package storetest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

func testCommitOnce(t *testing.T, s store.Store) {
	p := proposal(scopeA, memory.ProposalPending, "once")
	set := change.Set{Proposals: []memory.Proposal{p}, Audit: []change.Audit{audited(p.ID)}}
	key := store.InboxKey{Consumer: "digest", Key: "evt_1/human"}
	for i, want := range []bool{false, true} {
		done, err := s.Commit(t.Context(), tenant, set, key)
		if err != nil || done != want {
			t.Fatalf("commit %d: done %v, %v", i+1, done, err)
		}
	}
	if r, err := s.VerifyAudit(t.Context(), tenant); err != nil || r.Links != 1 {
		t.Errorf("audit %+v, %v; want one link", r, err)
	}
	if done, err := s.Commit(t.Context(), tenant, change.Set{}, store.InboxKey{}); done || err != nil {
		t.Errorf("empty set: done %v, %v", done, err)
	}
}

func testExpectations(t *testing.T, s store.Store) {
	p, m := proposal(scopeA, memory.ProposalNeedsReview, "p"), remembered(scopeB, "m")
	mustCommit(t, s, change.Set{Proposals: []memory.Proposal{p}, Memories: []memory.Memory{m}})
	update := func(expectP, expectM int64) change.Set {
		return change.Set{
			ProposalUpdates: []change.ProposalUpdate{{ID: p.ID, State: memory.ProposalRejected, SeenCount: 1, Expect: expectP}},
			MemoryUpdates:   []change.MemoryUpdate{{ID: m.ID, State: memory.StateArchived, ArchivedAt: now(), Expect: expectM}},
			Audit:           []change.Audit{audited(p.ID)},
		}
	}
	_, err := s.Commit(t.Context(), tenant, update(1, 7), store.InboxKey{})
	wantError(t, err, store.ErrConflict)
	if got, err := s.Proposal(t.Context(), tenant, p.ID); err != nil || got.State != p.State || got.Version != 1 {
		t.Fatalf("after a conflict: %+v, %v", got, err)
	}
	mustCommit(t, s, update(1, 1))
	_, err = s.Commit(t.Context(), tenant, update(1, 2), store.InboxKey{})
	wantError(t, err, store.ErrConflict)
}

func testMissingRow(t *testing.T, s store.Store) {
	_, err := s.Commit(t.Context(), tenant, change.Set{
		ProposalUpdates: []change.ProposalUpdate{{ID: "prop_none", State: memory.ProposalRejected}},
	}, store.InboxKey{})
	wantError(t, err, store.ErrNotFound)
	for name, err := range map[string]error{
		"proposal":  second(s.Proposal(t.Context(), tenant, "prop_none")),
		"memory":    second(s.Memory(t.Context(), tenant, "mem_none")),
		"decision":  second(s.Decision(t.Context(), tenant, "dec_none")),
		"boot file": second(s.BootFile(t.Context(), tenant, "none")),
		"principal": second(s.Principal(t.Context(), "nobody")),
		"key":       second(s.PrincipalByKey(t.Context(), []byte("no such key"))),
	} {
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v, want ErrNotFound", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// SPEC §3: undo archives the memory, returns the proposal to review and drops
// the link, and the texts stay as they were.
func testUndoUpdates(t *testing.T, s store.Store) {
	p, m := proposal(scopeA, memory.ProposalPromoted, "p"), remembered(scopeA, "p")
	m.ProposalID = p.ID
	d := decision(p, memory.VerdictPromoted, memory.ActorTriage)
	d.MemoryID = m.ID
	link := memory.Link{Tenant: tenant, From: m.ID, To: p.ID, Kind: memory.LinkDerivedFrom}
	commitBatch(t, s, change.Set{
		Proposals: []memory.Proposal{p}, Memories: []memory.Memory{m}, Decisions: []memory.Decision{d}, Links: []memory.Link{link},
	}, scopeA)

	undo := decision(p, memory.VerdictUndone, memory.ActorPerson)
	undo.ID, undo.Undoes = ident.New(memory.PrefixDecision), d.ID
	mustCommit(t, s, change.Set{
		Decisions:       []memory.Decision{undo},
		ProposalUpdates: []change.ProposalUpdate{{ID: p.ID, State: memory.ProposalNeedsReview, DecisionID: undo.ID, SeenCount: 1, Expect: 1}},
		MemoryUpdates:   []change.MemoryUpdate{{ID: m.ID, State: memory.StateArchived, ArchivedAt: now(), ArchiveReason: "undone", SeenCount: 1, Expect: 1}},
		DroppedLinks:    []memory.Link{link},
	})
	gotP, errP := s.Proposal(t.Context(), tenant, p.ID)
	gotM, errM := s.Memory(t.Context(), tenant, m.ID)
	links, errL := s.Links(t.Context(), tenant, m.ID)
	if err := errors.Join(errP, errM, errL); err != nil {
		t.Fatal(err)
	}
	if gotP.State != memory.ProposalNeedsReview || gotP.DecisionID != undo.ID || gotP.Text != p.Text {
		t.Errorf("proposal %+v", gotP)
	}
	if gotM.State != memory.StateArchived || gotM.ArchiveReason != "undone" || gotM.Text != m.Text || len(links) != 0 {
		t.Errorf("memory %+v, links %v", gotM, links)
	}
	// The lane returns the proposal although it was decided on arrival.
	if a := lanes(t, s, map[memory.Scope]int64{scopeA: 1})[0]; len(a.Proposals) != 1 || len(a.Memories) != 1 {
		t.Errorf("lane %+v, want both rows", a)
	}
}

func testLinks(t *testing.T, s store.Store) {
	l := memory.Link{Tenant: tenant, From: "mem_new", To: "mem_old", Kind: memory.LinkSupersedes}
	for range 2 { // twice is the same as once
		mustCommit(t, s, change.Set{Links: []memory.Link{l, l}})
	}
	for _, id := range []string{l.From, l.To} {
		if got, err := s.Links(t.Context(), tenant, id); err != nil || !slices.Equal(got, []memory.Link{l}) {
			t.Errorf("links of %s: %v, %v", id, got, err)
		}
	}
}

// A refused value is a permanent error, so that halving the batch finds the poison
// event.
func testRefusesBadValues(t *testing.T, s store.Store) {
	p := proposal(scopeA, memory.ProposalPending, "x")
	bad := map[string]func(*memory.Proposal){
		"NUL byte":      func(p *memory.Proposal) { p.Text = "a\x00b" },
		"invalid UTF-8": func(p *memory.Proposal) { p.Text = "a\xff" },
		"tags":          func(p *memory.Proposal) { p.Tags = []string{"a\x00"} },
		"state":         func(p *memory.Proposal) { p.State = "unheard" },
		"tenant":        func(p *memory.Proposal) { p.Tenant = other },
	}
	for name, spoil := range bad {
		q := p
		spoil(&q)
		_, err := s.CommitBatch(t.Context(), tenant, batchOf(scopeA), always(change.Set{Proposals: []memory.Proposal{q}}))
		if !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
		if err != nil && strings.Contains(err.Error(), q.Text) && q.Text != "x" {
			t.Errorf("%s: the error repeats the text: %v", name, err)
		}
	}
	_, err := s.CommitBatch(t.Context(), tenant, batchOf(scopeA), always(change.Set{
		Events: []change.Event{{ID: "", Subject: "memory.recorded"}},
	}))
	wantError(t, err, store.ErrInvalid)
	// The connections are still usable.
	commitBatch(t, s, change.Set{Proposals: []memory.Proposal{p}}, scopeA)
}

func testRegistry(t *testing.T, s store.Store) {
	term := memory.Retired{ID: "ret_1", Tenant: tenant, Term: "left-pad", Kind: "tool", Replacement: "padStart", Since: now(), Principal: "human"}
	boot := memory.BootFile{ID: "boot_1", Tenant: tenant, Scope: scopeA, Name: "CLAUDE.md", Text: "be terse", Principal: "human", CreatedAt: now()}
	policy := change.Policy{Name: "standard", Version: "h1", Text: "rules: []", ScopeKind: memory.ScopeProject}
	stored := change.Policy{Name: "strict", Version: "h2", Text: "rules: [a]"}
	mustCommit(t, s, change.Set{
		Retired: []memory.Retired{term}, BootFiles: []memory.BootFile{boot}, Policies: []change.Policy{policy, stored, policy},
	})
	r, err := s.Registry(t.Context(), tenant)
	if err != nil {
		t.Fatal(err)
	}
	if r.Version != 1 || len(r.Retired) != 1 || r.Retired[0] != term || len(r.BootFiles) != 1 || r.BootFiles[0] != boot {
		t.Errorf("registry %+v", r)
	}
	if len(r.Policies) != 1 || r.Policies[memory.ScopeProject] != policy {
		t.Errorf("policies %+v, want the one in force", r.Policies)
	}
	if got, err := s.BootFile(t.Context(), tenant, boot.ID); err != nil || got != boot {
		t.Errorf("boot file %+v, %v", got, err)
	}
	view := func(since int64) (got store.Registry) {
		_, err := s.CommitBatch(t.Context(), tenant, batchOf(scopeA), func(ctx context.Context, _ []int, v store.LaneView) (change.Set, error) {
			var err error
			got, err = v.Registry(ctx, since)
			return change.Set{}, err
		})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := view(1); got.Version != 1 || got.Retired != nil || got.Policies != nil {
		t.Errorf("registry that the caller knows: %+v, want the version alone", got)
	}
	mustCommit(t, s, change.Set{RetiredRemoved: []string{term.ID}, BootRemoved: []string{boot.ID}})
	if got := view(1); got.Version != 2 || len(got.Retired)+len(got.BootFiles) != 0 || len(got.Policies) != 1 {
		t.Errorf("after removal: %+v", got)
	}
}

// SPEC §6: more than 20 % of at least 20 reviewed items, each counted once.
func testRulesOff(t *testing.T, s store.Store) {
	review := func(rule string, item int, agreed bool) change.Review {
		return change.Review{
			ID: ident.New("rev_"), ProposalID: rule + string(rune('a'+item)), Rule: rule, Agreed: agreed, Principal: "human", At: now(),
		}
	}
	var reviews []change.Review
	for i := range 20 {
		reviews = append(reviews,
			review("often", i, i >= 5),  // 25 %
			review("seldom", i, i >= 4)) // exactly 20 %
		if i < 19 {
			reviews = append(reviews, review("few", i, false))
		}
	}
	mustCommit(t, s, change.Set{Reviews: reviews})
	r, err := s.Registry(t.Context(), tenant)
	if err != nil || !slices.Equal(r.RulesOff, []string{"often"}) || r.Version != 1 {
		t.Fatalf("rules off %v at version %d, %v", r.RulesOff, r.Version, err)
	}
	// A person who changes an answer changes the count.
	later := review("often", 0, true)
	later.At = now().Add(1e9)
	mustCommit(t, s, change.Set{Reviews: []change.Review{later}})
	if r, err = s.Registry(t.Context(), tenant); err != nil || len(r.RulesOff) != 0 || r.Version != 2 {
		t.Errorf("after a changed answer: %v at version %d, %v", r.RulesOff, r.Version, err)
	}
}

func testDirectory(t *testing.T, s store.Store) {
	agent, err := s.Principal(t.Context(), "agent")
	if err != nil || agent.Tenant != tenant || agent.Highest != memory.OriginAgent {
		t.Fatalf("agent: %+v, %v", agent, err)
	}
	bot := memory.Principal{
		ID: "deploy-bot", Tenant: tenant, Highest: memory.OriginFirstParty, Name: "Deploy bot", Service: true,
		SpeaksFor: []string{"anna", `b"en`}, EventsJSON: true,
		Scopes: []memory.Scope{"project:shop", "team:web"},
	}
	for range 2 {
		mustCommit(t, s, change.Set{Principals: []memory.Principal{bot}})
	}
	got, err := s.Principal(t.Context(), bot.ID)
	if err != nil || got.Highest != bot.Highest || !got.Service || got.CreatedAt.IsZero() ||
		!slices.Equal(got.SpeaksFor, bot.SpeaksFor) || !slices.Equal(got.Scopes, bot.Scopes) || !slices.Equal(got.Acts, bot.Scopes) || !slices.Equal(got.Reads, bot.Scopes) {
		t.Errorf("registered: %+v, %v", got, err)
	}
	list, err := s.Principals(t.Context(), tenant)
	ids := make([]string, len(list))
	for i, p := range list {
		ids[i] = p.ID
	}
	if err != nil || !slices.Contains(ids, "deploy-bot") || !slices.IsSorted(ids) {
		t.Errorf("principals %v, %v", ids, err)
	}
	for _, p := range list {
		if p.EventsJSON != (p.ID == "deploy-bot") {
			t.Errorf("%s reads JSON: %v", p.ID, p.EventsJSON)
		}
	}
	if tenants, err := s.Tenants(t.Context()); err != nil || !slices.Equal(tenants, []memory.Tenant{tenant}) {
		t.Errorf("tenants %v, %v; want all but the system's own", tenants, err)
	}
	// The id of a principal is unique over all tenants.
	_, err = s.Commit(t.Context(), other, change.Set{Principals: []memory.Principal{bot}}, store.InboxKey{})
	wantError(t, err, store.ErrInvalid)
}
