package consolidate_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/winnowhq/winnow/services/consolidate"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/review"
)

// A person takes a run back: every row is as it was, and the next run does not do again
// what was taken back, while it still does what is new.
func TestUndoneIsNotDoneAgain(t *testing.T) {
	t.Parallel()
	r := setup(t, consolidate.Definition, nil)
	ids := r.texts(timeout, timeout, migration)
	before := r.everything()
	run, items := r.consolidate(memory.RunOptions{})
	if run.Created != 1 {
		t.Fatalf("run %+v", run)
	}
	set, _, err := r.decider().UndoRun(t.Context(), run.ID, review.RunUndo{})
	if err != nil {
		t.Fatal(err)
	}
	r.commit(set)
	for _, was := range before {
		is := r.memory(was.ID)
		is.Version = was.Version // it counts changes
		if !reflect.DeepEqual(was, is) {
			t.Errorf("not as it was:\n%+v\n%+v", was, is)
		}
	}
	if m := r.memory(items[0].MemoryID); m.State != memory.StateArchived {
		t.Errorf("made %+v", m)
	}
	again, items := r.consolidate(memory.RunOptions{Force: true})
	if again.Created != 0 || len(items) != 0 || len(r.active(shop)) != 3 {
		t.Errorf("done again: %+v, %+v", again, items)
	}
	r.texts(deletion, deletion)
	if next, _ := r.consolidate(memory.RunOptions{Force: true}); next.Created != 1 || next.Archived != 2 || r.memory(ids[0]).State != memory.StateActive {
		t.Errorf("what is new: %+v", next)
	}
}

// SPEC §11: with a run taken back a search finds what it found before it, for fifty
// questions the same ten in the same order.
func TestUndoBringsBackWhatIsFound(t *testing.T) {
	t.Parallel()
	r := setup(t, consolidate.Definition, nil)
	const groups = 25
	texts := pairsOf(groups)
	r.texts(texts...)
	found := func() (tens [][]string) {
		search := r.searching()
		for _, text := range texts {
			answer, err := search.Search(t.Context(), recall.Question{Text: text, Tenant: tenant, Scopes: []memory.Scope{shop}, Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			var ten []string
			for i := range answer.Found {
				ten = append(ten, answer.Found[i].ID)
			}
			tens = append(tens, ten)
		}
		return tens
	}
	before := found()
	run, _ := r.consolidate(memory.RunOptions{})
	if run.Created != groups {
		t.Fatalf("run %+v", run)
	}
	if reflect.DeepEqual(before, found()) {
		t.Fatal("the run changed nothing that is found")
	}
	set, _, err := r.decider().UndoRun(t.Context(), run.ID, review.RunUndo{})
	if err != nil {
		t.Fatal(err)
	}
	r.commit(set)
	for i, ten := range found() {
		if len(before[i]) == 0 || !slices.Equal(before[i], ten) {
			t.Errorf("%q finds %v, before the run %v", texts[i], ten, before[i])
		}
	}
}

// S4.63: what a person took back leaves its place among the most groups of a run to the
// next one.
func TestUndoneLeavesItsPlace(t *testing.T) {
	t.Parallel()
	r := setup(t, consolidate.Definition, nil)
	r.texts(timeout, timeout, deletion, deletion)
	run, first := r.consolidate(memory.RunOptions{MaxClusters: 1})
	if run.Created != 1 {
		t.Fatalf("run %+v", run)
	}
	set, _, err := r.decider().UndoRun(t.Context(), run.ID, review.RunUndo{})
	if err != nil {
		t.Fatal(err)
	}
	r.commit(set)
	next, items := r.consolidate(memory.RunOptions{MaxClusters: 1, Force: true})
	if next.Created != 1 || len(items) != 1 || items[0].Sources[0] == first[0].Sources[0] {
		t.Errorf("after the undo: %+v, %+v", next, items)
	}
}
