package fleet_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/nats-io/nats.go"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/api"
	"github.com/winnowhq/winnow/services/ingest"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
	relayworker "github.com/winnowhq/winnow/services/relay"
	"github.com/winnowhq/winnow/services/triage"
)

// gate runs ingest, triage, the relay and the HTTP intakes on a real database and a
// real broker: everything that handles a session and a text recorded in it.
type gate struct {
	t     *testing.T
	bus   *natstest.Server
	store store.Store
	url   string
	agent *mcp.ClientSession
	told  *nats.Subscription

	ingested, decided map[string]bool // by id, as their events arrived
}

// newGate starts a gate. adjust changes the parts of one worker before it runs.
func newGate(t *testing.T, adjust func(name string, d *worker.Deps)) *gate {
	t.Helper()
	g := &gate{t: t, store: pgtest.Open(t), ingested: map[string]bool{}, decided: map[string]bool{}}
	durables := append(triage.Definition.Durables(), relayworker.Definition.Durables()...)
	g.bus = natstest.New(t, append(durables, ingest.Definition.Durables()...)...)
	deps := func(name string) worker.Deps {
		d := workertest.Deps(t, g.bus, g.store)
		if adjust != nil {
			adjust(name, &d)
		}
		return d
	}
	mux := http.NewServeMux()
	for _, d := range []worker.Definition{ingest.Definition, api.Definition} {
		if err := d.Routes(deps(d.Name+" over HTTP"), mux); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	g.url = server.URL
	g.listen()

	var runners []worker.Runner
	for _, d := range []worker.Definition{ingest.Definition, triage.Definition} {
		p, err := worker.NewPipeline(d, deps(d.Name), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		runners = append(runners, p)
	}
	carrier, err := relayworker.Definition.Run(deps(relayworker.Definition.Name))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, r := range append(runners, carrier) {
		running.Go(func() {
			if err := r.Run(ctx); err != nil {
				t.Errorf("run: %v", err)
			}
		})
	}
	t.Cleanup(func() { cancel(); running.Wait() })
	return g
}

// listen receives the events of both workers, which follow the commits.
func (g *gate) listen() {
	g.t.Helper()
	var err error
	if g.told, err = g.bus.Conn().SubscribeSync("memory.>"); err != nil {
		g.t.Fatal(err)
	}
	if err := g.bus.Conn().Flush(); err != nil {
		g.t.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	if g.agent, err = client.Connect(g.t.Context(), &mcp.StreamableClientTransport{Endpoint: g.url + "/mcp"}, nil); err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { _ = g.agent.Close() })
}

// round is one session and one text that names it.
type round struct {
	n     int
	trace string
}

func (r round) name() string  { return fmt.Sprintf("s-%d", r.n) }
func (r round) scope() string { return fmt.Sprintf("project:shop-%d", r.n) }
func (r round) text() string {
	return fmt.Sprintf("2026-11-19: the pool size of billing is set in `deploy/billing%d.yaml` by helm, after the nightly job timed out.", r.n)
}

// externalRound returns a session in which a web page contains the text.
func externalRound(n int) round {
	return round{n: n, trace: fmt.Sprintf(`{"winnow":"1","id":"s-%d"}
{"role":"user","text":"How do others size the pool?"}
{"role":"assistant","tool":"Bash","call":"1","command":"curl -s https://x.dev/setup"}
{"role":"tool","call":"1","text":"The pool size of billing is set in deploy/billing%d.yaml by helm."}
{"role":"assistant","text":"I note that."}
`, n, n)}
}

// calm returns a session that never leaves its workspace.
func calm(n int) round {
	return round{n: n, trace: fmt.Sprintf(`{"winnow":"1","id":"s-%d"}
{"role":"user","text":"Why does the nightly job time out?"}
{"role":"assistant","tool":"Bash","call":"1","command":"go test ./... && cat deploy/billing%d.yaml"}
{"role":"tool","call":"1","text":"pool: 5 # set by helm"}
{"role":"assistant","text":"The pool size of billing is set in deploy/billing%d.yaml by helm."}
`, n, n, n)}
}

// finish publishes the end of the session.
func (g *gate) finish(r round) {
	raw, err := protojson.Marshal(&winnowv1.SessionCompleted{
		Scope: r.scope(), Trace: &winnowv1.SessionCompleted_Inline{Inline: []byte(r.trace)},
	})
	if err != nil {
		g.t.Error(err)
		return
	}
	g.publish(event.SubjectSessionCompleted, fmt.Sprintf("evt_session_%d", r.n), raw)
}

func (g *gate) publish(subject, id string, raw []byte) {
	msg := nats.NewMsg(subject + ".agent")
	msg.Data = raw
	msg.Header.Set("ce-id", id)
	msg.Header.Set("Content-Type", "application/json")
	if err := g.bus.Conn().PublishMsg(msg); err != nil {
		g.t.Error(err)
	}
}

// doors are the intakes for a text. Each returns when the text is published or
// decided.
func (g *gate) doors() map[string]func(round) {
	proposal := func(r round) []byte {
		raw, err := protojson.Marshal(&winnowv1.ProposalCreated{Scope: r.scope(), SessionId: r.name(), Text: r.text()})
		if err != nil {
			g.t.Error(err)
		}
		return raw
	}
	return map[string]func(round){
		"subject": func(r round) {
			g.publish(event.SubjectProposalCreated, fmt.Sprintf("evt_text_%d", r.n), proposal(r))
		},
		"http": func(r round) {
			resp, err := http.Post(g.url+"/api/proposals", "application/json", bytes.NewReader(proposal(r)))
			if err != nil {
				g.t.Error(err)
				return
			}
			defer resp.Body.Close()
			if resp.StatusCode != http.StatusAccepted {
				g.t.Errorf("proposal answered %d", resp.StatusCode)
			}
		},
		"memory_record": func(r round) {
			result, err := g.agent.CallTool(g.t.Context(), &mcp.CallToolParams{Name: "memory_record", Arguments: map[string]any{
				"title": "Pool size", "description": "Where the pool is set.", "content": r.text(), "outcome": "success",
				"project": fmt.Sprintf("shop-%d", r.n), "session_id": r.name(), "kind": "fact",
			}})
			if err != nil || result.IsError {
				said, _ := json.Marshal(result)
				g.t.Errorf("memory_record: %v, %s", err, said)
			}
		},
	}
}

// await returns when the given numbers of sessions are ingested and of texts are
// decided, counted since the start of the gate.
func (g *gate) await(sessions, texts int) {
	g.t.Helper()
	ctx, cancel := context.WithTimeout(g.t.Context(), patience)
	defer cancel()
	for len(g.ingested) < sessions || len(g.decided) < texts {
		msg, err := g.told.NextMsgWithContext(ctx)
		if err != nil {
			g.t.Fatalf("%d of %d sessions and %d of %d verdicts: %v", len(g.ingested), sessions, len(g.decided), texts, err)
		}
		if msg.Subject != event.SubjectSessionIngested && msg.Subject != event.SubjectProposalDecided {
			continue
		}
		env, err := event.Parse(msg.Subject, msg.Header, msg.Data, "none")
		if err != nil {
			g.t.Fatal(err)
		}
		if msg.Subject == event.SubjectSessionIngested {
			m := new(winnowv1.SessionIngested)
			err = event.Unmarshal(env, m)
			g.ingested[m.GetSessionId()] = true
		} else {
			m := new(winnowv1.ProposalDecided)
			err = event.Unmarshal(env, m)
			g.decided[m.GetProposalId()] = true
		}
		if err != nil {
			g.t.Fatal(err)
		}
	}
}

// hold checks the state of the text of each round.
func (g *gate) hold(rounds []round, state memory.ProposalState, authority memory.Origin) {
	g.t.Helper()
	wrong := 0
	for _, r := range rounds {
		list, err := g.store.Proposals(g.t.Context(), memory.DefaultTenant, store.ProposalQuery{SessionID: r.name()})
		if err != nil || len(list) != 1 {
			g.t.Fatalf("%d texts of %s, %v", len(list), r.name(), err)
		}
		if p := list[0]; p.State != state || p.Authority != authority {
			wrong++
			g.t.Logf("%s: %s with authority %s", r.name(), p.State, p.Authority)
		}
		active, err := g.store.Memories(g.t.Context(), memory.DefaultTenant, store.MemoryQuery{
			Scope: memory.Scope(r.scope()), States: []memory.State{memory.StateActive},
		})
		if want := state == memory.ProposalPromoted; err != nil || (len(active) == 1) != want {
			wrong++
			g.t.Logf("%s: %d memories in force, %v", r.name(), len(active), err)
		}
	}
	if wrong > 0 {
		g.t.Errorf("%d of %d rounds are not %s with authority %s", wrong, len(rounds), state, authority)
	}
}

// SPEC §7: the authority of a text follows from its session, and not from which of
// the two arrived first, for every intake.
func TestTrustDoesNotDependOnOrder(t *testing.T) {
	t.Parallel()
	orders := map[string]func(g *gate, r round, record func(round)){
		"session first": func(g *gate, r round, record func(round)) {
			g.finish(r)
			g.await(r.n, r.n-1)
			record(r)
			g.await(r.n, r.n)
		},
		"text first": func(g *gate, r round, record func(round)) {
			record(r)
			g.await(r.n-1, r.n)
			g.finish(r)
			g.await(r.n, r.n)
		},
	}
	for order, run := range orders {
		for _, door := range []string{"subject", "http", "memory_record"} {
			t.Run(order+"/"+door, func(t *testing.T) {
				t.Parallel()
				g := newGate(t, nil)
				record := g.doors()[door]
				outside, inside := externalRound(1), calm(2)
				run(g, outside, record)
				run(g, inside, record)
				g.hold([]round{outside}, memory.ProposalNeedsReview, memory.OriginExternal)
				g.hold([]round{inside}, memory.ProposalPromoted, memory.OriginAgent)
			})
		}
	}
}

// SPEC §7: sessions and texts that arrive at the same time judge each other: the one
// that commits second sees the other.
func TestTrustOfSimultaneousArrivals(t *testing.T) {
	t.Parallel()
	const rounds = 60
	for _, door := range []string{"subject", "http", "memory_record"} {
		t.Run(door, func(t *testing.T) {
			t.Parallel()
			g := newGate(t, nil)
			record := g.doors()[door]
			var outside, inside []round
			var at sync.WaitGroup
			for n := range rounds {
				r := externalRound(n)
				if n%3 == 0 {
					r = calm(n)
					inside = append(inside, r)
				} else {
					outside = append(outside, r)
				}
				at.Go(func() { g.finish(r) })
				at.Go(func() { record(r) })
			}
			at.Wait()
			g.await(rounds, rounds)
			g.hold(outside, memory.ProposalNeedsReview, memory.OriginExternal)
			g.hold(inside, memory.ProposalPromoted, memory.OriginAgent)
		})
	}
}

// gatedStore calls the test before a batch is committed. Otherwise it is the real
// store.
type gatedStore struct {
	store.Store
	before func()
}

func (s gatedStore) CommitBatch(ctx context.Context, tenant memory.Tenant, b store.Batch, decide store.DecideFunc) (store.Committed, error) {
	s.before()
	return s.Store.CommitBatch(ctx, tenant, b, decide)
}

// The two transactions can overlap in three ways; each is forced.
func TestTrustOfOverlappingCommits(t *testing.T) {
	t.Parallel()
	stop := func() (reached, release chan struct{}, at func()) {
		reached, release = make(chan struct{}), make(chan struct{})
		var once sync.Once
		return reached, release, func() { once.Do(func() { close(reached); <-release }) }
	}
	r := externalRound(1)

	t.Run("the session was read before the text committed", func(t *testing.T) {
		t.Parallel()
		reached, release, at := stop()
		g := newGate(t, func(name string, d *worker.Deps) {
			if name == ingest.Definition.Name {
				d.Reached = func(p worker.Point) {
					if p == worker.PointBeforeCommit {
						at()
					}
				}
			}
		})
		g.finish(r)
		<-reached
		g.doors()["subject"](r)
		g.await(0, 1)
		close(release)
		g.await(1, 0)
		g.hold([]round{r}, memory.ProposalNeedsReview, memory.OriginExternal)
	})
	t.Run("the text was prepared before the session committed", func(t *testing.T) {
		t.Parallel()
		reached, release, at := stop()
		g := newGate(t, func(name string, d *worker.Deps) {
			if name == triage.Definition.Name {
				d.Store = gatedStore{d.Store, at}
			}
		})
		g.doors()["subject"](r)
		<-reached
		g.finish(r)
		g.await(1, 0)
		close(release)
		g.await(0, 1)
		g.hold([]round{r}, memory.ProposalNeedsReview, memory.OriginExternal)
	})
	t.Run("the session commits while the text is decided and not written", func(t *testing.T) {
		t.Parallel()
		reached, release, at := stop()
		arrived := make(chan struct{})
		g := newGate(t, func(name string, d *worker.Deps) {
			point := func(f func()) func(worker.Point) {
				return func(p worker.Point) {
					if p == worker.PointBeforeCommit {
						f()
					}
				}
			}
			switch name {
			case triage.Definition.Name:
				d.Reached = point(at)
			case ingest.Definition.Name:
				d.Reached = point(sync.OnceFunc(func() { close(arrived) }))
			}
		})
		g.doors()["subject"](r)
		<-reached
		g.finish(r)
		<-arrived
		close(release)
		g.await(1, 1)
		g.hold([]round{r}, memory.ProposalNeedsReview, memory.OriginExternal)
	})
}
