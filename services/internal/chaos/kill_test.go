package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/pkg/publish"
	"github.com/winnowhq/winnow/services/internal/proposaltest"
	"github.com/winnowhq/winnow/services/internal/worker"
)

const (
	killProposals = 1600
	killScopes    = 50
	killFor       = 36 * time.Second
	wantKills     = 20
)

// Proposals are published at an even pace over half a minute in fifty scopes,
// while workers die at the six places where dying could lose or double an
// effect, and the broker dies once. Afterwards every proposal has exactly one
// decision, every event went out, and the audit chain verifies (SPEC §16.1).
//
// A worker dies by its own SIGKILL at the n-th pass of a point, so every such
// kill has work in hand; the processes are real and nothing of theirs survives
// but the database and the stream.
func TestKillNine(t *testing.T) {
	f := newFleet(t)
	const seed = 20261121
	t.Logf("seed %d", seed)
	tally := newTally()

	ctx, stop := context.WithTimeout(context.Background(), killFor)
	defer stop()
	var supervisors sync.WaitGroup
	supervise := func(name, target string, seed uint64, points ...worker.Point) {
		supervisors.Add(1)
		go func() {
			defer supervisors.Done()
			f.supervise(ctx, tally, name, target, rand.New(rand.NewPCG(seed, 1)), points)
		}()
	}
	supervise("triage-a", "triage", seed, worker.PointBeforeHandle, worker.PointBeforeCommit, worker.PointBeforeAck)
	supervise("triage-b", "triage", seed+1, worker.PointBeforeAck, worker.PointDuringDrain, worker.PointBeforeCommit)
	supervise("relay-a", "relay", seed+2, worker.PointBeforePublish, worker.PointBeforeMark)
	supervise("relay-b", "relay", seed+3, worker.PointBeforeMark, worker.PointBeforePublish)

	supervisors.Add(1)
	go func() {
		defer supervisors.Done()
		select {
		case <-time.After(killFor / 2):
			f.broker.kill()
			tally.add("broker")
			f.startBroker()
		case <-ctx.Done():
		}
	}()

	f.publishPaced(seed, killProposals, killFor-4*time.Second)
	supervisors.Wait()

	// Calm: one of each, no crash points, and everything must come to rest.
	f.run("triage-calm", "triage", "")
	f.run("relay-calm", "relay", "")
	f.awaitDecided(killProposals, 2*time.Minute)
	eventually(t, time.Minute, "outbox drained", func() (bool, string) {
		n := f.count(`select count(*) from outbox where published_at is null`)
		return n == 0, fmt.Sprintf("%d rows wait", n)
	})

	f.exactlyOnce(killProposals)
	tally.require(t, wantKills)
	if hits := f.log.inboxHits.Load(); hits < 1 {
		t.Errorf("inbox hits: %d, want at least one redelivery that found its row", hits)
	}
	t.Logf("kills with work in hand: %s; inbox hits: %d", tally, f.log.inboxHits.Load())
}

// supervise keeps one worker running until ctx ends, each life with another
// crash point.
func (f *fleet) supervise(ctx context.Context, tally *tally, name, target string, r *rand.Rand, points []worker.Point) {
	for life := 0; ctx.Err() == nil; life++ {
		point := points[life%len(points)]
		pass := 2 + r.IntN(8)
		if point == worker.PointDuringDrain {
			pass = 1
		}
		p := f.run(fmt.Sprintf("%s-%d", name, life), target, fmt.Sprintf("%s:%d", point, pass))
		if point == worker.PointDuringDrain {
			f.drainWithWork(ctx, p)
		}
		if !p.exited(ctx) {
			p.kill() // the time is over; whatever it had in hand comes back
			return
		}
		if p.killed() {
			tally.add(string(point))
		}
	}
}

// drainWithWork lets a worker make progress and then asks it to drain while
// more is coming in than it can have finished.
func (f *fleet) drainWithWork(ctx context.Context, p *process) {
	before := f.decided()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for f.decided() < before+40 {
		select {
		case <-tick.C:
		case <-p.done:
			return
		case <-ctx.Done():
			return
		}
	}
	p.term()
}

