package chaos

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/pkg/publish"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/run"
)

// desk is a reviewer with the gateway that alone speaks for them.
type desk struct {
	tenant   memory.Tenant
	reviewer string
	gateway  string
	speaks   []string
	scope    string
	// question is a word that only this reviewer's digest holds.
	question string
	chat     *chat
}

func desks() []*desk {
	return []*desk{
		{tenant: "acme", reviewer: "anna", gateway: "hall", speaks: []string{"anna"}, scope: "project:north", question: "nectar"},
		{tenant: "acme", reviewer: "ben", gateway: "desk", speaks: []string{"ben"}, scope: "project:south", question: "harbor"},
		{tenant: "beta", reviewer: "carl", gateway: "dock", speaks: []string{"*"}, scope: "project:north", question: "lagoon"},
	}
}

// Three gateways serve three reviewers of two tenants, each a process with a user
// of its own, and two digest workers write to all of them. Each gateway shows the
// digest and the answer of its own reviewer and nothing of another's: its durable
// does not hold it, and the server refuses every other way to read it.
func TestGatewaysReadTheirOwnReviewersAlone(t *testing.T) {
	f := newFleet(t)
	all := desks()
	for _, d := range all {
		f.register(d)
	}
	f.provisionGateways()
	f.run("triage", "triage", "")
	f.run("relay", "relay", "")
	for _, d := range all {
		d.chat = f.startGateway(d.gateway)
		f.ask(d)
	}
	f.awaitDecided(len(all))
	if n := f.waiting(); n != len(all) {
		t.Fatalf("%d questions wait for a person, want %d", n, len(all))
	}

	f.beginSchedule(3) // the tenant that is always there has one too
	soon := time.Now().Add(3 * time.Second)
	for i := range 2 {
		f.run(fmt.Sprintf("digest-%d", i), "digest", "", slot(soon))
	}
	shown := map[*desk]string{}
	for _, d := range all {
		shown[d] = d.chat.await(t, d.question)
	}
	for _, d := range all {
		f.readsNothingElse(d, all)
	}

	// An answer that is brought for another's reviewer decides nothing.
	f.answerAs(all[0], all[1])
	eventually(t, waitTimeout, "the answer for another becomes a dead letter", func() (bool, string) {
		n := f.stored("winnow.dlq.>")
		return n == 1, fmt.Sprintf("%d letters", n)
	})
	if n := f.waiting(); n != len(all) {
		t.Errorf("%d questions wait after the answer for another, want %d", n, len(all))
	}

	for _, d := range all {
		d.chat.say(t, "ok")
		shown[d] += d.chat.await(t, "Done:")
		if n := f.count(`select count(*) from decisions where actor = 'person' and principal = $1 and tenant = $2`, d.reviewer, string(d.tenant)); n != 1 {
			t.Errorf("%d decisions of %s, want 1", n, d.reviewer)
		}
	}
	for _, d := range all {
		f.awaitRead(jetstream.GatewayDurable(d.gateway))
		shown[d] += d.chat.rest()
		for _, other := range all {
			if other != d && strings.Contains(shown[d], other.question) {
				t.Errorf("%s shows a question for %s:\n%s", d.gateway, other.reviewer, shown[d])
			}
		}
		if n := strings.Count(shown[d], "Done:"); n != 1 {
			t.Errorf("%s shows %d answers, want its own:\n%s", d.gateway, n, shown[d])
		}
	}
}

// register adds the tenant, the people, the gateway and an agent that proposes.
func (f *fleet) register(d *desk) {
	f.t.Helper()
	cfg := f.provisioner()
	cfg.Tenant = string(d.tenant)
	for _, p := range []run.Principal{
		{ID: d.reviewer, Highest: "human"},
		{ID: d.gateway, Highest: "agent", SpeaksFor: d.speaks},
		{ID: "agent-of-" + d.reviewer, Highest: "agent"},
	} {
		if err := run.RegisterPrincipal(f.t.Context(), cfg, p); err != nil {
			f.t.Fatal(err)
		}
	}
	// The first reviewer of a tenant has every scope that the others do not have.
	set := change.Set{Reviewers: []memory.Reviewer{{Principal: d.reviewer, Scope: memory.Scope(d.scope)}}}
	if d.reviewer != "ben" {
		set.Reviewers[0].Scope = ""
	}
	if _, err := f.store.Commit(f.t.Context(), d.tenant, set, store.InboxKey{}); err != nil {
		f.t.Fatal(err)
	}
}

