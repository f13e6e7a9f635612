package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/test/proposaltest"
	"github.com/winnowhq/winnow/services/internal/test/sessiontest"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/run"
)

// stormVariable is how long everything happens at once in `make storm`, such as 5m. In
// `make chaos` it is stormInCI.
const (
	stormVariable = "WINNOW_TEST_STORM"
	stormInCI     = 20 * time.Second
)

// stormFor is what stormVariable says, 0 where it is not set.
func stormFor() time.Duration {
	d, _ := time.ParseDuration(os.Getenv(stormVariable))
	return d
}

// Everything at once: each worker, the broker and Postgres die and stand still, one
// principal floods, two tenants publish, sessions come in, unreadable input comes in,
// digests are answered and decisions taken back. Afterwards calm workers finish, and
// what was sent is held against what is stored: nothing is lost, nothing took effect
// twice, every decision is derived again, audit and rows verify.
func TestStorm(t *testing.T) {
	f := newFleetWith(t, func(f *fleet) { f.ownPostgres() })
	s := newStorm(f)
	long := stormFor()
	if long == 0 {
		long = stormInCI
	}
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	began := time.Now()
	s.blow(ctx)
	t.Logf("after %s of storm: %s", time.Since(began).Round(time.Second), s.tally)

	for _, kind := range stormKinds {
		f.run(kind.name+"-calm", kind.name, "", s.settings(kind)...)
	}
	s.settle()
	t.Logf("settled after %s", time.Since(began).Round(time.Second))
	s.check()
	for _, kind := range stormKinds {
		if s.tally.of("kill "+kind.name)+s.tally.of("crash "+kind.name) == 0 {
			t.Errorf("%s was never killed", kind.name)
		}
	}
	for _, what := range []string{"kill broker", "kill postgres", "undo", "reply", "flood"} {
		if s.tally.of(what) == 0 {
			t.Errorf("no %s happened, so nothing is shown of it", what)
		}
	}
}

// stormKind is a worker in the storm.
type stormKind struct {
	name     string
	replicas int
	points   []worker.Point // where it may kill itself
}

var stormKinds = []stormKind{
	{"triage", 2, []worker.Point{worker.PointBeforeHandle, worker.PointBeforeCommit, worker.PointBeforeAck}},
	{"relay", 2, []worker.Point{worker.PointBeforePublish, worker.PointBeforeMark}},
	{"ingest", 1, []worker.Point{worker.PointBeforeHandle, worker.PointBeforeCommit, worker.PointBeforeAck}},
	{"distill", 1, []worker.Point{worker.PointBeforeHandle, worker.PointBeforeCommit, worker.PointBeforeAck}},
	{"digest", 1, []worker.Point{worker.PointBeforeHandle, worker.PointBeforeCommit, worker.PointBeforeAck}},
	{"index", 1, []worker.Point{worker.PointBeforeAck}},
	{"consolidate", 1, nil},
	{"learn", 1, nil},
	{"api", 1, nil},
}

// stormTenant is the second tenant, with a principal of its own.
const (
	stormTenant    = memory.Tenant("acme")
	stormPrincipal = "agent-of-acme"
	stormFlooder   = "other"
)

// storm is a fleet with what was sent to it.
type storm struct {
	*fleet
	tally *tally
	vault string

	mu   sync.Mutex
	sent []sentEvent
	bad  []string // ids of what cannot be read
}

// sentEvent is an event that the broker has acknowledged.
type sentEvent struct {
	tenant    memory.Tenant
	principal string
	id        string
	session   bool
}

func newStorm(f *fleet) *storm {
	f.t.Helper()
	s := &storm{fleet: f, tally: newTally(), vault: f.t.TempDir()}
	cfg := f.provisioner()
	for tenant, id := range map[memory.Tenant]string{stormTenant: stormPrincipal, memory.DefaultTenant: stormFlooder} {
		cfg.Tenant = string(tenant)
		if err := run.RegisterPrincipal(f.t.Context(), cfg, run.Principal{ID: id, Highest: "agent"}); err != nil {
			f.t.Fatal(err)
		}
	}
	return s
}

func (s *storm) settings(kind stormKind) []string {
	switch kind.name {
	case "index":
		return []string{"WINNOW_VAULT_DIR=" + s.vault}
	case "digest":
		return []string{slot(time.Now().AddDate(0, 6, 0))} // digests are sent by hand
	}
	return nil
}

