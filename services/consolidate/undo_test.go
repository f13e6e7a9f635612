package consolidate_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/consolidate"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
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
	d := &review.Decider{
		Stamp: review.Stamp{Tenant: tenant, Person: "local", Now: time.Now().UTC().Truncate(time.Microsecond), NewID: ident.New},
		Store: r.Store(), Redact: func(s string) string { return s },
	}
	set, _, err := d.UndoRun(t.Context(), run.ID, review.RunUndo{})
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
