package workertest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// hangTimeout bounds waits that end by a signal. It detects a hang and measures no
// speed.
const hangTimeout = 2 * time.Minute

// Bench is a worker under test. Its methods are for the test's own goroutine.
type Bench struct {
	t      testing.TB
	def    worker.Definition
	out    *natstest.Server
	deps   worker.Deps
	desk   store.Store // of the test: deps.Store has the rights of the worker's role
	log    *settlements
	sender bus.Publisher
	stop   func()
	ready  func() error
}

// New starts the worker on a server and a database of its own, as principal
// "agent" of the default tenant unless a subject names another. adjust changes the
// parts before they are used; ports that the definition does not need are removed.
// Everything is removed with the test.
func New(t testing.TB, def worker.Definition, adjust ...func(*worker.Deps)) *Bench {
	t.Helper()
	b := &Bench{t: t, def: def, out: natstest.New(t, def.Durables()...), log: newSettlements()}
	b.deps = Deps(t, b.out, nil)
	b.deps.Source = func(d bus.Durable) (bus.Source, error) { return b.log.watch(b.out.Source(t, d)), nil }
	for _, a := range adjust {
		a(&b.deps)
	}
	b.deps.Ports = def.Needs.Of(b.deps.Ports)
	if b.deps.Store == nil {
		b.deps.Store = pgtest.Open(t)
	}
	// The worker has the rights of its role alone, so that a missing grant is a failing
	// test; the test writes as the application.
	b.desk = b.deps.Store
	b.deps.Store = pgtest.Narrow(t, b.desk, def.Name)
	if truth := b.deps.Truth; truth != nil {
		narrow := *truth
		narrow.Store = b.deps.Store
		b.deps.Truth = &narrow
	}
	b.sender = b.out.Publisher(t)
	b.Start()
	t.Cleanup(b.Stop)
	return b
}

// Deps returns real ports over the given server and store. The tests of workers
// without a pipeline use it directly. With a nil store the caller sets Store.
func Deps(t testing.TB, s *natstest.Server, st store.Store) worker.Deps {
	t.Helper()
	redactor, err := redact.New(redact.Config{Key: []byte("only for tests")})
	if err != nil {
		t.Fatalf("workertest: %v", err)
	}
	return worker.Deps{
		Store: st,
		Bus: worker.Bus{
			Publisher:   s.Publisher(t),
			DeadLetters: s.DeadLetters(t),
			Source:      func(d bus.Durable) (bus.Source, error) { return s.Source(t, d), nil },
		},
		Redactor:  redactor,
		Log:       testenv.Logger(t, zap.ErrorLevel),
		Metrics:   prometheus.NewRegistry(),
		Now:       time.Now,
		NewID:     ident.New,
		Admission: worker.Admission{DefaultPrincipal: "agent"},
		Ports:     worker.Ports{Traces: s.Traces(t), Meaning: static.New()},
	}
}

// Start runs the worker (again, after Stop).
func (b *Bench) Start() {
	b.t.Helper()
	pipe, err := b.build()
	if err != nil {
		b.t.Fatalf("workertest: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := pipe.Run(ctx); err != nil {
			b.t.Errorf("workertest: run: %v", err)
		}
	}()
	b.stop = func() {
		cancel()
		<-ended
	}
}

// build returns the pipeline of Handle or Work, which reports its readiness, or the
// Runner of any other form.
func (b *Bench) build() (worker.Runner, error) {
	if b.def.Handle == nil && b.def.Work == nil {
		b.ready = func() error { return nil }
		return worker.Build(b.def, b.deps, hangTimeout)
	}
	pipe, err := worker.NewPipeline(b.def, b.deps, hangTimeout)
	if err == nil {
		b.ready = pipe.Ready
	}
	return pipe, err
}

// Replica runs one more replica of the worker, until Stop.
func (b *Bench) Replica() {
	b.t.Helper()
	first := b.stop
	b.Start()
	second := b.stop
	b.stop = func() {
		first()
		second()
	}
}

// RecreateStream deletes a stream and creates it again, as an operator may: its
// sequence numbers start at 1. The worker is stopped meanwhile, and earlier fates are
// discarded.
func (b *Bench) RecreateStream(stream string) {
	b.t.Helper()
	b.Stop()
	b.out.RecreateStream(b.t, stream)
	b.log.reset()
	b.Start()
}

