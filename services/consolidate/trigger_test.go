package consolidate_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/services/consolidate"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
)

// Sunday is a Sunday at three, when the week's run is due (S1.2).
var sunday = time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)

const (
	day  = 24 * time.Hour
	week = 7 * day
)

// replicas are three replicas of the worker over one store, with one clock.
type replicas struct {
	store store.Store // of the test
	*testing.T
	deps [3]worker.Deps

	mu   sync.Mutex
	time time.Time
}

func newReplicas(t *testing.T, adjust func(*worker.Deps)) *replicas {
	t.Helper()
	r := &replicas{T: t, time: sunday}
	db, out := pgtest.New(t), natstest.New(t)
	r.store = db.Store
	for i := range r.deps {
		r.deps[i] = workertest.Deps(t, out, db.As(t, "consolidate"))
		r.deps[i].Now = r.now
		if adjust != nil {
			adjust(&r.deps[i])
		}
	}
	return r
}

func (r *replicas) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.time
}

func (r *replicas) set(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.time = now
}

// fill stores n memories in a scope.
func (r *replicas) fill(scope memory.Scope, n int) {
	r.Helper()
	var set change.Set
	for i := range n {
		set.Memories = append(set.Memories, memory.Memory{
			ID: ident.New(memory.PrefixMemory), Tenant: tenant, Scope: scope, State: memory.StateActive, Kind: memory.KindFact,
			Text: fmt.Sprintf("%s has the number %d.", scope, i), Confidence: 0.8, Importance: 5, SeenCount: 1, CreatedAt: sunday, LastConfirmed: sunday,
			Origin: memory.OriginAgent, Authority: memory.OriginAgent,
		})
	}
	if _, err := r.store.Commit(r.Context(), tenant, set, store.InboxKey{}); err != nil {
		r.Fatal(err)
	}
}

// at lets all replicas look at once, twice, and returns the runs that were ever asked for,
// as "scope strategy trigger".
func (r *replicas) at(now time.Time, look func(context.Context, worker.Deps) error) []string {
	r.Helper()
	r.set(now)
	for range 2 {
		var g errgroup.Group
		for _, d := range r.deps {
			g.Go(func() error { return look(r.Context(), d) })
		}
		if err := g.Wait(); err != nil {
			r.Fatal(err)
		}
	}
	var asked []string
	for _, run := range r.runs() {
		asked = append(asked, fmt.Sprintf("%s %s %s", run.Scope, run.Strategy, run.Trigger))
	}
	slices.Sort(asked)
	return asked
}

func (r *replicas) runs() []memory.Run {
	r.Helper()
	runs, err := r.deps[0].Store.Runs(r.Context(), tenant, store.RunQuery{Limit: 1000})
	if err != nil {
		r.Fatal(err)
	}
	return runs
}

// finish ends every open run in a state, as if the worker had taken it.
func (r *replicas) finish(state memory.RunState, took time.Duration) {
	r.Helper()
	var set change.Set
	for _, run := range r.runs() {
		if run.Open() {
			run.State, run.StartedAt, run.EndedAt = state, r.now(), r.now().Add(took)
			set.RunUpdates = append(set.RunUpdates, change.UpdateOf(run))
		}
	}
	if _, err := r.store.Commit(r.Context(), tenant, set, store.InboxKey{}); err != nil {
		r.Fatal(err)
	}
}

func (r *replicas) want(now time.Time, look func(context.Context, worker.Deps) error, want ...string) {
	r.Helper()
	if got := r.at(now, look); !slices.Equal(got, want) {
		r.Errorf("at %s: %q, want %q", now, got, want)
	}
}

// S4.69, S4.89, D15: each interval a run for every project, asked for once by three
// replicas. Slots that passed while no worker ran are one run, late; the window begins
// where the last one ended. A run that took ten minutes does not make the next slot come
// too early.
func TestInterval(t *testing.T) {
	t.Parallel()
	r := newReplicas(t, nil)
	r.fill("project:shop", 3)
	r.fill("project:api", 2)
	r.fill("project:one", 1)
	r.fill("user:anna", 5)
	begin := sunday.Add(day)
	r.want(begin, consolidate.Clock)
	r.want(begin.Add(day-time.Microsecond), consolidate.Clock)
	first := []string{"project:api similar interval", "project:shop similar interval"}
	r.want(begin.Add(day), consolidate.Clock, first...)
	r.finish(memory.RunCompleted, 10*time.Minute)
	r.want(begin.Add(2*day-time.Second), consolidate.Clock, first...)
	second := slices.Sorted(slices.Values(append(slices.Clone(first), first...)))
	r.want(begin.Add(2*day), consolidate.Clock, second...)
	r.finish(memory.RunCompleted, 10*time.Minute)
	// Nothing ran for ten days and an hour.
	third := slices.Sorted(slices.Values(append(slices.Clone(second), first...)))
	r.want(begin.Add(12*day+time.Hour), consolidate.Clock, third...)
	last := r.runs()[len(third)-1]
	if !last.WindowStart.Equal(begin.Add(2*day)) || !last.WindowEnd.Equal(begin.Add(12*day)) {
		t.Errorf("window %s to %s", last.WindowStart, last.WindowEnd)
	}
}

