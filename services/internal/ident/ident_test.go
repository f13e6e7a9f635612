package ident

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// D26: a new id is valid, sorts in the order of creation and contains its time.
func TestNew(t *testing.T) {
	t.Parallel()
	began := time.Now().Truncate(time.Millisecond)
	ids := make([]string, 0, 1000)
	for range cap(ids) {
		ids = append(ids, New(memory.PrefixMemory))
	}
	if !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Error("ids of one process are not in the order of their making, or not unique")
	}
	for _, id := range ids {
		if prefix, err := memory.ParseID(id, memory.PrefixMemory); err != nil || prefix != memory.PrefixMemory {
			t.Fatalf("%s: %v", id, err)
		}
		if at, ok := Time(id); !ok || at.Before(began) || at.After(time.Now()) {
			t.Fatalf("%s was made at %s, %v", id, at, ok)
		}
	}
	for _, bad := range []string{"", "mem_", "mem_not-a-ulid-not-a-ulid-not"} {
		if at, ok := Time(bad); ok {
			t.Errorf("%q was made at %s", bad, at)
		}
	}
}

// Concurrent goroutines each create increasing ids.
func TestNewAtOnce(t *testing.T) {
	t.Parallel()
	var makers sync.WaitGroup
	for range 8 {
		makers.Go(func() {
			ids := make([]string, 100_000)
			for i := range ids {
				ids[i] = New(memory.PrefixMemory)
			}
			if !slices.IsSorted(ids) {
				t.Error("ids of one goroutine are not in the order of their making")
			}
		})
	}
	makers.Wait()
}
