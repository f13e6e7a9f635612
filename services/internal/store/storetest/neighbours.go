package storetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// A neighbour of a memory is active, has the same session, scope and principal,
// and comes in the order of arrival.
func testNeighbours(t *testing.T, s store.Store) {
	var set change.Set
	add := func(session, principal string, scope memory.Scope, state memory.State) string {
		p := proposal(scope, memory.ProposalPromoted, "x")
		p.SessionID, p.Principal = session, principal
		m := remembered(scope, fmt.Sprintf("%s %s %d", session, principal, len(set.Memories)))
		m.ProposalID, m.State = p.ID, state
		d := decision(p, memory.VerdictPromoted, memory.ActorTriage)
		d.MemoryID = m.ID
		set.Proposals, set.Memories, set.Decisions = append(set.Proposals, p), append(set.Memories, m), append(set.Decisions, d)
		return m.ID
	}
	first := add("s1", "agent", scopeA, memory.StateActive)
	second := add("s1", "agent", scopeA, memory.StateActive)
	add("s2", "agent", scopeA, memory.StateActive)
	add("s1", "human", scopeA, memory.StateActive)
	add("s1", "agent", scopeB, memory.StateActive)
	add("s1", "agent", scopeA, memory.StateArchived)
	third := add("s1", "agent", scopeA, memory.StateActive)
	fourth := add("s1", "agent", scopeA, memory.StateActive)
	fifth := add("s1", "agent", scopeA, memory.StateActive)
	alone := add("", "agent", scopeA, memory.StateActive)
	add("", "agent", scopeA, memory.StateActive)
	commitBatch(t, s, set, scopeA, scopeB)

	near := func(tenant memory.Tenant, reach int, ids ...string) (got []string) {
		t.Helper()
		list, err := s.Neighbours(t.Context(), tenant, reach, ids...)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range list {
			got = append(got, fmt.Sprint(b.Of, b.Distance, b.ID))
		}
		slices.Sort(got)
		return got
	}
	want := []string{
		fmt.Sprint(first, 1, second), fmt.Sprint(first, 2, third),
		fmt.Sprint(third, 1, second), fmt.Sprint(third, 2, first), fmt.Sprint(third, 1, fourth), fmt.Sprint(third, 2, fifth),
	}
	slices.Sort(want)
	if got := near(tenant, 2, first, third, alone, "mem_none"); !slices.Equal(got, want) {
		t.Errorf("neighbours:\n%q\nwant\n%q", got, want)
	}
	// IndexRows groups the memories by the same sessions.
	rows, err := s.IndexRows(t.Context(), tenant, store.IndexQuery{})
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string][]string{}
	for _, r := range rows {
		if r.State == memory.StateActive && r.Scope == scopeA {
			lines[r.Session] = append(lines[r.Session], r.ID)
		}
	}
	of := func(id string) string {
		return rows[slices.IndexFunc(rows, func(r store.IndexRow) bool { return r.ID == id })].Session
	}
	line := []string{first, second, third, fourth, fifth}
	slices.Sort(line)
	if got := lines[of(first)]; of(first) == "" || !slices.Equal(got, line) {
		t.Errorf("rows of session %q: %q, want %q", of(first), got, line)
	}
	if of(alone) != "" || len(lines) != 4 { // two publishers' s1, s2, and none
		t.Errorf("sessions of rows: %q", lines)
	}
	if got := near(other, 2, first, third); len(got) != 0 {
		t.Errorf("another tenant sees %q", got)
	}
	if got := near(tenant, 2); len(got) != 0 {
		t.Errorf("asked for nothing: %q", got)
	}
}
