package worker_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	devpg "github.com/winnowhq/winnow/services/internal/devstack/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
)

// A worker that stops during a batch finishes it, and the next worker does the other
// events: nothing is lost and nothing done twice.
func TestDrainLosesNothing(t *testing.T) {
	t.Parallel()
	// The stop is requested at a commit, which continues once the worker drains.
	asked, reached, draining := make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	b := workertest.New(t, notes(), func(d *worker.Deps) {
		d.Reached = func(p worker.Point) {
			switch p {
			case worker.PointBeforeCommit:
				select {
				case <-asked:
					reached <- struct{}{}
					<-draining
				default:
				}
			case worker.PointDuringDrain:
				select {
				case draining <- struct{}{}:
				case <-t.Context().Done():
				}
			}
		}
	})
	asked <- struct{}{}
	seqs := b.Publish(many(900, "note")...)
	for stops := range 3 {
		<-reached
		b.Stop()
		if b.Ready() == nil {
			t.Error("a stopped worker says that it is ready")
		}
		if stops < 2 {
			asked <- struct{}{}
		}
		b.Start()
	}
	b.Await(seqs...)
	assertOnce(t, b, 900)
	if n := b.Settled("duplicate"); n != 0 {
		t.Errorf("%d events were delivered again after their effect", n)
	}
}

// The bus restarts under load: the worker recovers by itself.
func TestBusRestartUnderLoad(t *testing.T) {
	t.Parallel()
	half := make(chan struct{}, 1)
	commits := 0
	def := notes()
	// Deliveries lost with the old connection come again after this, as often as a slow
	// machine needs.
	def.Durable.AckWait, def.Durable.MaxDeliver = 2*time.Second, 1000
	b := workertest.New(t, def, func(d *worker.Deps) {
		d.Reached = func(p worker.Point) {
			if p == worker.PointBeforeAck {
				if commits++; commits == 4 {
					half <- struct{}{}
				}
			}
		}
	})
	events := many(1000, "note")
	seqs := b.Publish(events...)
	<-half
	b.Bus().Stop()
	b.Bus().Start(t)
	b.Await(seqs...)
	assertOnce(t, b, 1000)
}

// Postgres restarts under load: no attempt is used up, nothing is lost, nothing
// happens twice.
func TestStoreRestartUnderLoad(t *testing.T) {
	t.Parallel()
	cluster := newCluster(t)
	half := make(chan struct{}, 1)
	commits := 0
	b := workertest.New(t, notes(), func(d *worker.Deps) {
		d.Store = pgtest.Connect(t, postgres.Config{URL: cluster.url()})
		d.Reached = func(p worker.Point) {
			if p == worker.PointBeforeAck {
				if commits++; commits == 4 {
					half <- struct{}{}
				}
			}
		}
	})
	seqs := b.Publish(many(1000, "note")...)
	<-half
	cluster.restart(t)
	fates := b.Await(seqs...)
	for _, f := range fates {
		if f.Deliveries != 1 {
			t.Errorf("message %d needed %d deliveries", f.Sequence, f.Deliveries)
			break
		}
	}
	assertOnce(t, b, 1000)
}

// Postgres restarts while slow work is in progress, which does not notice.
func TestStoreRestartUnderSlowWork(t *testing.T) {
	t.Parallel()
	cluster := newCluster(t)
	g := newGate("e00000", "e00001")
	b := workertest.New(t, chores(2, g.do), func(d *worker.Deps) {
		d.Store = pgtest.Connect(t, postgres.Config{URL: cluster.url()})
	})
	t.Cleanup(g.release)
	seqs := b.Publish(many(20, "note")...)
	<-g.entered
	<-g.entered
	cluster.restart(t)
	g.release()
	for _, f := range b.Await(seqs...) {
		if !f.Acked || f.Deliveries != 1 {
			t.Errorf("fate: %+v", f)
		}
	}
	assertOnce(t, b, 20)
}

// cluster is a Postgres for this test alone, because the test stops it.
type cluster struct {
	opts    devpg.Options
	running *devpg.Cluster
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	testenv.Require(t, testenv.CapabilityPostgres)
	dir := passableFolder(t)
	c := &cluster{opts: devpg.Options{
		DataDir: filepath.Join(dir, "data"),
		// A restarted server must be at the address that its clients know.
		SocketDir: filepath.Join(dir, "s"),
		Ephemeral: true,
	}}
	c.start(t)
	t.Cleanup(func() { _ = c.running.Stop(context.Background()) })
	if err := postgres.Migrate(t.Context(), c.url()); err != nil {
		t.Fatal(err)
	}
	if err := postgres.Provision(t.Context(), c.url(), postgres.DevOptions()); err != nil {
		t.Fatal(err)
	}
	return c
}

// passableFolder returns a temporary folder that other users may traverse: for root,
// the server runs as another user.
func passableFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "winnow-outage-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

func (c *cluster) url() string { return c.running.URL("postgres") }

func (c *cluster) start(t *testing.T) {
	t.Helper()
	running, err := devpg.Start(t.Context(), c.opts)
	if errors.Is(err, devpg.ErrNoBinaries) {
		testenv.Skip(t, testenv.CapabilityPostgres, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	c.running = running
}

func (c *cluster) restart(t *testing.T) {
	t.Helper()
	if err := c.running.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.start(t)
}
