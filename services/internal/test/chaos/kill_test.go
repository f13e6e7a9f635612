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
	killPace   = 20 * time.Millisecond // from one proposal to the next
	// It goes on for so long at least, and until there were wantKills, at every
	// place: how many fit in a time is the machine's.
	killFor, killAtMost = 38 * time.Second, 5 * time.Minute
	wantKills           = 20
	// A burst comes in at once while a worker is asked to drain, so that it has
	// work in hand; the rest is published at an even pace.
	burst = 60
)

// Proposals are published at an even pace for half a minute in fifty scopes,
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

	// Calm: one of each, no crash points, and everything must come to rest.
	f.run("triage-calm", "triage", "")
	f.run("relay-calm", "relay", "")
	f.awaitDecided(stock.taken)
	eventually(t, patience, "outbox drained", func() (bool, string) {
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

// supervise keeps one worker running until ctx ends, each life with another
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
			p.kill() // the time is over; whatever it had in hand comes back
			return
		}
		if p.killed() {
			tally.add(string(point))
		}
	}
}

// drainWithWork lets a worker make progress and then asks it to drain while a
// burst comes in.
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
		for _, one := range stock.take(burst) {
			f.publish(client, one)
		}
	})
	if f.progress(ctx, p, 3) {
		p.term()
	}
	bursting.Wait()
}

// progress waits until so many more decisions are there; it returns false when
// the worker or the time is gone before.
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
// bursts that come out of the same stock.
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
		f.publish(client, stock.take(1)[0])
	}
}

// publish sends until the broker has acknowledged, always under the same id.
func (f *fleet) publish(client *publish.Client, p *winnowv1.ProposalCreated) {
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		try, done := context.WithTimeout(context.Background(), time.Second)
		_, err := client.Proposal(try, p)
		done()
		if err == nil {
			return
		}
	}
	f.t.Errorf("publish %s: not acknowledged within %s", p.GetId(), patience)
}

// stock is what there is to publish, without end.
type stock struct {
	mu    sync.Mutex
	seed  uint64 // of the next ones that are made
	left  []*winnowv1.ProposalCreated
	taken int
}

// take removes n proposals from the front.
func (s *stock) take(n int) []*winnowv1.ProposalCreated {
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
	// Each of its decisions was told once, the second ones of those taken in too.
	told := f.told()
	for id, n := range told {
		if n != 1 {
			t.Errorf("decision %s was told %d times", id, n)
		}
	}
	if n := f.count(`select count(*) from decisions`); n != len(told) {
		t.Errorf("memory.proposal.decided in the stream: of %d decisions, want %d", len(told), n)
	}
	if n := f.stored("winnow.dlq.>"); n != 0 {
		t.Errorf("dead letters: %d, want none", n)
	}
	f.auditVerifies()
}

// told counts the messages in the stream about each decision.
func (f *fleet) told() map[string]int {
	f.t.Helper()
	const subject = "memory.proposal.decided"
	told := map[string]int{}
	n := f.stored(subject)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	name, err := f.js.StreamNameBySubject(ctx, subject)
	if err != nil {
		f.t.Fatalf("stream of %s: %v", subject, err)
	}
	consumer, err := f.js.OrderedConsumer(ctx, name, natsjs.OrderedConsumerConfig{FilterSubjects: []string{subject}})
	if err != nil {
		f.t.Fatalf("read %s: %v", subject, err)
	}
	batch, err := consumer.Fetch(n, natsjs.FetchMaxWait(patience))
	if err != nil {
		f.t.Fatalf("read %s: %v", subject, err)
	}
	for msg := range batch.Messages() {
		var d winnowv1.ProposalDecided
		if err := proto.Unmarshal(msg.Data(), &d); err != nil {
			f.t.Fatalf("message of %s: %v", subject, err)
		}
		told[d.DecisionId]++
	}
	if err := batch.Error(); err != nil {
		f.t.Fatalf("read %s: %v", subject, err)
	}
	return told
}

// stored counts the messages of a subject.
func (f *fleet) stored(subject string) int {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
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

// places are where workers die.
var places = []worker.Point{
	worker.PointBeforeHandle, worker.PointBeforeCommit, worker.PointBeforeAck,
	worker.PointBeforePublish, worker.PointBeforeMark, worker.PointDuringDrain,
}

// missing says what is still to be hit for so many kills, at every place; a suite
// that did not kill proves nothing.
func (k *tally) missing(least int) (out []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	total := 0
	for _, place := range places {
		n := k.count[string(place)]
		total += n
		if n == 0 {
			out = append(out, fmt.Sprintf("no kill at %s", place))
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
