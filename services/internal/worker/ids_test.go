package worker_test

import (
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/pkg/publish"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
)

// unnamed returns n events without an id, numbered from first in their texts, as
// `nats pub` sends them.
func unnamed(first, n int) []bus.Outgoing {
	out := make([]bus.Outgoing, n)
	for i := range out {
		out[i] = bus.Outgoing{
			Subject: event.SubjectProposalCreated,
			Data:    fmt.Appendf(nil, `{"scope":"project:shop","text":"unnamed %d"}`, first+i),
		}
	}
	return out
}

// assertStored checks that n events took effect, each with its own text, and
// that none became a dead letter.
func assertStored(t *testing.T, b *workertest.Bench, n int) {
	t.Helper()
	texts := make(map[string]bool)
	for _, p := range b.Proposals(memory.DefaultTenant) {
		texts[p.Text] = true
	}
	if len(texts) != n {
		t.Errorf("%d events were acknowledged by the stream, %d are stored", n, len(texts))
	}
	if l := b.DeadLetters(); len(l) != 0 {
		t.Errorf("%d dead letters, the first: %+v", len(l), l[0].Reason)
	}
}

// Issue 11: a stream that was deleted and created again counts from 1. Events without
// an id then have sequence numbers whose inbox rows exist; none is dropped.
func TestRecreatedStreamDropsNothing(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, notes())
	b.DeliverOnce(unnamed(0, 80)...)
	b.RecreateStream(bus.StreamMemory)
	b.DeliverOnce(unnamed(80, 80)...)
	assertStored(t, b, 160)
}

// Issue 11: a Postgres that was restored beside an empty server holds inbox rows for
// sequence numbers that the server assigns again.
func TestRestoreBesideAnEmptyServerDropsNothing(t *testing.T) {
	t.Parallel()
	before := workertest.New(t, notes())
	before.DeliverOnce(unnamed(0, 80)...)
	before.Stop()
	after := workertest.New(t, notes(), func(d *worker.Deps) { d.Store = before.Store() })
	after.DeliverOnce(unnamed(80, 80)...)
	assertStored(t, after, 160)
}

// Dead letters outlive the stream of their originals: a letter about the first message
// of the new stream is no duplicate of one about the old stream's.
func TestRecreatedStreamLosesNoDeadLetter(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, notes())
	bad := bus.Outgoing{Subject: event.SubjectProposalCreated, Data: []byte(`{"scope":"project:shop","text":" "}`)}
	b.DeliverOnce(bad, bad)
	b.RecreateStream(bus.StreamMemory)
	b.DeliverOnce(bad, bad)
	if l := b.DeadLetters(); len(l) != 4 {
		t.Errorf("%d dead letters, want 4", len(l))
	}
}

// A message has the same id at every delivery: a durable that is created again
// delivers everything again, and nothing takes effect twice.
func TestUnnamedEventTakesEffectOnce(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, notes())
	b.DeliverOnce(unnamed(0, 40)...)
	seqs := b.RecreateDurable()
	for _, fate := range b.Await(seqs...) {
		if !fate.Acked {
			t.Errorf("message %d was not acknowledged: %s", fate.Sequence, fate.Reason)
		}
	}
	if rows := b.Proposals(memory.DefaultTenant); len(rows) != 40 || b.Settled("duplicate") != 40 {
		t.Errorf("%d rows and %d duplicates, want 40 and 40", len(rows), b.Settled("duplicate"))
	}
}

// Issue 11: ids are the publisher's own. Two principals that use the same one,
// wherever it stands, are two events; one principal's repeat is one.
func TestIDsBelongToThePrincipal(t *testing.T) {
	t.Parallel()
	const plain = `{"scope":"project:shop","text":"said by %s"}`
	for name, c := range map[string]struct {
		header nats.Header
		data   string
	}{
		"ce-id":       {nats.Header{"ce-id": {"1"}}, plain},
		"Nats-Msg-Id": {nats.Header{natsjs.MsgIDHeader: {"1"}}, plain},
		"payload id":  {nil, `{"id":"1","scope":"project:shop","text":"said by %s"}`},
		"all three":   {nats.Header{"ce-id": {"1"}, natsjs.MsgIDHeader: {"1"}}, `{"id":"1","scope":"project:shop","text":"said by %s"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := workertest.New(t, notes())
			var seqs []uint64
			for range 2 {
				for _, who := range []string{"agent", "human"} {
					m := &nats.Msg{Subject: event.SubjectProposalCreated + "." + who, Header: c.header, Data: fmt.Appendf(nil, c.data, who)}
					seqs = append(seqs, publishUntilStored(t, b, m))
				}
			}
			b.Await(seqs...)
			assertStored(t, b, 2)
			if rows := b.Proposals(memory.DefaultTenant); len(rows) != 2 {
				t.Errorf("%d rows, want one of each principal", len(rows))
			}
		})
	}
}

// publishUntilStored publishes until the stream stores the message, and returns its
// sequence number. The stream drops a Nats-Msg-Id that it saw within its window, from
// any sender; the shortest window that the server allows ends soon.
func publishUntilStored(t *testing.T, b *workertest.Bench, m *nats.Msg) uint64 {
	t.Helper()
	js, err := natsjs.New(b.Bus().Conn())
	if err != nil {
		t.Fatal(err)
	}
	b.Bus().ShortenWindow(t, m.Subject)
	for {
		ack, err := js.PublishMsg(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		if !ack.Duplicate {
			return ack.Sequence
		}
	}
}

// Through the client of package publish the ids of two principals never collide,
// however long the stream's window is.
func TestClientsIDsBelongToThePrincipal(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, notes())
	var seqs []uint64
	for _, who := range []string{"agent", "human"} {
		c, err := publish.New(b.Bus().Conn(), publish.WithPrincipal(who))
		if err != nil {
			t.Fatal(err)
		}
		receipt, err := c.Proposal(t.Context(), &winnowv1.ProposalCreated{Id: "1", Scope: "project:shop", Text: "said by " + who})
		if err != nil || receipt.Duplicate {
			t.Fatalf("%s: duplicate %v, %v", who, receipt.Duplicate, err)
		}
		seqs = append(seqs, receipt.Sequence)
	}
	b.Await(seqs...)
	assertStored(t, b, 2)
}
