package storetest

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// A vector is read bit for bit, belongs to one model, and is written once.
func testVectors(t *testing.T, s store.Store) {
	ctx := t.Context()
	list := []memory.Memory{remembered(scopeA, "one"), remembered(scopeA, "two"), remembered(scopeB, "three")}
	commitBatch(t, s, change.Set{Memories: list}, scopeA, scopeB)
	first := []float32{1, -0.5, math.SmallestNonzeroFloat32, float32(math.Pi)}
	put := func(model string, v map[string][]float32) {
		t.Helper()
		if err := s.PutVectors(ctx, tenant, model, v); err != nil {
			t.Fatal(err)
		}
	}
	put("a", map[string][]float32{list[0].ID: first, list[2].ID: {3, 3, 3, 3}, ident.New(memory.PrefixMemory): {9}})
	put("a", map[string][]float32{list[0].ID: {0, 0, 0, 1}})
	put("b", map[string][]float32{list[1].ID: {2, 2}})

	rows := func(q store.IndexQuery) (ids []string, vectors [][]float32) {
		t.Helper()
		list, err := s.IndexRows(ctx, tenant, q)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			if r.UpdatedAt.IsZero() || r.Text == "" || r.Version == 0 {
				t.Errorf("row %+v", r)
			}
			ids, vectors = append(ids, r.ID), append(vectors, r.Vector)
		}
		return ids, vectors
	}
	ids, vectors := rows(store.IndexQuery{Model: "a"})
	if len(ids) != 3 || !slices.IsSorted(ids) {
		t.Fatalf("rows %v", ids)
	}
	at := slices.Index(ids, list[0].ID)
	if !slices.Equal(vectors[at], first) || vectors[slices.Index(ids, list[1].ID)] != nil {
		t.Errorf("vectors %v of %v", vectors, ids)
	}
	if ids, _ := rows(store.IndexQuery{Model: "a", Lacking: true}); !slices.Equal(ids, []string{list[1].ID}) {
		t.Errorf("without a vector: %v", ids)
	}
	if ids, _ := rows(store.IndexQuery{Model: "a", IDs: []string{list[2].ID, "mem_none"}}); !slices.Equal(ids, []string{list[2].ID}) {
		t.Errorf("by id: %v", ids)
	}
	whole, err := s.Memories(ctx, tenant, store.MemoryQuery{IDs: ids[:1]})
	if err != nil {
		t.Fatal(err)
	}
	row, err := s.IndexRows(ctx, tenant, store.IndexQuery{IDs: ids[:1]})
	if err != nil {
		t.Fatal(err)
	}
	same(t, whole[0])(row[0].Memory, nil)
	if rest, _ := rows(store.IndexQuery{Model: "a", After: ids[0], Limit: 1}); !slices.Equal(rest, ids[1:2]) {
		t.Errorf("second page: %v", rest)
	}
	if last, _ := rows(store.IndexQuery{Newest: true, Limit: 1}); !slices.Equal(last, ids[2:]) {
		t.Errorf("the newest: %v of %v", last, ids)
	}
	if list, err := s.IndexRows(ctx, other, store.IndexQuery{Model: "a"}); err != nil || len(list) != 0 {
		t.Errorf("another tenant sees %v, %v", list, err)
	}
}

// The newest calibration of a model is in force (D2), for this model only.
func testCalibrations(t *testing.T, s store.Store) {
	ctx := t.Context()
	if _, err := s.Calibration(ctx, tenant, "a"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("none yet: %v", err)
	}
	old := store.Calibration{ID: "cal-1", Model: "a", Duplicate: 0.9, Cluster: 0.8, Loose: 0.7, Source: "shipped pairs", Report: []byte(`{"n":1}`), At: now()}
	current := old
	current.ID, current.Duplicate, current.At = "cal-2", 0.91, old.At.Add(1000)
	for _, c := range []store.Calibration{current, old} {
		if err := s.PutCalibration(ctx, tenant, c); err != nil {
			t.Fatal(err)
		}
	}
	same(t, current)(s.Calibration(ctx, tenant, "a"))
	if _, err := s.Calibration(ctx, tenant, "b"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("another model: %v", err)
	}
	if _, err := s.Calibration(ctx, other, "a"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("another tenant: %v", err)
	}
}

// IndexRows with Changed returns the new and archived memories of the scopes after
// a version, and of no other scope.
func testChangedRows(t *testing.T, s store.Store) {
	list := []memory.Memory{remembered(scopeA, "one"), remembered(scopeA, "two"), remembered(scopeB, "three")}
	commitBatch(t, s, change.Set{Memories: list}, scopeA, scopeB)
	seen, err := s.ScopeVersions(t.Context(), tenant)
	if err != nil {
		t.Fatal(err)
	}
	wants := func(what string, since map[memory.Scope]int64, want ...string) {
		t.Helper()
		rows, err := s.IndexRows(t.Context(), tenant, store.IndexQuery{Changed: since})
		if err != nil {
			t.Fatal(err)
		}
		ids := []string{}
		for _, r := range rows {
			ids = append(ids, r.ID)
		}
		slices.Sort(want)
		if !slices.Equal(ids, want) {
			t.Errorf("%s: %v, want %v", what, ids, want)
		}
	}
	wants("nothing happened", seen)
	added := remembered(scopeB, "four")
	commitBatch(t, s, change.Set{Memories: []memory.Memory{added}}, scopeB)
	mustCommit(t, s, change.Set{MemoryUpdates: []change.MemoryUpdate{{
		ID: list[0].ID, State: memory.StateArchived, ArchivedAt: now(), SeenCount: 1,
	}}})
	wants("one new, one archived", seen, added.ID, list[0].ID)
	wants("of one scope", map[memory.Scope]int64{scopeA: seen[scopeA]}, list[0].ID)
	wants("a scope never seen", map[memory.Scope]int64{scopeB: 0}, added.ID, list[2].ID)
}
