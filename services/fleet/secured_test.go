package fleet_test

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/pkg/publish"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/access"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/run"
	"github.com/winnowhq/winnow/services/triage"
)

// patience bounds waits that end by a message; only a hang reaches it.
const patience = 5 * time.Minute

// secured is a fleet as docker compose runs it: every process with its own NATS user
// and Postgres login.
type secured struct {
	t      *testing.T
	server *server.Server
	owner  string // superuser's URL of the database
	logs   *observer.ObservedLogs
	log    *zap.Logger
}

func newSecured(t *testing.T) *secured {
	t.Helper()
	return newSecuredOn(t, guarded(t))
}

// newSecuredOn is newSecured on a server with other users.
func newSecuredOn(t *testing.T, s *server.Server) *secured {
	t.Helper()
	core, logs := observer.New(zapcore.WarnLevel)
	f := &secured{t: t, server: s, owner: testenv.EmptyDatabase(t), logs: logs, log: zap.New(core)}
	cfg := f.settings(provision)
	cfg.Postgres.OwnerURL = f.owner
	cfg.Postgres.RelayURL = f.as("winnow_publishing")
	for _, worker := range access.Workers() {
		cfg.Postgres.WorkerURLs += fmt.Sprintf("%s=%s\n", worker, f.as("winnow_login_"+worker))
	}
	if err := run.Migrate(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	for n, wants := range []bool{true, false} {
		changes, err := run.Provision(t.Context(), cfg, f.log, fleet.All...)
		if err != nil || (len(changes) > 0) != wants {
			t.Fatalf("provisioning number %d: %v, %v", n+1, changes, err)
		}
	}
	return f
}

// as returns the database's URL for a login that provisioning creates.
func (f *secured) as(login string) string {
	f.t.Helper()
	u, err := url.Parse(f.owner)
	if err != nil {
		f.t.Fatal(err)
	}
	u.User = url.UserPassword(login, "secret")
	return u.String()
}

// settings returns the settings that docker-compose.yml gives a service.
func (f *secured) settings(user string) run.Config {
	cfg := settings(f.server, user)
	cfg.Postgres.URL = f.as("winnow_workers")
	switch {
	case user == relay:
		cfg.Postgres.URL = f.as("winnow_publishing")
	case slices.Contains(access.Workers(), user):
		cfg.Postgres.URL = f.as("winnow_login_" + user)
	}
	if user == relay || user == cli {
		cfg.Postgres.RelayURL = f.as("winnow_publishing")
	}
	cfg.HTTP.Addr = "127.0.0.1:0"
	cfg.StartTimeout = patience
	cfg.Redact.Key = "only for tests"
	return cfg
}

// start runs every worker with its own settings and logins until the test ends.
func (f *secured) start() {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, d := range fleet.All {
		running.Go(func() {
			if err := run.Fleet(ctx, f.settings(d.Name), f.log.Named(d.Name), d); err != nil {
				f.t.Errorf("%s: %v", d.Name, err)
			}
		})
	}
	f.t.Cleanup(func() { cancel(); running.Wait() })
}

// connect logs in as a user that is no process of Winnow.
func (f *secured) connect(user string) *nats.Conn {
	f.t.Helper()
	cfg := settings(f.server, user).NATS
	nc, err := nats.Connect(cfg.URL, nats.UserInfo(cfg.User, cfg.Password), nats.CustomInboxPrefix(jetstream.InboxPrefix(user)), nats.Timeout(patience))
	if err != nil {
		f.t.Fatalf("log in as %s: %v", user, err)
	}
	f.t.Cleanup(nc.Close)
	return nc
}

// The whole path with permissions on: provisioned, published, decided, announced, a
// dead letter written and sent again. No user is refused a necessary action.
func TestFleetWorksWithLeastPrivilege(t *testing.T) {
	f := newSecured(t)
	f.start()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()

	session, err := run.Open(ctx, f.settings(cli), f.log)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	decided, err := session.Decisions(ctx)
	if err != nil {
		t.Fatal(err)
	}

	nc := f.connect(publisher)
	client, err := publish.New(nc, publish.WithPrincipal("agent"))
	if err != nil {
		t.Fatal(err)
	}
	sent, err := client.Proposal(ctx, &winnowv1.ProposalCreated{
		Scope: "project:shop", Text: "2026-11-19: the pool size of billing is set in `deploy/billing.yaml` by helm, after the nightly job timed out.",
	})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case d := <-decided:
		if d.GetEventId() != sent.EventID || d.GetPrincipal() != "agent" || d.GetVerdict() != "promoted" {
			t.Errorf("decided %v, want the promotion of %s", d, sent.EventID)
		}
	case <-ctx.Done():
		t.Fatalf("no verdict; warnings: %v", f.logs.All())
	}
	f.sessions(ctx, client, session)

	js, err := natsjs.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(ctx, event.SubjectProposalCreated+".agent", []byte("neither protobuf nor JSON")); err != nil {
		t.Fatal(err)
	}
	letter := f.letter(ctx, session.DeadLetters)
	if letter.Consumer != triage.Definition.Durable.Name || letter.Reason.Class != "content_type" {
		t.Errorf("letter %+v", letter)
	}
	if _, err := session.DeadLetters.Replay(ctx, letter.Seq); err != nil {
		t.Errorf("replay: %v", err)
	}
	if _, _, err := session.Lag(ctx, triage.Definition); err != nil {
		t.Errorf("lag: %v", err)
	}
	if _, err := session.Settled(ctx, triage.Definition); err != nil {
		t.Errorf("settled: %v", err)
	}
	f.answer(ctx)

	for _, entry := range f.logs.FilterLevelExact(zapcore.ErrorLevel).All() {
		t.Errorf("%s: %s: %v", entry.LoggerName, entry.Message, entry.ContextMap())
	}
}

