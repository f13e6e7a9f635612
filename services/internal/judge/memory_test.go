package judge

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// The estimate by which lanes are bounded is near what the garbage collector
// counts: for a lane of many texts after each was compared, and for many lanes of
// one text.
func TestBytesOfALane(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	embedding().Text("the table is indexed at the first text")
	for name, build := range map[string]func() []*Lane{
		"a large lane": func() []*Lane {
			lane := testLane(t, "standard")
			for i := range 5_000 {
				lane.Upsert(entryOf(i, benchText(rng)))
			}
			for _, r := range lane.rows {
				lane.cfg.Similarity.Compare(r.text, r.text) // makes what comparisons make
				r.text.Specifics()
			}
			return []*Lane{lane}
		},
		"small lanes": func() []*Lane {
			lanes := make([]*Lane, 2_000)
			for i := range lanes {
				lanes[i] = testLane(t, "standard")
				lanes[i].Upsert(entryOf(i, benchText(rng)))
			}
			return lanes
		},
	} {
		before := heap()
		lanes := build()
		held := float64(heap() - before)
		estimate, rows := 0, 0
		for _, l := range lanes {
			estimate += l.Bytes()
			rows += l.Len()
		}
		t.Logf("%s: %d rows, %.0f bytes a row, estimated %d", name, rows, held/float64(rows), estimate/rows)
		if ratio := float64(estimate) / held; ratio < 0.75 || ratio > 1.33 {
			t.Errorf("%s: estimated %d bytes, held %.0f (%.2f)", name, estimate, held, ratio)
		}
		runtime.KeepAlive(lanes)
	}
}

// Removed rows are not counted, after any number of changes.
func TestBytesGoWithTheRows(t *testing.T) {
	t.Parallel()
	lane := testLane(t, "standard")
	empty := lane.Bytes()
	for i := range 20 {
		lane.Judge(Item{Proposal: proposal(fmt.Sprintf("prop_%d", i), "2026-02-03: `chi` was upgraded to 5.1.0 in `go.mod`.")}, testNow)
	}
	for id := range lane.rows {
		lane.Remove(id)
	}
	if lane.Bytes() != empty {
		t.Errorf("%d bytes, %d when it was empty before", lane.Bytes(), empty)
	}
}

func entryOf(i int, text string) Entry {
	return Entry{ID: fmt.Sprintf("mem_%026d", i), Role: memory.RoleMemory, Text: text, Authority: memory.OriginAgent}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
