package chaos

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// settle waits until everything that was sent is handled.
func (s *storm) settle() {
	s.t.Helper()
	for stream, durable := range map[string]string{bus.StreamIntake: "triage", bus.StreamSessions: "ingest"} {
		s.awaitHandled(stream, durable)
	}
	s.awaitNone("sessions are distilled", `select count(*) from sessions where state <> 'distilled'`)
	s.awaitNone("every event is published", `select count(*) from outbox where published_at is null`)
	s.awaitHandled(bus.StreamIntake, "triage")
	s.awaitHandled(bus.StreamIntake, "digest")
	s.awaitNone("every event is published", `select count(*) from outbox where published_at is null`)
}

// check holds what was sent against what is stored, in SQL, as the owner of the database
// and with no help from the store's own code.
func (s *storm) check() {
	t := s.t
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waitTimeout)
	defer cancel()
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, `create temp table sent (tenant text, principal text, event_id text, session bool)`); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.CopyFrom(ctx, pgx.Identifier{"sent"}, []string{"tenant", "principal", "event_id", "session"},
		pgx.CopyFromSlice(len(s.sent), func(i int) ([]any, error) {
			e := s.sent[i]
			return []any{string(e.tenant), e.principal, e.id, e.session}, nil
		})); err != nil {
		t.Fatal(err)
	}
	number := func(query string) (n int) {
		if err := conn.QueryRow(ctx, query).Scan(&n); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return n
	}
	for _, c := range stormChecks {
		if n := number(c.query); n != 0 {
			t.Errorf("%s: %d", c.what, n)
		}
	}
	t.Logf("sent %d proposals and %d sessions of two tenants; %d proposals, %d decisions, %d of persons, %d undone, %d memories, %d events told, %d replies, %d unreadable",
		number(`select count(*) from sent where not session`), number(`select count(*) from sent where session`),
		number(`select count(*) from proposals`), number(`select count(*) from decisions`),
		number(`select count(*) from decisions where actor = 'person' and undoes = ''`), number(`select count(*) from decisions where verdict = 'undone'`),
		number(`select count(*) from memories`), number(`select count(*) from outbox`), number(`select count(*) from digest_replies`), len(s.bad))
	for _, tenant := range []memory.Tenant{memory.DefaultTenant, stormTenant} {
		if number(`select count(*) from proposals where tenant = '`+string(tenant)+`'`) == 0 {
			t.Errorf("nothing of the tenant %s", tenant)
		}
		settings := []string{"WINNOW_TENANT=" + string(tenant)}
		out := s.operate(settings, "audit", "verify", "--rows")
		t.Logf("audit of %s: %s", tenant, lastLine(out))
		out = s.operate(settings, "replay", "decision", "--all")
		t.Logf("replay of %s: %s", tenant, lastLine(out))
	}
	s.eachToldOnce()
	s.badAreLetters()
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// stormChecks each count what may not be.
var stormChecks = []struct{ what, query string }{
	{"proposals lost", `select count(*) from sent s where not session and not exists
		(select from proposals p where p.tenant = s.tenant and p.principal = s.principal and p.event_id = s.event_id)`},
	// What a run asks has no publisher, and all of one run have its id. Each is of one step.
	{"proposals stored twice", `select count(*) from (select from proposals where principal <> '' group by tenant, principal, event_id having count(*) > 1) x`},
	{"questions of runs asked twice", `select count(*) from (select from run_items where proposal_id <> '' group by tenant, proposal_id having count(*) > 1) x`},
	{"proposals of nobody", `select count(*) from proposals p where not exists
		(select from sent s where s.tenant = p.tenant and s.principal = p.principal and s.event_id = p.event_id)
		and not exists (select from outbox o where o.tenant = p.tenant and o.event_id = p.event_id and o.subject like 'memory.proposal.created%')
		and not exists (select from run_items i where i.tenant = p.tenant and i.proposal_id = p.id and p.principal = '')`},
	{"sessions lost", `select count(*) from sent s where session and not exists
		(select from sessions x where x.tenant = s.tenant and x.principal = s.principal and x.event_id = s.event_id)`},
	{"sessions stored twice", `select count(*) from (select from sessions group by tenant, principal, event_id having count(*) > 1) x`},
	{"sessions told twice", `select count(*) - (select count(*) from sessions) from outbox where subject like 'memory.session.ingested%'`},
	{"extracted proposals without a row", `select count(*) from outbox o where subject like 'memory.proposal.created%' and not exists
		(select from proposals p where p.tenant = o.tenant and p.event_id = o.event_id)`},
	{"proposals without a decision", `select count(*) from proposals p where not exists
		(select from decisions d where d.tenant = p.tenant and d.proposal_id = p.id)`},
	{"proposals that nobody decided", `select count(*) from proposals where state = 'pending'`},
	// A waiting proposal that a fuller one absorbs is decided a second time, by rule.
	{"proposals that triage decided twice", `select count(*) from (select from decisions where actor = 'triage' and rule <> 'absorbed' and undoes = ''
		group by tenant, proposal_id having count(*) > 1) x`},
	{"decisions taken back twice", `select count(*) from (select from decisions where undoes <> '' group by tenant, undoes having count(*) > 1) x`},
	{"memories without a decision", `select count(*) from memories m where not exists
		(select from decisions d where d.tenant = m.tenant and d.id = m.decision_id)`},
	{"promoted proposals without a memory", `select count(*) from decisions d where verdict = 'promoted' and memory_id <> '' and not exists
		(select from memories m where m.tenant = d.tenant and m.id = d.memory_id)`},
	{"decisions of persons that no reply and no undo made", `select (select count(*) from decisions where actor = 'person' and undoes = '')
		- (select coalesce(sum(cardinality(decisions)), 0) from digest_replies where applied)`},
	{"events that wait", `select count(*) from outbox where published_at is null`},
	{"events at one place of the stream", `select count(*) from (select from outbox where stream_seq is not null and subject not like 'memory.proposal.created%'
		group by stream_seq having count(*) > 1) x`},
	{"rows of one tenant that name another's decision", `select count(*) from memories m join decisions d on d.id = m.decision_id where d.tenant <> m.tenant`},
}