// blow runs everything at once until ctx ends.
func (s *storm) blow(ctx context.Context) {
	var all sync.WaitGroup
	seed := uint64(20261123)
	s.t.Logf("seed %d", seed)
	for _, kind := range stormKinds {
		for n := range kind.replicas {
			seed++
			r := rand.New(rand.NewPCG(seed, 2))
			all.Go(func() { s.supervise(ctx, kind, fmt.Sprintf("%s-%d", kind.name, n), r) })
		}
	}
	all.Go(func() { s.proposals(ctx, memory.DefaultTenant, "agent", 1, 40*time.Millisecond) })
	all.Go(func() { s.proposals(ctx, stormTenant, stormPrincipal, 2, 100*time.Millisecond) })
	all.Go(func() { s.sessions(ctx) })
	all.Go(func() { s.floods(ctx) })
	all.Go(func() { s.badInput(ctx) })
	all.Go(func() { s.answers(ctx) })
	all.Go(func() { s.undoes(ctx) })
	every(ctx, 7*time.Second, func() {
		s.broker.kill()
		s.startBroker()
		s.tally.add("kill broker")
	}, &all)
	every(ctx, 11*time.Second, func() {
		s.killPostgres()
		s.tally.add("kill postgres")
	}, &all)
	all.Wait()
}

// every does something at each tick until ctx ends; what has begun is finished.
func every(ctx context.Context, pace time.Duration, do func(), all *sync.WaitGroup) {
	all.Go(func() {
		tick := time.NewTicker(pace)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				do()
			case <-ctx.Done():
				return
			}
		}
	})
}

// supervise runs a worker again and again. Each life ends in another way: it kills itself
// at a point of its work, is killed from outside, or stands still for longer than AckWait
// before that.
func (s *storm) supervise(ctx context.Context, kind stormKind, name string, r *rand.Rand) {
	for life := 0; ctx.Err() == nil; life++ {
		crash := ""
		if len(kind.points) > 0 && life%3 != 2 {
			crash = fmt.Sprintf("%s:%d", kind.points[r.IntN(len(kind.points))], 1+r.IntN(4))
		}
		p := s.run(fmt.Sprintf("%s-%d", name, life), kind.name, crash, s.settings(kind)...)
		long := 3*time.Second + time.Duration(r.Int64N(int64(6*time.Second)))
		if life%4 == 2 {
			wait(ctx, p, long)
			_ = p.cmd.Process.Signal(syscall.SIGSTOP)
			wait(ctx, p, ackWait+time.Second)
			_ = p.cmd.Process.Signal(syscall.SIGCONT)
			s.tally.add("pause " + kind.name)
		}
		if wait(ctx, p, long) {
			switch {
			case p.killed():
				s.tally.add("crash " + kind.name)
			default:
				s.tally.add("end of " + kind.name)
			}
			continue
		}
		p.kill()
		s.tally.add("kill " + kind.name)
	}
}

// wait waits for the end of a process, at most so long, and reports whether it ended.
func wait(ctx context.Context, p *process, long time.Duration) bool {
	limited, cancel := context.WithTimeout(ctx, long)
	defer cancel()
	return p.exited(limited)
}

// delivered publishes until the broker has acknowledged.
func (s *storm) delivered(e sentEvent, send func(context.Context) error) {
	deadline := time.Now().Add(waitTimeout)
	for time.Now().Before(deadline) {
		try, done := context.WithTimeout(context.Background(), time.Second)
		err := send(try)
		done()
		if err == nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.sent = append(s.sent, e)
			return
		}
	}
	s.t.Errorf("publish %s: not acknowledged within %s", e.id, waitTimeout)
}

func (s *storm) proposals(ctx context.Context, tenant memory.Tenant, principal string, seed uint64, pace time.Duration) {
	client := s.publisher(principal)
	stock := &stock{seed: seed << 32}
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for ctx.Err() == nil {
		<-tick.C
		p := stock.next(1)[0]
		s.delivered(sentEvent{tenant: tenant, principal: principal, id: p.GetId()}, func(try context.Context) error {
			_, err := client.Proposal(try, p)
			return err
		})
	}
}

func (s *storm) sessions(ctx context.Context) {
	client := s.publisher("agent")
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ctx.Err() == nil; n++ {
		<-tick.C
		e := sessiontest.Event(21, n, 3000)
		s.delivered(sentEvent{memory.DefaultTenant, "agent", e.GetId(), true}, func(try context.Context) error {
			_, err := client.SessionCompleted(try, e)
			return err
		})
	}
}

