package consolidate_test

import (
	"context"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/winnowhq/winnow/services/consolidate"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// S4.72, S4.74, S4.84: the schedule starts with the worker and says so, ends runs while it
// runs, and stops when it is asked to; a run that is open then is ended by the next
// process. It may be started again.
func TestLifecycle(t *testing.T) {
	t.Parallel()
	logged, log := observer.New(zap.DebugLevel)
	r := setup(t, consolidate.Definition, nil, func(d *worker.Deps) { d.Log = zap.New(logged) })
	r.texts(timeout, timeout)
	for life := range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		loop, err := consolidate.Definition.Run(r.deps)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- loop.Run(ctx) }()
		id := r.ask(shop, memory.RunOptions{Force: true})
		// The loop ends the run; the worker takes its steps. The end is logged once it is
		// committed, and a loop that is stopped between the two does not log it.
		told := func() bool {
			return log.FilterMessage("consolidation complete").FilterField(zap.String("run", id)).Len() > 0
		}
		for r.open(id) || !told() {
			events, ids := r.waiting()
			if len(ids) > 0 {
				r.Deliver(events...)
				if err := r.Store().MarkPublished(t.Context(), ids); err != nil {
					t.Fatal(err)
				}
			}
		}
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("life %d: %v", life, err)
			}
		case <-time.After(time.Minute):
			t.Fatal("it does not stop")
		}
	}
	if n := log.FilterMessage("starting consolidation scheduler").Len(); n != 2 {
		t.Errorf("the start is logged %d times", n)
	}
	if done := log.FilterMessage("consolidation complete").All(); len(done) < 2 || done[0].ContextMap()["created"] != int64(1) || done[0].ContextMap()["archived"] != int64(2) {
		t.Errorf("ends are logged as %+v", done)
	}
}

// open reports whether a run has not ended.
func (r *rig) open(id string) bool {
	r.Helper()
	run, err := r.Store().Run(r.Context(), tenant, id)
	if err != nil {
		r.Fatal(err)
	}
	return run.Open()
}
