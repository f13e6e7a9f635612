package ops_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/ops"
)

// X3: whatever agents and people said before, and however a run grouped it, also what
// an earlier run had made: the undo restores every column but the version, the
// evidence and the links of every memory, in any order of steps.
func TestUndoAnyRun(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			r := rand.New(rand.NewPCG(seed, 12))
			b.happen(r, 10)
			for i := range 6 {
				b.remember(fmt.Sprintf("`svc-%d` listens on %d", i, 8000+r.IntN(5)))
			}
			ids := b.everything()
			before := b.exactly(ids...)
			var runs []memory.Run
			for range 1 + r.IntN(3) {
				run, _ := b.merged(b.groups(r)...)
				runs = append(runs, run)
			}
			b.undoRuns(r, runs)
			if after := b.exactly(ids...); after != before {
				t.Errorf("not as before the runs:\n%s\nwant\n%s", after, before)
			}
			if report, err := b.ops.VerifyAudit(t.Context(), ops.Heads{}, true); err != nil || report.BrokenAt != 0 {
				t.Errorf("audit: %+v, %v", report, err)
			}
		})
	}
}

// undoRuns takes runs back, at random from the last to the first, each as a whole or
// step by step, or with the first everything that rests on it.
func (b *bench) undoRuns(r *rand.Rand, runs []memory.Run) {
	b.Helper()
	if r.IntN(3) == 0 {
		b.undoRun(runs[0], ops.RunUndo{Cascade: true})
		runs = runs[1:] // what did not rest on it stands
	}
	for i := len(runs) - 1; i >= 0; i-- {
		if r.IntN(2) == 0 {
			for _, n := range r.Perm(len(b.states(runs[i]))) {
				b.undoRun(runs[i], ops.RunUndo{Item: n + 1})
			}
		} else {
			b.undoRun(runs[i], ops.RunUndo{})
		}
		if got := b.run(runs[i].ID); got.State != memory.RunUndone {
			b.Errorf("run %d is %s", i, got.State)
		}
	}
}

// everything lists the ids of all memories, in their order.
func (b *bench) everything() (ids []string) {
	b.Helper()
	list, err := b.ops.Memories(b.Context(), "", true, 1000)
	if err != nil {
		b.Fatal(err)
	}
	for _, m := range list {
		ids = append(ids, m.ID)
	}
	return ids
}

// groups puts some of the active memories into groups of two to four.
func (b *bench) groups(r *rand.Rand) (groups [][]string) {
	b.Helper()
	active := b.active()
	order := r.Perm(len(active))
	for len(order) >= 2 && len(groups) < 4 {
		n := min(2+r.IntN(3), len(order))
		var group []string
		for _, i := range order[:n] {
			group = append(group, active[i].ID)
		}
		groups, order = append(groups, group), order[n:]
	}
	return groups
}