// floods sends a thousand proposals of one principal as fast as the broker takes them,
// now and then.
func (s *storm) floods(ctx context.Context) {
	client := s.publisher(stormFlooder)
	for n := uint64(0); ctx.Err() == nil; n++ {
		all := proposaltest.Week(3<<32+n, 1000, killScopes)
		for part := range slices.Chunk(all, 100) {
			var waiting sync.WaitGroup
			for _, p := range part {
				waiting.Go(func() {
					s.delivered(sentEvent{tenant: memory.DefaultTenant, principal: stormFlooder, id: p.GetId()}, func(try context.Context) error {
						_, err := client.Proposal(try, p)
						return err
					})
				})
			}
			waiting.Wait()
		}
		s.tally.add("flood")
		pauseUntil(ctx, 15*time.Second)
	}
}

func pauseUntil(ctx context.Context, long time.Duration) {
	t := time.NewTimer(long)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// badInput sends what nobody can read.
func (s *storm) badInput(ctx context.Context) {
	bodies := map[string]string{
		event.SubjectProposalCreated + ".agent":  `{"scope":"nowhere","text":"no such form of scope"}`,
		event.SubjectSessionCompleted + ".agent": `{"scope":"project:bad","inline":"%%%"}`,
		event.SubjectDigestReply + "." + gateway: `{"reviewer":`,
	}
	tick := time.NewTicker(400 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ctx.Err() == nil; n++ {
		<-tick.C
		for subject, body := range bodies {
			msg := nats.NewMsg(subject)
			msg.Data = []byte(body)
			id := fmt.Sprintf("bad-%d-%s", n, subject)
			msg.Header.Set("Content-Type", "application/json")
			msg.Header.Set("ce-id", id)
			for deadline := time.Now().Add(waitTimeout); time.Now().Before(deadline); {
				try, done := context.WithTimeout(context.Background(), time.Second)
				_, err := s.js.PublishMsg(try, msg)
				done()
				if err == nil {
					s.mu.Lock()
					s.bad = append(s.bad, id)
					s.mu.Unlock()
					break
				}
			}
		}
	}
}

// answers sends digests and answers them, as a person at a gateway does.
func (s *storm) answers(ctx context.Context) {
	client := s.publisher(gateway)
	for n := 0; ctx.Err() == nil; n++ {
		pauseUntil(ctx, 4*time.Second)
		if out, err := s.command("digest", "--send", "--reviewer", reviewer).CombinedOutput(); err != nil {
			s.tally.add("refused digest")
			if n == 0 {
				s.t.Logf("digest: %v %s", err, out)
			}
			continue
		}
		s.tally.add("digest")
		pauseUntil(ctx, time.Second)
		code := s.ask(ctx, `select code from digests where reviewer = 'local' order by until_at desc limit 1`)
		reply := &winnowv1.DigestReply{Id: fmt.Sprintf("reply-%d", n), Reviewer: reviewer, Code: code, Text: "ok except 1n"}
		for try := 0; try < 60; try++ {
			limited, done := context.WithTimeout(context.Background(), time.Second)
			_, err := client.DigestReply(limited, reply)
			done()
			if err == nil {
				s.tally.add("reply")
				break
			}
		}
	}
}

// undoes takes decisions of triage back by the command line.
func (s *storm) undoes(ctx context.Context) {
	for ctx.Err() == nil {
		pauseUntil(ctx, 2*time.Second)
		id := s.ask(ctx, `
select d.proposal_id from decisions d where d.tenant = 'default' and d.verdict = 'promoted' and d.actor = 'triage'
and not exists (select from decisions u where u.tenant = d.tenant and u.undoes = d.id) order by random() limit 1`)
		if id == "" {
			continue
		}
		if out, err := s.command("undo", id).CombinedOutput(); err != nil {
			s.tally.add("refused undo")
			if s.tally.of("undo") == 0 {
				s.t.Logf("undo: %v %s", err, out)
			}
			continue
		}
		s.tally.add("undo")
	}
}

// ask reads one text, again and again while the server is away; nothing when ctx ends or
// there is no row.
func (s *storm) ask(ctx context.Context, query string) (text string) {
	for ctx.Err() == nil {
		err := s.pool.QueryRow(ctx, query).Scan(&text)
		if err == nil || errors.Is(err, pgx.ErrNoRows) {
			return text
		}
		pauseUntil(ctx, 100*time.Millisecond)
	}
	return ""
}
