package chaos

import (
	"fmt"
	"testing"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/run"
)

// unnamed is how many events without any id a test publishes at a time, of each
// kind.
const unnamed = 60

// sendUnnamed publishes sessions and proposals without an id, as `nats pub` does,
// numbered from first, and returns how many the streams acknowledged.
func (p *plain) sendUnnamed(first int) (acknowledged int) {
	for n := first; n < first+unnamed; n++ {
		for bare, body := range map[string]string{
			event.SubjectProposalCreated:  fmt.Sprintf(`{"scope":"project:unnamed-%d","text":"2026-11-19: the pool of unnamed-%d is set in its values file by helm."}`, n, n),
			event.SubjectSessionCompleted: fmt.Sprintf(`{"session_id":"unnamed-%d","scope":"project:unnamed-%d","inline":"VXNlcjogaGVsbG8="}`, n, n),
		} {
			if ack := p.send(bare, "", "", []byte(body)); ack.Sequence > 0 && !ack.Duplicate {
				acknowledged++
			}
		}
	}
	return acknowledged
}

// storedAll waits until everything that was acknowledged is handled, and holds the
// rows against it.
func (f *fleet) storedAll(acknowledged int) {
	f.t.Helper()
	for stream, durable := range map[string]string{bus.StreamIntake: "triage", bus.StreamSessions: "ingest"} {
		eventually(f.t, waitTimeout, durable+" has handled everything", func() (bool, string) {
			s, err := f.js.Stream(f.t.Context(), stream)
			if err != nil {
				return false, err.Error()
			}
			c, err := s.Consumer(f.t.Context(), durable)
			if err != nil {
				return false, err.Error()
			}
			// The server counts a message as waiting a moment after it acknowledged it.
			done, last := c.CachedInfo().AckFloor.Stream, s.CachedInfo().State.LastSeq
			return done == last, fmt.Sprintf("%d of %d", done, last)
		})
	}
	rows := f.count(`select (select count(distinct scope) from proposals) + (select count(*) from sessions)`)
	if rows != acknowledged {
		f.t.Errorf("%d events were acknowledged by the streams, %d are stored", acknowledged, rows)
	}
	if n := f.stored("winnow.dlq.>"); n != 0 {
		f.t.Errorf("dead letters: %d, want none", n)
	}
}

// A stream that is deleted and made anew below running workers counts from 1
// again. Events without an id then stand at places whose inbox rows are there;
// everything that was acknowledged is stored.
func TestStreamsMadeAnewSwallowNothing(t *testing.T) {
	f := newFleet(t)
	f.run("ingest", "ingest", "")
	f.run("triage", "triage", "")
	agent := f.plain("agent")
	acknowledged := agent.sendUnnamed(0)
	f.storedAll(acknowledged)

	for _, stream := range []string{bus.StreamIntake, bus.StreamSessions} {
		if err := f.js.DeleteStream(t.Context(), stream); err != nil {
			t.Fatal(err)
		}
	}
	f.provision()
	acknowledged += agent.sendUnnamed(unnamed)
	if acknowledged != 4*unnamed {
		t.Fatalf("%d events were acknowledged, want %d", acknowledged, 4*unnamed)
	}
	f.storedAll(acknowledged)
}

// A database that is restored from a backup stands beside a NATS server with an
// empty disk: its inbox knows places that the server gives out again. Everything
// that is acknowledged from then on is stored.
func TestRestoreBesideAnEmptyServerSwallowsNothing(t *testing.T) {
	f := newFleet(t)
	workers := []*process{f.run("ingest", "ingest", ""), f.run("triage", "triage", "")}
	acknowledged := f.plain("agent").sendUnnamed(0)
	f.storedAll(acknowledged)

	for _, p := range append(workers, f.broker) {
		p.kill()
	}
	f.restore()
	f.dir = t.TempDir()
	f.startBroker()
	f.provision()
	f.run("ingest-restored", "ingest", "")
	f.run("triage-restored", "triage", "")
	acknowledged += f.plain("agent").sendUnnamed(unnamed)
	if acknowledged != 4*unnamed {
		t.Fatalf("%d events were acknowledged, want %d", acknowledged, 4*unnamed)
	}
	f.storedAll(acknowledged)
	f.auditVerifies()
}

// restore puts a copy of the database in the place of the original.
func (f *fleet) restore() {
	f.t.Helper()
	f.store.Close()
	f.pool.Close()
	f.dbURL = testenv.Copy(f.t, f.dbURL)
	f.store = pgtest.Connect(f.t, postgres.Config{URL: f.dbURL})
	f.pool = testenv.Pool(f.t, f.dbURL)
}

// Ids are a publisher's own. Two principals that send different events under the
// same Nats-Msg-Id have both stored; the repeat of one principal is one event. The
// stream itself compares ids alone, in the shortest window that the server
// takes, and says so in its answer: a publisher sends again.
func TestTwoPrincipalsWithTheSameMessageID(t *testing.T) {
	f := newFleet(t)
	cfg := f.provisioner()
	if err := run.RegisterPrincipal(t.Context(), cfg, run.Principal{ID: "other", Highest: "agent"}); err != nil {
		t.Fatal(err)
	}
	f.run("ingest", "ingest", "")
	f.run("triage", "triage", "")
	publishers := []*plain{f.plain("agent"), f.plain("other")}
	const ids = 5
	for range 2 {
		for _, p := range publishers {
			for id := range ids {
				name := fmt.Sprintf("%s-%d", p.as, id)
				p.untilStored(event.SubjectProposalCreated, id, `{"scope":"project:`+name+`","text":"2026-11-19: the pool of `+name+` is set in its values file by helm."}`)
				p.untilStored(event.SubjectSessionCompleted, id, `{"session_id":"`+name+`","scope":"project:`+name+`","inline":"VXNlcjogaGVsbG8="}`)
			}
		}
	}
	f.storedAll(2 * 2 * ids)
	for _, table := range []string{"proposals", "sessions"} {
		for _, p := range publishers {
			if n := f.count(`select count(*) from `+table+` where principal = $1 and tenant = $2`, p.as, string(memory.DefaultTenant)); n != ids {
				t.Errorf("%d %s of %s, want %d", n, table, p.as, ids)
			}
		}
	}
}

// untilStored publishes under a Nats-Msg-Id until the stream takes the message.
func (p *plain) untilStored(bare string, id int, body string) {
	p.t.Helper()
	deadline := time.Now().Add(waitTimeout)
	for time.Now().Before(deadline) {
		if ack := p.send(bare, natsjs.MsgIDHeader, fmt.Sprint(id), []byte(body)); !ack.Duplicate {
			return
		}
	}
	p.t.Errorf("%d on %s of %s: the stream does not take it", id, bare, p.as)
}
