package storetest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// A served memory is found by session, once, and only by its own tenant.
func testServed(t *testing.T, s store.Store) {
	ctx := t.Context()
	first := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	shown := store.Served{SessionID: "s1", MemoryID: ident.New(memory.PrefixMemory), Principal: "agent", At: first}
	again, elsewhere := shown, shown
	again.At, elsewhere.SessionID = first.Add(time.Hour), "s2"
	for _, list := range [][]store.Served{nil, {shown}, {again, elsewhere}} {
		if err := s.RecordServed(ctx, tenant, list); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.ServedIn(ctx, tenant, "s1")
	if err != nil || len(got) != 1 || got[0].MemoryID != shown.MemoryID || !got[0].At.Equal(first) {
		t.Errorf("served in s1: %+v, %v", got, err)
	}
	if got, err := s.ServedIn(ctx, tenant, "s1", "s2", "s3"); err != nil || len(got) != 2 {
		t.Errorf("served in all: %+v, %v", got, err)
	}
	if got, err := s.ServedIn(ctx, memory.SystemTenant, "s1"); err != nil || len(got) != 0 {
		t.Errorf("another tenant sees %+v, %v", got, err)
	}
	other := store.Served{SessionID: "s3", MemoryID: ident.New(memory.PrefixMemory), Principal: "human", At: first.Add(2 * time.Hour)}
	later := store.Served{SessionID: "s4", MemoryID: other.MemoryID, Principal: "agent", At: first.Add(time.Hour)}
	if err := s.RecordServed(ctx, tenant, []store.Served{other, later}); err != nil {
		t.Fatal(err)
	}
	of, err := s.ServedOf(ctx, tenant, shown.MemoryID, "mem_none")
	if err != nil || len(of) != 2 || of[0].SessionID != "s1" || of[1].SessionID != "s2" || !of[1].At.Equal(first) {
		t.Errorf("where it was served: %+v, %v", of, err)
	}
	if of, err := s.ServedOf(ctx, memory.SystemTenant, shown.MemoryID); err != nil || len(of) != 0 {
		t.Errorf("another tenant sees %+v, %v", of, err)
	}
	for session, want := range map[string][2]int{"": {2, 2}, "s1": {1, 2}, "s3": {2, 1}, "elsewhere": {2, 2}} {
		uses, err := s.Uses(ctx, tenant, session, shown.MemoryID, other.MemoryID, "mem_none")
		if err != nil || len(uses) != 2 || uses[shown.MemoryID] != want[0] || uses[other.MemoryID] != want[1] {
			t.Errorf("uses but in %q: %v, %v, want %v", session, uses, err, want)
		}
	}
	testUsesAtOnce(t, s, tenant, shown.MemoryID)
	for session, want := range map[string]time.Time{"": later.At, "s1": later.At, "s4": first} {
		if at, err := s.LastServed(ctx, tenant, "agent", session); err != nil || !at.Equal(want) {
			t.Errorf("last served but in %q: %v, %v, want %v", session, at, err, want)
		}
	}
	if at, err := s.LastServed(ctx, memory.SystemTenant, "agent", ""); err != nil || !at.IsZero() {
		t.Errorf("another tenant: %v, %v", at, err)
	}
}

// Many who ask at once each get the count of their own session and tenant, also beside one
// whose question no store answers. memory was served in s1 and s2.
func testUsesAtOnce(t *testing.T, s store.ServedLog, tenant memory.Tenant, id string) {
	var all sync.WaitGroup
	for i := range 60 {
		in := []struct {
			tenant  memory.Tenant
			session string
			want    int
		}{{tenant, "s1", 1}, {tenant, "elsewhere", 2}, {memory.SystemTenant, "elsewhere", 0}, {tenant, "no text \x00", -1}}[i%4]
		all.Go(func() {
			uses, err := s.Uses(t.Context(), in.tenant, in.session, "mem_none", id)
			switch {
			case in.want < 0:
				if err == nil {
					t.Errorf("a session that is no text: %v", uses)
				}
			case err != nil || uses[id] != in.want || len(uses) != min(in.want, 1):
				t.Errorf("uses of %s but in %q: %v, %v, want %d", in.tenant, in.session, uses, err, in.want)
			}
		})
	}
	all.Wait()
}

// Concurrent answers of one session with the same memories in different orders are
// all recorded.
func testServedAtOnce(t *testing.T, s store.Store) {
	list := make([]store.Served, 200)
	for i := range list {
		list[i] = store.Served{MemoryID: ident.New(memory.PrefixMemory), Principal: "agent", At: now()}
	}
	for n := range 10 {
		session := fmt.Sprint("at once ", n)
		for i := range list {
			list[i].SessionID = session
		}
		otherwise := slices.Clone(list)
		slices.Reverse(otherwise)
		var g errgroup.Group
		for _, one := range [][]store.Served{list, otherwise} {
			g.Go(func() error { return s.RecordServed(t.Context(), tenant, one) })
		}
		if err := g.Wait(); err != nil {
			t.Error(err)
		}
		if got, err := s.ServedIn(t.Context(), tenant, session); err != nil || len(got) != len(list) {
			t.Errorf("%d of %d are kept, %v", len(got), len(list), err)
		}
	}
}