// sessions publishes one session with its trace and one by reference, and waits until
// both are stored.
func (f *secured) sessions(ctx context.Context, client *publish.Client, session *run.Session) {
	f.t.Helper()
	ref, err := client.Trace(ctx, strings.NewReader("User: the pool is too small\n\nAssistant: I raise it."))
	if err != nil {
		f.t.Fatalf("lay down a trace: %v", err)
	}
	for _, msg := range []*winnowv1.SessionCompleted{
		{Scope: "project:shop", Trace: &winnowv1.SessionCompleted_Inline{Inline: []byte("User: hello")}},
		{Scope: "project:shop", Trace: &winnowv1.SessionCompleted_Reference{Reference: ref}},
	} {
		if _, err := client.SessionCompleted(ctx, msg); err != nil {
			f.t.Fatalf("publish a session: %v", err)
		}
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		list, err := session.Store.Sessions(ctx, memory.DefaultTenant, store.SessionQuery{Principal: "agent"})
		if err == nil && len(list) == 2 {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			f.t.Fatalf("%d sessions stored, %v; warnings: %v", len(list), err, f.logs.All())
		}
	}
}

// letter waits for the first dead letter.
func (f *secured) letter(ctx context.Context, letters bus.DeadLetters) bus.DeadLetter {
	f.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		list, err := letters.List(ctx, 0, 1)
		if err != nil {
			f.t.Fatalf("list letters: %v; warnings: %v", err, f.logs.All())
		}
		if len(list) > 0 {
			return list[0]
		}
		<-tick.C
	}
}

// answer acts as a gateway: it receives a digest and answers it.
func (f *secured) answer(ctx context.Context) {
	f.t.Helper()
	nc := f.connect(gateway)
	cfg := f.settings(provision)
	cfg.Postgres.OwnerURL = f.owner
	if err := run.RegisterPrincipal(ctx, cfg, run.Principal{ID: "chat", Highest: "agent", SpeaksFor: []string{"local"}}); err != nil {
		f.t.Fatal(err)
	}
	if _, err := run.Provision(ctx, cfg, f.log, fleet.All...); err != nil {
		f.t.Fatal(err)
	}
	digest := event.SubjectForReviewer(event.SubjectDigestTriage, string(memory.DefaultTenant), "local")
	if err := f.connect(relay).Publish(digest, []byte("{}")); err != nil {
		f.t.Fatal(err)
	}
	f.remembered(ctx, nc)
	client, err := publish.New(nc, publish.WithPrincipal("chat"))
	if err != nil {
		f.t.Fatal(err)
	}
	if _, err := client.DigestReply(ctx, &winnowv1.DigestReply{Text: "ok"}); err != nil {
		f.t.Errorf("answer: %v", err)
	}
}

// remembered fetches a digest from the gateway's durable, as a gateway does after an
// absence.
func (f *secured) remembered(ctx context.Context, nc *nats.Conn) {
	f.t.Helper()
	js, err := natsjs.New(nc)
	if err != nil {
		f.t.Fatal(err)
	}
	name := jetstream.GatewayDurable("chat")
	c, err := js.Consumer(ctx, bus.StreamMemory, name)
	if err != nil {
		f.t.Fatalf("bind to %s: %v", name, err)
	}
	m, err := c.Next(natsjs.FetchMaxWait(patience))
	if err != nil {
		f.t.Fatalf("fetch from %s: %v", name, err)
	}
	if err := m.DoubleAck(ctx); err != nil {
		f.t.Errorf("settle a message of %s: %v", name, err)
	}
}
