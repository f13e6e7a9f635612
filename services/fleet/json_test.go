package fleet_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/run"
)

// plain is a gateway that has a client of NATS and a reader of JSON, and nothing of
// Winnow's or of JetStream's.
type plain struct {
	f    *secured
	name string
	nc   *nats.Conn
}

// next returns the next message of the gateway's durable, acknowledged.
func (g plain) next() (subject string, body map[string]any) {
	g.f.t.Helper()
	m, err := g.nc.Request("$JS.API.CONSUMER.MSG.NEXT.MEMORY.gateway-"+g.name, nil, patience)
	if err != nil {
		g.f.t.Fatalf("%s: %v; warnings: %v", g.name, err, g.f.logs.All())
	}
	if err := json.Unmarshal(m.Data, &body); err != nil {
		g.f.t.Fatalf("%s reads %q on %s, which is no JSON: %v", g.name, m.Data, m.Subject, err)
	}
	if _, err := g.nc.Request(m.Reply, []byte("+ACK"), patience); err != nil {
		g.f.t.Fatalf("%s: ack: %v", g.name, err)
	}
	return m.Subject, body
}

// waiting returns how many messages the gateway's durable holds that it has not read.
func (g plain) waiting() int {
	g.f.t.Helper()
	m, err := g.nc.Request("$JS.API.CONSUMER.INFO.MEMORY.gateway-"+g.name, nil, patience)
	var info struct {
		Pending int             `json:"num_pending"`
		Unacked int             `json:"num_ack_pending"`
		Error   json.RawMessage `json:"error"`
	}
	if err == nil {
		err = json.Unmarshal(m.Data, &info)
	}
	if err != nil || info.Error != nil {
		g.f.t.Fatalf("%s: %v %s", g.name, err, info.Error)
	}
	return info.Pending + info.Unacked
}

// awaitPublished waits until the relay has published everything.
func (f *secured) awaitPublished() {
	f.t.Helper()
	session, err := run.Open(f.t.Context(), f.settings(cli), f.log)
	if err != nil {
		f.t.Fatal(err)
	}
	defer session.Close()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(patience); ; {
		status, err := session.Store.OutboxStatus(f.t.Context())
		if err == nil && status.Waiting == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			f.t.Fatalf("outbox %+v, %v", status, err)
		}
	}
}

// Gateways of two tenants read what became of their answers as JSON, each once and its
// own alone. Beside each is a third whose events stay protobuf; its messages are not
// doubled into the others' durables (issue 13, deliver 6).
func TestGatewayReadsJSON(t *testing.T) {
	users := run.BusAccess{Workers: fleet.All, Publishers: []string{"agent"}, Gateways: []string{"chat", "hall", "desk"}}
	config, err := users.ServerConfig()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	f := newSecuredOn(t, guardedBy(t, users, file))
	cfg := f.settings(provision)
	cfg.Postgres.OwnerURL = f.owner
	tenants := map[string]string{"chat": string(memory.DefaultTenant), "desk": string(memory.DefaultTenant), "hall": "beta"}
	for _, name := range slices.Sorted(maps.Keys(tenants)) {
		cfg.Tenant = tenants[name]
		for _, p := range []run.Principal{
			{ID: "of-" + name, Highest: "human"},
			{ID: name, Highest: "agent", SpeaksFor: []string{"of-" + name}, EventsJSON: name != "desk"},
		} {
			if err := run.RegisterPrincipal(t.Context(), cfg, p); err != nil {
				t.Fatal(err)
			}
		}
	}
	cfg.Tenant = string(memory.DefaultTenant)
	if _, err := run.Provision(t.Context(), cfg, f.log, fleet.All...); err != nil {
		t.Fatal(err)
	}
	f.start()

	gateways := map[string]plain{}
	for name := range tenants {
		gateways[name] = plain{f: f, name: name, nc: f.connect("gateway-" + name)}
		// As `nats pub` sends it: JSON, no header.
		if err := gateways[name].nc.Publish("memory.digest.reply."+name, []byte(`{"id":"r1","reviewer":"of-`+name+`","text":"ok"}`)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"chat", "hall"} {
		g := gateways[name]
		subject, got := g.next()
		if want := "memory.digest.answered." + tenants[name] + ".of-" + name + ".json"; subject != want {
			t.Errorf("%s reads %s, want %s", name, subject, want)
		}
		data, _ := got["data"].(map[string]any)
		if got["specversion"] != "1.0" || got["type"] != "memory.digest.answered.v1" || got["source"] != "winnow" || got["id"] != data["id"] ||
			data["reviewer"] != "of-"+name || data["applied"] != false || data["text"] == "" {
			t.Errorf("%s reads %v", name, got)
		}
	}
	m, err := gateways["desk"].nc.Request("$JS.API.CONSUMER.MSG.NEXT.MEMORY.gateway-desk", nil, patience)
	if err != nil || strings.HasSuffix(m.Subject, ".json") || m.Header.Get("ce-datacontenttype") != "application/protobuf" {
		t.Errorf("desk reads %v, %v", m, err)
	}
	// Everything is published once desk's event is read and the outbox is empty; then
	// nothing more is there for either.
	f.awaitPublished()
	for _, name := range []string{"chat", "hall"} {
		if n := gateways[name].waiting(); n != 0 {
			t.Errorf("%d more wait for %s", n, name)
		}
	}
	// Neither the other's durable nor any subject of JSON can be read, nor one's own past
	// the durable.
	for _, what := range []func(*nats.Conn) error{
		func(nc *nats.Conn) error {
			return nc.PublishRequest("$JS.API.CONSUMER.MSG.NEXT.MEMORY.gateway-hall", nc.NewInbox(), nil)
		},
		func(nc *nats.Conn) error {
			_, err := nc.SubscribeSync("memory.digest.answered.beta.of-hall.json")
			return err
		},
		func(nc *nats.Conn) error {
			_, err := nc.SubscribeSync("memory.digest.answered.default.of-chat.json")
			return err
		},
		func(nc *nats.Conn) error { _, err := nc.SubscribeSync("memory.digest.*.*.*.json"); return err },
		func(nc *nats.Conn) error {
			return nc.PublishRequest("$JS.API.DIRECT.GET.MEMORY.memory.digest.answered.beta.of-hall.json", nc.NewInbox(), nil)
		},
	} {
		if !isRefused(t, f.server, "gateway-chat", what) {
			t.Error("chat is not refused")
		}
	}
}