// RecreateDurable deletes the worker's durable and creates it again, so that its
// stream is delivered from the start. It returns the sequence numbers of those
// messages and discards earlier fates.
func (b *Bench) RecreateDurable() []uint64 {
	b.t.Helper()
	b.Stop()
	b.out.RecreateDurable(b.t, b.def.Durable)
	seqs := b.log.reset()
	b.Start()
	return seqs
}

// SetDefaultPrincipal sets the publisher of events that name none, from the next
// Start on.
func (b *Bench) SetDefaultPrincipal(id string) { b.deps.DefaultPrincipal = id }

// Stop drains the worker and returns when it has ended. It may be called twice.
func (b *Bench) Stop() { b.stop() }

// Ready returns the worker's readiness; a worker without a pipeline is always ready.
func (b *Bench) Ready() error { return b.ready() }

// Deliver publishes every event twice, under two message ids and one event id,
// and returns how each delivery ended: fates[2i] and fates[2i+1] are those of
// events[i].
func (b *Bench) Deliver(events ...bus.Outgoing) []Fate {
	b.t.Helper()
	twice := make([]bus.Outgoing, 0, 2*len(events))
	for _, e := range events {
		again := e
		again.Header = map[string][]string{"ce-id": {e.ID}}
		for name, values := range e.Header {
			again.Header[name] = values
		}
		again.ID = e.ID + "~again"
		twice = append(twice, e, again)
	}
	return b.DeliverOnce(twice...)
}

// DeliverOnce publishes each message once and returns how each ended.
func (b *Bench) DeliverOnce(messages ...bus.Outgoing) []Fate {
	b.t.Helper()
	return b.Await(b.Publish(messages...)...)
}

// Publish publishes without waiting for the messages to be settled. When the server
// cannot be reached in time it publishes again under the same ids, as the relay does;
// each message needs an id.
func (b *Bench) Publish(messages ...bus.Outgoing) []uint64 {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), hangTimeout)
	defer cancel()
	for {
		seqs, err := b.sender.Publish(ctx, messages)
		if err == nil {
			return seqs
		}
		if !errors.Is(err, bus.ErrUnavailable) || ctx.Err() != nil {
			b.t.Fatalf("workertest: publish: %v", err)
		}
	}
}

// Await returns once every message is settled for good: acknowledged or
// terminated.
func (b *Bench) Await(seqs ...uint64) []Fate {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), hangTimeout)
	defer cancel()
	fates, err := b.log.await(ctx, seqs)
	if err != nil {
		b.t.Fatalf("workertest: not all messages were settled: %v; the worker says: %v", err, b.ready())
	}
	return fates
}

// DeadLetters lists all letters.
func (b *Bench) DeadLetters() []bus.DeadLetter {
	b.t.Helper()
	letters, err := b.deps.DeadLetters.List(b.t.Context(), 0, 10_000)
	if err != nil {
		b.t.Fatalf("workertest: %v", err)
	}
	return letters
}

// Replay publishes a letter's original again and waits until it is settled.
func (b *Bench) Replay(l bus.DeadLetter) Fate {
	b.t.Helper()
	seq, err := b.deps.DeadLetters.Replay(b.t.Context(), l.Seq)
	if err != nil {
		b.t.Fatalf("workertest: %v", err)
	}
	return b.Await(seq)[0]
}

// Proposals returns all proposals of a tenant, oldest first.
func (b *Bench) Proposals(tenant memory.Tenant) []memory.Proposal {
	b.t.Helper()
	rows, err := b.desk.Proposals(b.t.Context(), tenant, store.ProposalQuery{Limit: 100_000})
	if err != nil {
		b.t.Fatalf("workertest: %v", err)
	}
	return rows
}

// Settled returns how many deliveries ended with a result (ok, duplicate, retry,
// dlq), as the worker's metric counts them.
func (b *Bench) Settled(result string) int {
	b.t.Helper()
	return b.Counter("winnow_messages_processed_total", result)
}

// Counter returns the sum of a metric's series that have a label of this value.
func (b *Bench) Counter(name, value string) int {
	b.t.Helper()
	families, err := b.deps.Metrics.(prometheus.Gatherer).Gather()
	if err != nil {
		b.t.Fatalf("workertest: %v", err)
	}
	total := 0.0
	for _, f := range families {
		if f.GetName() != name {
			continue
		}
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if l.GetValue() == value {
					total += m.GetCounter().GetValue()
				}
			}
		}
	}
	return int(total)
}

// Store returns the test's store, on the worker's database.
func (b *Bench) Store() store.Store { return b.desk }

// Bus returns the worker's server.
func (b *Bench) Bus() *natstest.Server { return b.out }
