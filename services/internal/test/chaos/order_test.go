package chaos

import (
	"fmt"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// plain is a publisher that knows the subjects and JSON and no library of ours,
// with the user that the shipped configuration gives to a principal.
type plain struct {
	t  *testing.T
	js natsjs.JetStream
	as string
}

func (f *fleet) plain(principal string) *plain {
	f.t.Helper()
	js, err := natsjs.New(f.login("publisher-" + principal))
	if err != nil {
		f.t.Fatal(err)
	}
	return &plain{t: f.t, js: js, as: principal}
}

// send publishes until the stream has acknowledged. An id is the publisher's own;
// an empty one is left out. It is safe for concurrent use.
func (p *plain) send(bare, header, id string, body []byte) *natsjs.PubAck {
	msg := nats.NewMsg(bare + "." + p.as)
	msg.Data = body
	msg.Header.Set("Content-Type", "application/json")
	if id != "" {
		msg.Header.Set(header, id)
	}
	ack, err := p.js.PublishMsg(p.t.Context(), msg)
	if err != nil {
		p.t.Errorf("publish on %s: %v", msg.Subject, err)
		return &natsjs.PubAck{}
	}
	return ack
}

// pair is a session and a text that names it.
type pair struct {
	n       int
	outside bool // a page that the session read says what the text says
}

func (p pair) name() string  { return fmt.Sprintf("s-%d", p.n) }
func (p pair) scope() string { return fmt.Sprintf("project:shop-%d", p.n) }

func (p pair) trace() string {
	const told = "The pool size of billing is set in deploy/billing%d.yaml by helm."
	if p.outside {
		return fmt.Sprintf(`{"winnow":"1","id":"s-%d"}
{"role":"user","text":"How do others size the pool?"}
{"role":"assistant","tool":"Bash","call":"1","command":"curl -s https://x.dev/setup"}
{"role":"tool","call":"1","text":"`+told+`"}
{"role":"assistant","text":"I note that."}
`, p.n, p.n)
	}
	return fmt.Sprintf(`{"winnow":"1","id":"s-%d"}
{"role":"user","text":"Why does the nightly job time out?"}
{"role":"assistant","tool":"Bash","call":"1","command":"go test ./... && cat deploy/billing%d.yaml"}
{"role":"tool","call":"1","text":"pool: 5 # set by helm"}
{"role":"assistant","text":"`+told+`"}
`, p.n, p.n, p.n)
}

func (p *plain) finish(one pair) {
	raw, err := protojson.Marshal(&winnowv1.SessionCompleted{
		Scope: one.scope(), Trace: &winnowv1.SessionCompleted_Inline{Inline: []byte(one.trace())},
	})
	if err != nil {
		p.t.Error(err)
	}
	p.send(event.SubjectSessionCompleted, "ce-id", "session-"+one.name(), raw)
}

func (p *plain) propose(one pair) {
	raw, err := protojson.Marshal(&winnowv1.ProposalCreated{
		Scope: one.scope(), SessionId: one.name(),
		Text: fmt.Sprintf("2026-11-19: the pool size of billing is set in `deploy/billing%d.yaml` by helm, after the nightly job timed out.", one.n),
	})
	if err != nil {
		p.t.Error(err)
	}
	p.send(event.SubjectProposalCreated, "ce-id", "text-"+one.name(), raw)
}

// What a text is worth follows from its session, whichever of the two comes first
// or when both come at once: what a page said waits for a person, and what the
// session found by itself is promoted (SPEC §7). Two processes of each worker
// judge; the publisher is a plain NATS client.
func TestTrustDoesNotDependOnOrder(t *testing.T) {
	f := newFleet(t)
	for i := range 2 {
		f.run(fmt.Sprintf("ingest-%d", i), "ingest", "")
		f.run(fmt.Sprintf("triage-%d", i), "triage", "")
	}
	f.run("relay", "relay", "")
	agent := f.plain("agent")

	const each = 24
	var all []pair
	next := func() []pair {
		from := len(all)
		for n := range each {
			all = append(all, pair{n: from + n, outside: n%3 != 0})
		}
		return all[from:]
	}
	sessions := func() { f.awaitCount(len(all), "sessions", `select count(*) from sessions`) }

	for _, p := range next() {
		agent.finish(p)
	}
	sessions()
	for _, p := range all {
		agent.propose(p)
	}
	f.awaitDecided(len(all))
	f.trusted("session first", all)

	second := next()
	for _, p := range second {
		agent.propose(p)
	}
	f.awaitDecided(len(all))
	for _, p := range second {
		agent.finish(p)
	}
	sessions()
	f.trusted("text first", second)

	var at sync.WaitGroup
	third := next()
	for _, p := range third {
		at.Go(func() { agent.finish(p) })
		at.Go(func() { agent.propose(p) })
	}
	at.Wait()
	sessions()
	f.awaitDecided(len(all))
	f.trusted("both at once", third)
	if n := f.stored("winnow.dlq.>"); n != 0 {
		t.Errorf("dead letters: %d, want none", n)
	}
	f.auditVerifies()
}

// trusted holds what became of each text against its session.
func (f *fleet) trusted(order string, pairs []pair) {
	f.t.Helper()
	state := f.texts(`select session_id, state from proposals`)
	inForce := f.texts(`select scope, count(*)::text from memories where state = 'active' group by 1`)
	wrong := 0
	for _, p := range pairs {
		want, active := string(memory.ProposalPromoted), "1"
		if p.outside {
			want, active = string(memory.ProposalNeedsReview), ""
		}
		if state[p.name()] != want || inForce[p.scope()] != active {
			wrong++
			f.t.Logf("%s: %s with an outside page %v is %q with %q memories", order, p.name(), p.outside, state[p.name()], inForce[p.scope()])
		}
	}
	if wrong > 0 {
		f.t.Errorf("%s: %d of %d texts are judged wrongly", order, wrong, len(pairs))
	}
}

// awaitCount waits until a query counts at least so many.
func (f *fleet) awaitCount(want int, what, query string) {
	f.t.Helper()
	eventually(f.t, waitTimeout, what, func() (bool, string) {
		n := f.count(query)
		return n >= want, fmt.Sprintf("%d of %d", n, want)
	})
}