// S4.57: within the window of another run, a slot asks for nothing. S4.70: a project whose
// run has not ended keeps no other project from its own.
func TestIntervalLeavesOut(t *testing.T) {
	t.Parallel()
	r := newReplicas(t, nil)
	r.fill("project:shop", 3)
	r.fill("project:api", 3)
	r.want(sunday, consolidate.Clock)
	r.want(sunday.Add(day), consolidate.Clock, "project:api similar interval", "project:shop similar interval")
	// The shop's run ends, the other does not.
	runs := r.runs()
	for _, run := range runs {
		if run.Scope == "project:shop" {
			run.State, run.EndedAt = memory.RunCompleted, r.now()
			if _, err := r.store.Commit(t.Context(), tenant, change.Set{RunUpdates: []change.RunUpdate{change.UpdateOf(run)}}, store.InboxKey{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	r.want(sunday.Add(2*day), consolidate.Clock, "project:api similar interval", "project:shop similar interval", "project:shop similar interval")
}

// S4.67, S4.73: the schedule can be off, have another interval, a threshold, and a list of
// projects.
func TestIntervalSettings(t *testing.T) {
	t.Parallel()
	off := newReplicas(t, func(d *worker.Deps) {
		consolidate.Scheduler.Change(&d.Settings, func(c *consolidate.SchedulerConfig) { c.Enabled = false })
	})
	off.fill("project:shop", 3)
	off.want(sunday, consolidate.Clock)
	off.want(sunday.Add(30*day), consolidate.Clock)

	r := newReplicas(t, func(d *worker.Deps) {
		consolidate.Settings.Change(&d.Settings, func(c *consolidate.Config) { c.Window = time.Hour })
		consolidate.Scheduler.Change(&d.Settings, func(c *consolidate.SchedulerConfig) {
			c.Interval, c.Threshold, c.Projects = 12*time.Hour, 0.85, []string{"shop"}
		})
	})
	r.fill("project:shop", 3)
	r.fill("project:api", 3)
	r.want(sunday, consolidate.Clock)
	r.want(sunday.Add(12*time.Hour), consolidate.Clock, "project:shop similar interval")
	if got := r.runs()[0].Options.Threshold; got != 0.85 {
		t.Errorf("threshold %v", got)
	}
}

// S1.2, S1.3: Sunday at three, each user with more than twenty memories, strictly. A slot
// that was missed runs once, late.
func TestWeekly(t *testing.T) {
	t.Parallel()
	r := newReplicas(t, func(d *worker.Deps) {
		consolidate.Scheduler.Change(&d.Settings, func(c *consolidate.SchedulerConfig) { c.Enabled = false })
	})
	r.fill("user:twenty", 20)
	r.fill("user:more", 21)
	r.fill("project:shop", 50)
	r.want(sunday.Add(time.Second), consolidate.Clock)
	r.want(sunday.Add(week-time.Second), consolidate.Clock)
	r.want(sunday.Add(week), consolidate.Clock, "user:more weekly weekly")
	r.finish(memory.RunCompleted, time.Minute)
	r.want(sunday.Add(4*week+2*day), consolidate.Clock, "user:more weekly weekly", "user:more weekly weekly")
	if late := r.runs()[1]; !late.WindowStart.Equal(sunday.Add(week)) || !late.WindowEnd.Equal(sunday.Add(4*week)) {
		t.Errorf("window %s to %s", late.WindowStart, late.WindowEnd)
	}
}

// counted lets a replica look at a scope that got a memory.
func counted(scope memory.Scope) func(context.Context, worker.Deps) error {
	return func(ctx context.Context, d worker.Deps) error {
		failed, err := consolidate.Counted(d).Project(ctx, []worker.TopicEvents{{Topic: worker.Topic{Tenant: tenant, Name: string(scope)}}})
		for _, e := range failed {
			err = e
		}
		return err
	}
}

// atOnce lets the count ask for a run without waiting for the scope to rest.
func atOnce(d *worker.Deps) {
	consolidate.Settings.Change(&d.Settings, func(c *consolidate.Config) { c.Rest = 0 })
}

// S0.61, S4.86, D15: a hundred memories ask for nothing, one more asks for one run,
// whichever replicas see it; the next a day after that. A run that failed is asked for
// again after a window.
func TestCount(t *testing.T) {
	t.Parallel()
	r := newReplicas(t, atOnce)
	look := counted("project:shop")
	r.fill("project:shop", 100)
	r.want(sunday, look)
	r.fill("project:shop", 1)
	const run = "project:shop similar threshold"
	r.want(sunday.Add(time.Minute), look, run)
	r.want(sunday.Add(2*time.Minute), look, run) // it has not ended
	r.finish(memory.RunCompleted, time.Minute)
	r.want(sunday.Add(day), look, run)
	r.want(sunday.Add(day+time.Minute), look, run, run)
	r.finish(memory.RunFailed, time.Minute)
	r.want(sunday.Add(day+time.Hour), look, run, run)
	r.want(sunday.Add(2*day+time.Minute), look, run, run, run)
	r.fill("user:anna", 5)
	r.want(sunday.Add(2*day+time.Minute), counted("user:anna"), run, run, run)
}

// A threshold of 0 turns the trigger off.
func TestCountIsOff(t *testing.T) {
	t.Parallel()
	r := newReplicas(t, func(d *worker.Deps) {
		consolidate.Settings.Change(&d.Settings, func(c *consolidate.Config) { c.Count = 0 })
	})
	r.fill("project:shop", 200)
	r.want(sunday, counted("project:shop"))
}

// S0.61: a scope that is being written asks for nothing; its run begins when it rests, or
// five minutes after the burst began. Another scope does not wait for it.
func TestCountWaitsForRest(t *testing.T) {
	t.Parallel()
	r := newReplicas(t, nil)
	r.fill("project:shop", 101)
	r.fill("project:api", 101)
	d := r.deps[0]
	counter := consolidate.Counted(d)
	// wants tells the counter of memories in these scopes at a time.
	wants := func(after time.Duration, want []string, scopes ...string) {
		t.Helper()
		var topics []worker.TopicEvents
		for _, s := range scopes {
			topics = append(topics, worker.TopicEvents{Topic: worker.Topic{Tenant: tenant, Name: s}})
		}
		r.set(sunday.Add(after))
		if failed, err := counter.Project(t.Context(), topics); err != nil || len(failed) > 0 {
			t.Fatal(failed, err)
		}
		var got []string
		for _, run := range r.runs() {
			got = append(got, string(run.Scope))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("after %s: runs of %q, want %q", after, got, want)
		}
	}
	wants(0, nil, "project:shop", "project:api")
	wants(4*time.Second, nil, "project:shop")
	if wait, err := counter.Await(t.Context()); err != nil || wait != time.Second {
		t.Errorf("waits %s for events, want until project:api rests: %v", wait, err)
	}
	wants(5*time.Second, []string{"project:api"}, "project:shop")
	for after := 9 * time.Second; after < 5*time.Minute; after += 4 * time.Second {
		wants(after, []string{"project:api"}, "project:shop")
	}
	wants(5*time.Minute, []string{"project:api", "project:shop"})
	wants(10*time.Minute, []string{"project:api", "project:shop"})
}

// What waits for rest is looked at by a process that stops, also what arrives after.
func TestCountAtTheStop(t *testing.T) {
	t.Parallel()
	r := newReplicas(t, nil)
	r.fill("project:shop", 101)
	r.fill("project:late", 101)
	counter := consolidate.Counted(r.deps[0])
	topic := func(name string) []worker.TopicEvents {
		return []worker.TopicEvents{{Topic: worker.Topic{Tenant: tenant, Name: name}}}
	}
	if _, err := counter.Project(t.Context(), topic("project:shop")); err != nil {
		t.Fatal(err)
	}
	if n := len(r.runs()); n != 0 {
		t.Fatalf("%d runs before the stop", n)
	}
	stopping, stop := context.WithCancel(t.Context())
	stop()
	if err := counter.(worker.Runner).Run(stopping); err != nil {
		t.Fatal(err)
	}
	if runs := r.runs(); len(runs) != 1 || runs[0].Scope != "project:shop" {
		t.Errorf("runs %+v, want one of project:shop", runs)
	}
	if _, err := counter.Project(t.Context(), topic("project:late")); err != nil {
		t.Fatal(err)
	}
	if n := len(r.runs()); n != 2 {
		t.Errorf("%d runs, want another of what came while stopping", n)
	}
}