// eachToldOnce counts the verdicts in the stream, which subscribers read.
func (s *storm) eachToldOnce() {
	s.t.Helper()
	events := s.decidedEvents()
	for id, n := range events {
		if n != 1 {
			s.t.Errorf("decision %s was told %d times", id, n)
		}
	}
	if n := s.count(`select count(*) from decisions`); n != len(events) {
		s.t.Errorf("%d decisions were told, want %d", len(events), n)
	}
}

// badAreLetters checks that what cannot be read is a dead letter each, once, and nothing
// else is.
func (s *storm) badAreLetters() {
	t := s.t
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waitTimeout)
	defer cancel()
	n := s.stored("winnow.dlq.>")
	consumer, err := s.js.OrderedConsumer(ctx, bus.StreamDeadLetters, natsjs.OrderedConsumerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	batch, err := consumer.Fetch(max(n, 1), natsjs.FetchMaxWait(waitTimeout))
	if err != nil {
		t.Fatal(err)
	}
	letters, places := map[string]int{}, map[string]int{}
	for msg := range batch.Messages() {
		h := msg.Headers()
		id := h.Get("ce-id")
		letters[id]++
		places[h.Get("Winnow-Dlq-Consumer")+h.Get("Winnow-Dlq-Stream")+h.Get("Winnow-Dlq-Sequence")]++
		if !strings.HasPrefix(id, "bad-") {
			t.Errorf("a dead letter of what can be read: %s %s: %s", h.Get("Winnow-Dlq-Consumer"), h.Get("Winnow-Dlq-Class"), h.Get("Winnow-Dlq-Text"))
		}
	}
	for place, n := range places {
		if n != 1 {
			t.Errorf("%d dead letters of the event at %s", n, place)
		}
	}
	lost := 0
	for _, id := range s.bad {
		if letters[id] == 0 {
			lost++
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d unreadable events are no dead letter", lost, len(s.bad))
	}
	t.Logf("%d dead letters of %d unreadable events", n, len(s.bad))
}