// provisioner are the settings of winnow provision.
func (f *fleet) provisioner() run.Config {
	cfg := run.DefaultConfig()
	cfg.Postgres.URL, cfg.NATS.URL = f.dbURL, f.natsURL()
	cfg.NATS.User, cfg.NATS.Password = run.UserProvision, password(run.UserProvision)
	cfg.StartTimeout = waitTimeout
	return cfg
}

// provisionGateways makes the durables of the registered gateways, as winnow
// principal add does.
func (f *fleet) provisionGateways() {
	f.t.Helper()
	if err := run.ProvisionGateways(f.t.Context(), f.provisioner(), zap.NewNop()); err != nil {
		f.t.Fatal(err)
	}
}

// ask publishes a proposal that only the reviewer can decide.
func (f *fleet) ask(d *desk) {
	f.t.Helper()
	client, err := publish.New(f.nc, publish.WithPrincipal("agent-of-"+d.reviewer))
	if err != nil {
		f.t.Fatal(err)
	}
	p := &winnowv1.ProposalCreated{Scope: d.scope, Text: "Handlers of " + d.question + " should return problem+json errors instead of plain text."}
	if _, err := client.Proposal(f.t.Context(), p); err != nil {
		f.t.Fatal(err)
	}
}

// answerAs has one gateway answer the digest of another's reviewer, with its code.
func (f *fleet) answerAs(from, to *desk) {
	f.t.Helper()
	client, err := publish.New(f.login("gateway-"+from.gateway), publish.WithPrincipal(from.gateway))
	if err != nil {
		f.t.Fatal(err)
	}
	code := f.texts(`select reviewer, code from digests`)[to.reviewer]
	if _, err := client.DigestReply(f.t.Context(), &winnowv1.DigestReply{Reviewer: to.reviewer, Code: code, Text: "ok"}); err != nil {
		f.t.Fatal(err)
	}
}

// awaitRead waits until a durable has delivered everything and everything is
// acknowledged.
func (f *fleet) awaitRead(durable string) {
	f.t.Helper()
	eventually(f.t, waitTimeout, durable+" is read", func() (bool, string) {
		c, err := f.js.Consumer(f.t.Context(), bus.StreamMemory, durable)
		if err != nil {
			return false, err.Error()
		}
		info := c.CachedInfo()
		return info.NumPending == 0 && info.NumAckPending == 0, fmt.Sprintf("%d wait, %d in hand", info.NumPending, info.NumAckPending)
	})
}

// login connects as a user of the shipped configuration.
func (f *fleet) login(user string) *nats.Conn {
	f.t.Helper()
	nc, err := nats.Connect(f.natsURL(), nats.UserInfo(user, password(user)), nats.CustomInboxPrefix(jetstream.InboxPrefix(user)),
		nats.Timeout(waitTimeout), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		f.t.Fatalf("log in as %s: %v", user, err)
	}
	f.t.Cleanup(nc.Close)
	return nc
}