func (f *fleet) decided() int { return f.count(`select count(*) from decisions`) }

// publishPaced spreads the publications evenly; a publication that the broker
// did not acknowledge is sent again under its id.
func (f *fleet) publishPaced(seed uint64, n int, over time.Duration) {
	f.t.Helper()
	client, err := publish.New(f.nc)
	if err != nil {
		f.t.Fatalf("publisher: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*over)
	defer cancel()
	tick := time.NewTicker(over / time.Duration(n))
	defer tick.Stop()
	for _, p := range proposaltest.Week(seed, n, killScopes) {
		<-tick.C
		for {
			try, done := context.WithTimeout(ctx, time.Second)
			_, err := client.Proposal(try, p)
			done()
			if err == nil {
				break
			}
			if ctx.Err() != nil {
				f.t.Fatalf("publish %s: %v", p.GetId(), err)
			}
		}
	}
}

// exactlyOnce is the promise, read from the store and the stream.
func (f *fleet) exactlyOnce(want int) {
	t := f.t
	t.Helper()
	for query, want := range map[string]int{
		`select count(*) from proposals`:                       want,
		`select count(distinct event_id) from proposals`:       want,
		`select count(*) from inbox where consumer = 'triage'`: want,
		// A waiting proposal that a fuller one takes in is decided a second time, by rule.
		`select count(*) from (select proposal_id from decisions where rule <> 'absorbed' group by 1 having count(*) > 1) d`:       0,
		`select count(distinct proposal_id) from decisions`:                                                                        want,
		`select count(*) from proposals where state = 'pending'`:                                                                   0,
		`select count(*) from memories m left join decisions d on d.tenant = m.tenant and d.id = m.decision_id where d.id is null`: 0,
	} {
		if n := f.count(query); n != want {
			t.Errorf("%s = %d, want %d", query, n, want)
		}
	}
	if n := f.stored("memory.proposal.decided"); n != want {
		t.Errorf("memory.proposal.decided in the stream: %d, want %d", n, want)
	}
	if n := f.stored("winnow.dlq.>"); n != 0 {
		t.Errorf("dead letters: %d, want none", n)
	}
	f.auditVerifies()
}

// stored counts the messages of a subject.
func (f *fleet) stored(subject string) int {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	name, err := f.js.StreamNameBySubject(ctx, subject)
	if err != nil {
		f.t.Fatalf("stream of %s: %v", subject, err)
	}
	stream, err := f.js.Stream(ctx, name)
	if err != nil {
		f.t.Fatalf("stream %s: %v", name, err)
	}
	info, err := stream.Info(ctx, natsjs.WithSubjectFilter(subject))
	if err != nil {
		f.t.Fatalf("stream %s: %v", name, err)
	}
	total := 0
	for _, n := range info.State.Subjects {
		total += int(n)
	}
	return total
}

// tally counts kills by place.
type tally struct {
	mu    sync.Mutex
	count map[string]int
}

func newTally() *tally { return &tally{count: map[string]int{}} }

func (k *tally) add(place string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.count[place]++
}

func (k *tally) String() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return fmt.Sprint(k.count)
}

// require fails when too few kills happened or a place was never hit: a suite
// that did not kill proves nothing.
func (k *tally) require(t *testing.T, least int) {
	t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	total := 0
	for _, place := range []worker.Point{
		worker.PointBeforeHandle, worker.PointBeforeCommit, worker.PointBeforeAck,
		worker.PointBeforePublish, worker.PointBeforeMark, worker.PointDuringDrain,
	} {
		n := k.count[string(place)]
		total += n
		if n == 0 {
			t.Errorf("no kill at %s", place)
		}
	}
	if total < least {
		t.Errorf("%d kills with work in hand, want at least %d", total, least)
	}
	if k.count["broker"] != 1 {
		t.Errorf("broker killed %d times, want once", k.count["broker"])
	}
}
