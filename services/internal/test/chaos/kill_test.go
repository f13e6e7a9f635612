package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/proto"

	"github.com/winnowhq/winnow/pkg/publish"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/test/proposaltest"
	"github.com/winnowhq/winnow/services/internal/worker"
)

const (
	killScopes = 50
	killPace   = 20 * time.Millisecond // between two proposals
	// The test runs for killFor at least, and then until there were wantKills, with
	// one at every crash point, or for killAtMost. The machine decides how many fit.
	killFor, killAtMost = 15 * time.Second, 5 * time.Minute
	wantKills           = 20
	// burst is how many proposals are published at once while a worker drains, so
	// that it has work in progress. The others are published at an even rate.
	burst = 60
)

// Proposals are published at an even rate in fifty scopes.
// Meanwhile workers die at the six crash points where a death could lose or double
// an effect, and the broker dies once. Afterwards every proposal has exactly one
// decision, every event was published, and the audit chain verifies (SPEC §16.1).
//
// A worker kills itself by SIGKILL at the n-th pass of a point, so every kill
// interrupts work. The processes are real: only the database and the stream survive.
func TestKillNine(t *testing.T) {
	f := newFleet(t)
	const seed = 20261121
	t.Logf("seed %d", seed)
	tally := newTally()
	stock := &stock{seed: seed}

	ctx, stop := context.WithTimeout(context.Background(), killAtMost)
	defer stop()
	var supervisors sync.WaitGroup
	supervise := func(name, target string, seed uint64, points ...worker.Point) {
		supervisors.Add(1)
		go func() {
			defer supervisors.Done()
			f.supervise(ctx, tally, stock, name, target, rand.New(rand.NewPCG(seed, 1)), points)
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

	enough := time.AfterFunc(killFor, func() {
		tally.await(ctx, wantKills)
		stop()
	})
	defer enough.Stop()
	f.publishPaced(ctx, stock)
	supervisors.Wait()

	// Recovery: one worker of each kind, without crash points, finishes all work.
	f.run("triage-calm", "triage", "")
	f.run("relay-calm", "relay", "")
	f.awaitDecided(stock.taken)
	eventually(t, waitTimeout, "outbox drained", func() (bool, string) {
		n := f.count(`select count(*) from outbox where published_at is null`)
		return n == 0, fmt.Sprintf("%d rows wait", n)
	})

	f.exactlyOnce(stock.taken)
	for _, missing := range tally.missing(wantKills) {
		t.Error(missing)
	}
	if hits := f.log.inboxHits.Load(); hits < 1 {
		t.Errorf("inbox hits: %d, want at least one redelivery that found its row", hits)
	}
	t.Logf("kills with work in hand: %s; inbox hits: %d", tally, f.log.inboxHits.Load())
}

// supervise runs one worker again and again until ctx ends, each time with another
// crash point.
func (f *fleet) supervise(ctx context.Context, tally *tally, stock *stock, name, target string, r *rand.Rand, points []worker.Point) {
	for life := 0; ctx.Err() == nil; life++ {
		point := points[life%len(points)]
		pass := 2 + r.IntN(8)
		if point == worker.PointDuringDrain {
			pass = 1
		}
		p := f.run(fmt.Sprintf("%s-%d", name, life), target, fmt.Sprintf("%s:%d", point, pass))
		if point == worker.PointDuringDrain {
			f.drainWithWork(ctx, p, stock)
		}
		if !p.exited(ctx) {
			p.kill() // time is over; its unfinished work is delivered again
			return
		}
		if p.killed() {
			tally.add(string(point))
		}
	}
}

// drainWithWork waits for some progress of a worker and then asks it to drain while a
// burst is published.
func (f *fleet) drainWithWork(ctx context.Context, p *process, stock *stock) {
	if !f.progress(ctx, p, 20) {
		return
	}
	client, err := publish.New(f.nc)
	if err != nil {
		f.t.Errorf("publisher: %v", err)
		return
	}
	var bursting sync.WaitGroup
	bursting.Go(func() {
		for _, one := range stock.next(burst) {
			f.publish(client, one)
		}
	})
	if f.progress(ctx, p, 3) {
		p.term()
	}
	bursting.Wait()
}

// progress waits for so many more decisions. It returns false when the worker exits
// or ctx ends before.
func (f *fleet) progress(ctx context.Context, p *process, more int) bool {
	before := f.decided()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for f.decided() < before+more {
		select {
		case <-tick.C:
		case <-p.done:
			return false
		case <-ctx.Done():
			return false
		}
	}
	return true
}

func (f *fleet) decided() int { return f.count(`select count(*) from decisions`) }

// publishPaced publishes one proposal after the other until ctx ends, beside the
// bursts from the same stock.
func (f *fleet) publishPaced(ctx context.Context, stock *stock) {
	f.t.Helper()
	client, err := publish.New(f.nc)
	if err != nil {
		f.t.Fatalf("publisher: %v", err)
	}
	tick := time.NewTicker(killPace)
	defer tick.Stop()
	for ctx.Err() == nil {
		<-tick.C
		f.publish(client, stock.next(1)[0])
	}
}

// publish retries until the broker has acknowledged, always with the same id.
func (f *fleet) publish(client *publish.Client, p *winnowv1.ProposalCreated) {
	deadline := time.Now().Add(waitTimeout)
	for time.Now().Before(deadline) {
		try, done := context.WithTimeout(context.Background(), time.Second)
		_, err := client.Proposal(try, p)
		done()
		if err == nil {
			return
		}
	}
	f.t.Errorf("publish %s: not acknowledged within %s", p.GetId(), waitTimeout)
}

// stock is an endless supply of proposals. Safe for concurrent use.
type stock struct {
	mu    sync.Mutex
	seed  uint64 // of the next week of proposals
	left  []*winnowv1.ProposalCreated
	taken int
}

// next removes n proposals from the front.
func (s *stock) next(n int) []*winnowv1.ProposalCreated {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.left) < n {
		s.left = append(s.left, proposaltest.Week(s.seed, 1000, killScopes)...)
		s.seed++
	}
	out := s.left[:n:n]
	s.left = s.left[n:]
	s.taken += n
	return out
}

// exactlyOnce asserts the promise on the store and the stream.
func (f *fleet) exactlyOnce(want int) {
	t := f.t
	t.Helper()
	for query, want := range map[string]int{
		`select count(*) from proposals`:                       want,
		`select count(distinct event_id) from proposals`:       want,
		`select count(*) from inbox where consumer = 'triage'`: want,
		// A waiting proposal that a fuller one absorbs is decided a second time, by rule.
		`select count(*) from (select proposal_id from decisions where rule <> 'absorbed' group by 1 having count(*) > 1) d`:       0,
		`select count(distinct proposal_id) from decisions`:                                                                        want,
		`select count(*) from proposals where state = 'pending'`:                                                                   0,
		`select count(*) from memories m left join decisions d on d.tenant = m.tenant and d.id = m.decision_id where d.id is null`: 0,
	} {
		if n := f.count(query); n != want {
			t.Errorf("%s = %d, want %d", query, n, want)
		}
	}
	// Each decision has one event, and so have the second ones of absorbed proposals.
	events := f.decidedEvents()
	for id, n := range events {
		if n != 1 {
			t.Errorf("decision %s was told %d times", id, n)
		}
	}
	if n := f.count(`select count(*) from decisions`); n != len(events) {
		t.Errorf("memory.proposal.decided in the stream: of %d decisions, want %d", len(events), n)
	}
	if n := f.stored("winnow.dlq.>"); n != 0 {
		t.Errorf("dead letters: %d, want none", n)
	}
	f.auditVerifies()
}

// decidedEvents counts the events in the stream by decision.
func (f *fleet) decidedEvents() map[string]int {
	f.t.Helper()
	const subject = "memory.proposal.decided"
	events := map[string]int{}
	n := f.stored(subject)
	ctx, cancel := context.WithTimeout(context.Background(), waitTimeout)
	defer cancel()
	name, err := f.js.StreamNameBySubject(ctx, subject)
	if err != nil {
		f.t.Fatalf("stream of %s: %v", subject, err)
	}
	consumer, err := f.js.OrderedConsumer(ctx, name, natsjs.OrderedConsumerConfig{FilterSubjects: []string{subject}})
	if err != nil {
		f.t.Fatalf("read %s: %v", subject, err)
	}
	batch, err := consumer.Fetch(n, natsjs.FetchMaxWait(waitTimeout))
	if err != nil {
		f.t.Fatalf("read %s: %v", subject, err)
	}
	for msg := range batch.Messages() {
		var d winnowv1.ProposalDecided
		if err := proto.Unmarshal(msg.Data(), &d); err != nil {
			f.t.Fatalf("message of %s: %v", subject, err)
		}
		events[d.DecisionId]++
	}
	if err := batch.Error(); err != nil {
		f.t.Fatalf("read %s: %v", subject, err)
	}
	return events
}

// stored counts the messages of a subject.
func (f *fleet) stored(subject string) int {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waitTimeout)
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

// tally counts kills by crash point.
type tally struct {
	mu    sync.Mutex
	count map[string]int
}

func newTally() *tally { return &tally{count: map[string]int{}} }

func (k *tally) add(point string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.count[point]++
}

func (k *tally) of(point string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.count[point]
}

func (k *tally) String() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return fmt.Sprint(k.count)
}

// crashPoints are the points where workers die.
var crashPoints = []worker.Point{
	worker.PointBeforeHandle, worker.PointBeforeCommit, worker.PointBeforeAck,
	worker.PointBeforePublish, worker.PointBeforeMark, worker.PointDuringDrain,
}

// missing returns what is missing for so many kills, with one at every crash point. A
// suite that did not kill proves nothing.
func (k *tally) missing(least int) (out []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	total := 0
	for _, point := range crashPoints {
		n := k.count[string(point)]
		total += n
		if n == 0 {
			out = append(out, fmt.Sprintf("no kill at %s", point))
		}
	}
	if total < least {
		out = append(out, fmt.Sprintf("%d kills with work in hand, want at least %d", total, least))
	}
	if k.count["broker"] != 1 {
		out = append(out, fmt.Sprintf("broker killed %d times, want once", k.count["broker"]))
	}
	return out
}

// await returns when nothing is missing or ctx ends.
func (k *tally) await(ctx context.Context, least int) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for len(k.missing(least)) > 0 {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
