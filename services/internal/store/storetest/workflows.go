package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

func workflowOf(scope memory.Scope, name string) memory.Workflow {
	return memory.Workflow{
		ID: ident.New(memory.PrefixWorkflow), Tenant: tenant, Scope: scope, Status: memory.WorkflowActive, Name: name,
		Description: "until it is done", Principal: "agent", CreatedAt: now(), UpdatedAt: now(), Version: 1,
	}
}

// updateOf returns the update that gives a workflow another status.
func updateOf(w memory.Workflow, status memory.WorkflowStatus) change.WorkflowUpdate {
	return change.WorkflowUpdate{ID: w.ID, Scope: w.Scope, Status: status, UpdatedAt: now(), Members: -1}
}

// proposed returns a memory that came of a proposal.
func proposed(scope memory.Scope, text string) memory.Memory {
	m := remembered(scope, text)
	m.ProposalID = ident.New(memory.PrefixProposal)
	return m
}

// S0.10, S0.12, S0.17, S0.20, S0.22: workflows are read as they were written, nothing where
// none is active, and listed by project and status in the order in which they began. What
// one project has active is nothing to another. The seed's ten methods are three reads and
// what a commit may carry.
func testWorkflows(t *testing.T, s store.Store) {
	ctx := t.Context()
	if got, err := s.ActiveWorkflow(ctx, tenant, scopeA, 5); err != nil || got.ID != "" {
		t.Errorf("before the first: %+v, %v", got, err)
	}
	first, other := workflowOf(scopeA, "the import"), workflowOf(scopeB, "the export")
	mustCommit(t, s, change.Set{Workflows: []memory.Workflow{first, other}})
	got, err := s.Workflow(ctx, tenant, first.ID, 5)
	if err != nil || !reflect.DeepEqual(got.Workflow, first) || len(got.Memories) != 0 {
		t.Errorf("%+v, %v\nwant %+v", got, err, first)
	}
	end := now()
	mustCommit(t, s, change.Set{WorkflowUpdates: []change.WorkflowUpdate{{
		ID: first.ID, Scope: scopeA, Status: memory.WorkflowCompleted, Summary: "it is done", UpdatedAt: end, CompletedAt: end, Members: 0, Expect: 1,
	}}})
	first.Status, first.Summary, first.UpdatedAt, first.CompletedAt, first.Version = memory.WorkflowCompleted, "it is done", end, end, 2
	next := workflowOf(scopeA, "the next one")
	mustCommit(t, s, change.Set{Workflows: []memory.Workflow{next}})
	for name, c := range map[string]struct {
		q    store.WorkflowQuery
		want []memory.Workflow
	}{
		"of a project": {store.WorkflowQuery{Scope: scopeA}, []memory.Workflow{first, next}},
		"by status":    {store.WorkflowQuery{Status: memory.WorkflowActive}, []memory.Workflow{other, next}},
		"newest":       {store.WorkflowQuery{Newest: true, Limit: 1}, []memory.Workflow{next}},
		"after":        {store.WorkflowQuery{After: other.ID}, []memory.Workflow{next}},
		"none":         {store.WorkflowQuery{Scope: "project:elsewhere"}, nil},
	} {
		if list, err := s.Workflows(ctx, tenant, c.q); err != nil || len(list) != len(c.want) || len(list) > 0 && !reflect.DeepEqual(list, c.want) {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
	}
	for scope, want := range map[memory.Scope]string{scopeA: next.ID, scopeB: other.ID, "project:elsewhere": ""} {
		if got, err := s.ActiveWorkflow(ctx, tenant, scope, 0); err != nil || got.ID != want {
			t.Errorf("active in %s: %q, %v, want %q", scope, got.ID, err, want)
		}
	}
	_, err = s.Workflow(ctx, tenant, "wf_none", 0)
	wantError(t, err, store.ErrNotFound)
	// A version that is not the row's, another scope, and another number of memories.
	for name, u := range map[string]change.WorkflowUpdate{
		"version": {ID: next.ID, Scope: scopeA, Status: memory.WorkflowPaused, UpdatedAt: end, Members: -1, Expect: 7},
		"scope":   {ID: next.ID, Scope: scopeB, Status: memory.WorkflowPaused, UpdatedAt: end, Members: -1},
		"members": {ID: next.ID, Scope: scopeA, Status: memory.WorkflowPaused, UpdatedAt: end, Members: 1},
	} {
		if _, err := s.Commit(ctx, tenant, change.Set{WorkflowUpdates: []change.WorkflowUpdate{u}}, store.InboxKey{}); !errors.Is(err, store.ErrConflict) {
			t.Errorf("%s: %v, want ErrConflict", name, err)
		}
	}
	if _, err := s.Commit(ctx, tenant, change.Set{Workflows: []memory.Workflow{workflowOf("org:acme", "global")}}, store.InboxKey{}); !errors.Is(err, store.ErrInvalid) {
		t.Errorf("of an organisation: %v, want ErrInvalid", err)
	}
}

// S0.7, S0.9, S0.19, S0.22, S0.31: of any number of starters one wins; a paused workflow goes on only
// while no other is active.
func testOneWorkflow(t *testing.T, s store.Store) {
	ctx := t.Context()
	var g errgroup.Group
	won := make([]string, 20)
	for i := range won {
		g.Go(func() error {
			w := workflowOf(scopeA, fmt.Sprint("task ", i))
			_, err := s.Commit(ctx, tenant, change.Set{Workflows: []memory.Workflow{w}, Audit: []change.Audit{audited(w.ID)}}, store.InboxKey{})
			if err == nil {
				won[i] = w.ID
			}
			if errors.Is(err, store.ErrConflict) {
				return nil
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	active, err := s.ActiveWorkflow(ctx, tenant, scopeA, 0)
	winners := 0
	for _, id := range won {
		if id != "" {
			winners++
		}
	}
	if list, _ := s.Workflows(ctx, tenant, store.WorkflowQuery{}); err != nil || winners != 1 || len(list) != 1 || list[0].ID != active.ID {
		t.Fatalf("%d won, %d are stored, active is %q, %v", winners, len(list), active.ID, err)
	}
	if r, err := s.VerifyAudit(ctx, tenant); err != nil || r.Links != 1 {
		t.Errorf("audit %+v, %v; want nothing of those that lost", r, err)
	}
	// One transaction may pause the active one and start another.
	second := workflowOf(scopeA, "second")
	mustCommit(t, s, change.Set{WorkflowUpdates: []change.WorkflowUpdate{updateOf(active.Workflow, memory.WorkflowPaused)}, Workflows: []memory.Workflow{second}})
	resume := change.Set{WorkflowUpdates: []change.WorkflowUpdate{updateOf(active.Workflow, memory.WorkflowActive)}}
	_, err = s.Commit(ctx, tenant, resume, store.InboxKey{})
	wantError(t, err, store.ErrConflict)
	mustCommit(t, s, change.Set{WorkflowUpdates: []change.WorkflowUpdate{updateOf(second, memory.WorkflowCompleted)}})
	mustCommit(t, s, resume)
}

// S0.2, S0.40–S0.42: a memory joins the workflow of its project in its own transaction,
// by either way to commit; one of an organisation, an import and a merged memory do not.
func testJoining(t *testing.T, s store.Store) {
	ctx := t.Context()
	w := workflowOf(scopeA, "the import")
	before := proposed(scopeA, "before it")
	mustCommit(t, s, change.Set{Memories: []memory.Memory{before}})
	mustCommit(t, s, change.Set{Workflows: []memory.Workflow{w}})

	joins, batched := proposed(scopeA, "one"), proposed(scopeA, "two")
	global, elsewhere, user, imported, merged, summary := proposed("org:acme", "g"), proposed(scopeB, "e"), proposed("user:ann", "u"), remembered(scopeA, "i"), proposed(scopeA, "m"), proposed(scopeA, "s")
	merged.Tags, summary.Kind = []string{memory.TagConsolidated}, memory.KindSummary
	mustCommit(t, s, change.Set{Memories: []memory.Memory{joins, global, elsewhere, user, imported, merged, summary}})
	commitBatch(t, s, change.Set{Memories: []memory.Memory{batched}}, scopeA)
	// A commit that fails leaves neither the memory nor the link (S0.41).
	lost := proposed(scopeA, "lost")
	_, err := s.Commit(ctx, tenant, change.Set{Memories: []memory.Memory{lost}, MemoryUpdates: []change.MemoryUpdate{{ID: joins.ID, State: memory.StateActive, Expect: 99}}}, store.InboxKey{})
	wantError(t, err, store.ErrConflict)

	got, err := s.ActiveWorkflow(ctx, tenant, scopeA, 10)
	if err != nil || got.MemoryCount != 2 || len(got.Memories) != 2 || got.Memories[0].ID != batched.ID || got.Memories[1].ID != joins.ID {
		t.Fatalf("%d memories %+v, %v", got.MemoryCount, got.Memories, err)
	}
	links, err := s.Links(ctx, tenant, w.ID)
	if want := []memory.Link{{Tenant: tenant, From: joins.ID, Kind: memory.LinkWorkflow, To: w.ID}, {Tenant: tenant, From: batched.ID, Kind: memory.LinkWorkflow, To: w.ID}}; err != nil || !reflect.DeepEqual(links, want) {
		t.Errorf("links %+v, %v", links, err)
	}
	// S0.21, S0.22: the same link again changes nothing.
	mustCommit(t, s, change.Set{Links: links})
	if again, err := s.Links(ctx, tenant, w.ID); err != nil || !reflect.DeepEqual(again, links) {
		t.Errorf("linked twice: %+v, %v", again, err)
	}
	// What was replaced stands for its successor, what is gone for nothing; the count
	// is that of the links (S0.11).
	replaced := archiving(joins, merged.ID)
	mustCommit(t, s, change.Set{MemoryUpdates: []change.MemoryUpdate{replaced, archiving(batched, "")}})
	got, err = s.Workflow(ctx, tenant, w.ID, 10)
	if err != nil || got.MemoryCount != 2 || len(got.Memories) != 1 || got.Memories[0].ID != merged.ID {
		t.Errorf("after a merge: %d, %+v, %v", got.MemoryCount, got.Memories, err)
	}
	// A paused workflow gets no memory.
	mustCommit(t, s, change.Set{WorkflowUpdates: []change.WorkflowUpdate{updateOf(w, memory.WorkflowPaused)}})
	mustCommit(t, s, change.Set{Memories: []memory.Memory{proposed(scopeA, "meanwhile")}})
	if got, err := s.Workflow(ctx, tenant, w.ID, 0); err != nil || got.MemoryCount != 2 {
		t.Errorf("while paused: %d, %v", got.MemoryCount, err)
	}
}

// A workflow of another tenant cannot be read or changed, and gets no memory.
func testWorkflowTenants(t *testing.T, s store.Store) {
	ctx := t.Context()
	w := workflowOf(scopeA, "ours")
	mustCommit(t, s, change.Set{Workflows: []memory.Workflow{w}})
	_, err := s.Workflow(ctx, other, w.ID, 5)
	wantError(t, err, store.ErrNotFound)
	if got, err := s.ActiveWorkflow(ctx, other, scopeA, 5); err != nil || got.ID != "" {
		t.Errorf("of the other tenant: %+v, %v", got, err)
	}
	if list, err := s.Workflows(ctx, other, store.WorkflowQuery{}); err != nil || len(list) != 0 {
		t.Errorf("of the other tenant: %+v, %v", list, err)
	}
	theirs := proposed(scopeA, "theirs")
	theirs.Tenant = other
	if _, err := s.Commit(ctx, other, change.Set{Memories: []memory.Memory{theirs}}, store.InboxKey{}); err != nil {
		t.Fatal(err)
	}
	_, err = s.Commit(ctx, other, change.Set{WorkflowUpdates: []change.WorkflowUpdate{updateOf(w, memory.WorkflowPaused)}}, store.InboxKey{})
	wantError(t, err, store.ErrConflict)
	_, err = s.Commit(ctx, other, change.Set{Workflows: []memory.Workflow{w}}, store.InboxKey{})
	wantError(t, err, store.ErrInvalid)
	if got, err := s.Workflow(ctx, tenant, w.ID, 5); err != nil || got.MemoryCount != 0 || got.Status != memory.WorkflowActive {
		t.Errorf("afterwards: %+v, %v", got, err)
	}
}