// readsNothingElse tries, as one gateway, each way to what lies in MEMORY for
// others. The server must refuse each; its answer to a ping comes after the
// refusals of everything before.
func (f *fleet) readsNothingElse(d *desk, all []*desk) {
	f.t.Helper()
	user := "gateway-" + d.gateway
	refused := func(what string, send func(*nats.Conn) error) {
		nc := f.login(user)
		defer nc.Close()
		if err := errors.Join(send(nc), nc.FlushTimeout(waitTimeout)); err != nil {
			f.t.Fatalf("%s: %s: %v", user, what, err)
		}
		if err := nc.LastError(); !errors.Is(err, nats.ErrPermissionViolation) {
			f.t.Errorf("%s is not refused %s: %v", user, what, err)
		}
	}
	request := func(subject, body string) {
		refused("a request on "+subject, func(nc *nats.Conn) error {
			return nc.PublishRequest(subject, nc.NewInbox(), []byte(body))
		})
	}
	listen := func(subject string) {
		refused("listening to "+subject, func(nc *nats.Conn) error { _, err := nc.SubscribeSync(subject); return err })
		refused("sharing "+subject, func(nc *nats.Conn) error { _, err := nc.QueueSubscribeSync(subject, "readers"); return err })
	}
	const api, memories = "$JS.API.", "." + bus.StreamMemory
	for _, bare := range []string{event.SubjectDigestTriage, event.SubjectDigestAnswered} {
		listen(bare + ".>")
		own := event.SubjectForReviewer(bare, string(d.tenant), d.reviewer)
		listen(own) // what is its own comes by its durable alone
		for _, other := range all {
			if other == d {
				continue
			}
			theirs := event.SubjectForReviewer(bare, string(other.tenant), other.reviewer)
			listen(theirs)
			request(api+"DIRECT.GET"+memories+"."+theirs, "")
			request(api+"DIRECT.GET"+memories, `{"last_by_subj":"`+theirs+`"}`)
			request(api+"STREAM.MSG.GET"+memories, `{"last_by_subj":"`+theirs+`"}`)
			request(api+"CONSUMER.CREATE"+memories+".spy."+theirs, `{"stream_name":"MEMORY","config":{"name":"spy","filter_subject":"`+theirs+`"}}`)
			// Its own durable does not become another's either.
			request(api+"CONSUMER.CREATE"+memories+"."+user+"."+theirs, `{"stream_name":"MEMORY","config":{"durable_name":"`+user+`","filter_subject":"`+theirs+`"}}`)
		}
	}
	for _, other := range all {
		if other == d {
			continue
		}
		durable := jetstream.GatewayDurable(other.gateway)
		for _, verb := range []string{"INFO", "MSG.NEXT", "CREATE", "DURABLE.CREATE", "DELETE", "PAUSE", "RESET", "UNPIN"} {
			request(api+"CONSUMER."+verb+memories+"."+durable, `{"batch":10,"no_wait":true}`)
		}
		request("$JS.ACK"+memories+"."+durable+".1.1.1.1.0", "+NXT")
		listen(jetstream.InboxPrefix("gateway-"+other.gateway) + ".>")
	}
	for _, subject := range []string{"STREAM.INFO" + memories, "STREAM.SNAPSHOT" + memories, "STREAM.NAMES", "STREAM.LIST", "CONSUMER.NAMES" + memories, "CONSUMER.LIST" + memories,
		"CONSUMER.CREATE" + memories, "STREAM.CREATE.SPY", "CONSUMER.CREATE" + memories + "." + user} {
		request(api+subject, `{"deliver_subject":"`+jetstream.InboxPrefix(user)+`.x"}`)
	}
	for _, subject := range []string{">", "memory.>", "*.>", "_INBOX.>", "$JS.>", "$JS.EVENT.>", jetstream.SubjectDecided} {
		listen(subject)
	}

	// Asked for everything, the durable holds what its own gateway has read.
	js, err := natsjs.New(f.login(user))
	if err != nil {
		f.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(f.t.Context(), waitTimeout)
	defer cancel()
	own, err := js.Consumer(ctx, bus.StreamMemory, jetstream.GatewayDurable(d.gateway))
	if err != nil {
		f.t.Fatal(err)
	}
	if n := own.CachedInfo().Delivered.Consumer; n != 1 {
		f.t.Errorf("the durable of %s delivered %d messages, want the digest of %s", d.gateway, n, d.reviewer)
	}
}
