package recall

import (
	"context"
	"runtime"
	"sync"

	"github.com/winnowhq/winnow/services/internal/vector"
)

// turns lets as many searches compute at once as there are processors, in the
// order in which they came. A search is a millisecond of arithmetic: eight of
// them side by side on two processors all take as long as the last, and one that
// is put aside by the scheduler may wait behind dozens of short turns of the
// others. One after the other each takes its own time, and half of the slowest
// are gone. Its zero value is ready.
type turns struct {
	once sync.Once
	free chan struct{} // places that nobody holds
	// back hands a place to one that stepped aside and has stood in the line
	// before: behind all who came meanwhile it would be the slowest.
	back chan struct{}
}

// turn is a place among those that compute. The zero value holds none.
type turn struct{ of *turns }

// take waits for a place; channels serve those who wait in order. The error is
// that of ctx.
func (t *turns) take(ctx context.Context) (turn, error) {
	t.once.Do(func() {
		places := runtime.GOMAXPROCS(0)
		t.free, t.back = make(chan struct{}, places), make(chan struct{})
		for range places {
			t.free <- struct{}{}
		}
	})
	select {
	case <-t.free:
		return turn{t}, nil
	case <-ctx.Done():
		return turn{}, ctx.Err()
	}
}

// again takes a place after stepping aside, before those who are new.
func (t *turns) again() {
	select {
	case <-t.back:
	case <-t.free:
	}
}

func (t *turns) leave() {
	select {
	case t.back <- struct{}{}: // somebody waits there
	default:
		t.free <- struct{}{}
	}
}

// turn is the search's place among those that compute. What it would wait for
// otherwise, that the index looks for changes, is waited for before.
func (r *Recall) turn(ctx context.Context, q Question) (turn, error) {
	if !r.Local {
		return turn{}, nil
	}
	if err := r.ready(ctx, q); err != nil {
		return turn{}, err
	}
	return r.turns.take(ctx)
}

// ready lets an index that can do so make ready for the question. Whatever is
// wrong with the generation the search finds out itself.
func (r *Recall) ready(ctx context.Context, q Question) error {
	g, err := r.Index.Active(ctx)
	if err != nil {
		return nil
	}
	x, err := r.Index.Open(ctx, g)
	if err != nil {
		return nil
	}
	if x, ok := x.(vector.Readier); ok {
		return x.Ready(ctx, q.within())
	}
	return nil
}

func (t turn) end() {
	if t.of != nil {
		t.of.leave()
	}
}

// aside gives the place to others while something else is waited for, and takes
// one again.
func (t turn) aside(wait func() error) error {
	if t.of == nil {
		return wait()
	}
	t.of.leave()
	err := wait()
	// Whoever holds a place has to give it back, so it is taken whatever happened;
	// others compute for milliseconds.
	t.of.again()
	return err
}
