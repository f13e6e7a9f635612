package chaos

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winnowhq/winnow/pkg/publish"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/test/proposaltest"
	"github.com/winnowhq/winnow/services/internal/test/sessiontest"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// A process stands still with work in hand, as in a machine that is suspended, for longer
// than AckWait. The work is delivered again and another replica does it, also where the
// one that stands still held the locks of its transaction. Then the first wakes and goes
// on where it stood: it does nothing a second time.
func TestPauseLongerThanAckWait(t *testing.T) {
	f := newFleet(t)
	f.dbURL += "&idle_in_transaction_session_timeout=3000" // a minute else
	f.run("relay", "relay", "")
	week := proposaltest.Week(16, 90, 3)
	for i, point := range []worker.Point{worker.PointBeforeHandle, worker.PointBeforeCommit, worker.PointBeforeAck} {
		f.pauseAt("triage", point, func() { f.publishAll(week[30*i : 30*i+30]) }, func() { f.awaitDecided(30*i + 30) })
	}
	client, err := publish.New(f.nc)
	if err != nil {
		t.Fatal(err)
	}
	for i, point := range []worker.Point{worker.PointBeforeHandle, worker.PointBeforeCommit, worker.PointBeforeAck} {
		f.pauseAt("ingest", point, func() {
			for n := 5 * i; n < 5*i+5; n++ {
				if _, err := client.SessionCompleted(t.Context(), sessiontest.Event(16, n, 2000)); err != nil {
					t.Fatal(err)
				}
			}
		}, func() { f.awaitCount(5*i+5, "sessions", `select count(*) from sessions`) })
	}
	if n := f.count(`select count(*) from sessions`); n != 15 {
		t.Errorf("%d sessions, want 15", n)
	}
	if n := f.count(`select count(*) from outbox where subject like 'memory.session.ingested%'`); n != 15 {
		t.Errorf("%d sessions were told, want 15", n)
	}
	f.awaitNone("every event is published", `select count(*) from outbox where published_at is null`)
	f.exactlyOnce(len(week))
}

// The relay that leads stands still before it publishes, until the server ends its
// session and another leads. When it wakes it publishes nothing: the stream here would
// not know the ids again, as after ten minutes.
func TestPauseOfTheLeader(t *testing.T) {
	f := newFleet(t)
	f.run("triage", "triage", "")
	stream, err := f.js.Stream(t.Context(), bus.StreamMemory)
	if err != nil {
		t.Fatal(err)
	}
	cfg := stream.CachedInfo().Config
	cfg.Duplicates = 100 * time.Millisecond
	if _, err := f.js.UpdateStream(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	week := proposaltest.Week(17, 40, 3)
	f.pauseAt("relay", worker.PointBeforePublish, func() {
		f.publishAll(week)
		f.awaitDecided(len(week))
	}, func() {
		f.awaitNone("another relay publishes", `select count(*) from outbox where published_at is null`)
	})
	f.exactlyOnce(len(week))
}

// pauseAt starts a worker that stops itself at a point, with work in hand, and another
// replica, which does everything. Then the first goes on, and ends when it has finished.
func (f *fleet) pauseAt(kind string, point worker.Point, send, done func()) {
	f.t.Helper()
	name := fmt.Sprintf("%s-stops-%s", kind, point)
	first := f.run(name, kind, string(point)+":1:stop")
	send()
	eventually(f.t, waitTimeout, name+" stands still", func() (bool, string) {
		state := stateOf(first)
		return state == "T", state
	})
	other := f.run(kind+"-beside-"+string(point), kind, "")
	done()
	if point == worker.PointBeforeAck { // the effect is there: the other must find its row
		eventually(f.t, waitTimeout, other.name+" gets the work again", func() (bool, string) {
			return f.log.hitsOf(other.name) > 0, "nothing delivered a second time"
		})
	}
	if state := stateOf(first); state != "T" {
		f.t.Errorf("%s does not stand still any more: %s", name, state)
	}
	if err := first.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		f.t.Fatal(err)
	}
	// Draining finishes what it has in hand.
	for _, p := range []*process{first, other} {
		p.term()
		ctx, cancel := context.WithTimeout(f.t.Context(), waitTimeout)
		if !p.exited(ctx) {
			f.t.Errorf("%s does not end", p.name)
		}
		cancel()
	}
	if point == worker.PointBeforeHandle && f.log.hitsOf(name) == 0 {
		f.t.Errorf("%s did not try its work when it woke, so nothing is shown", name)
	}
}

// stateOf is the letter that the kernel has for a process: T where it is stopped.
func stateOf(p *process) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return err.Error()
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	return fields[0]
}
