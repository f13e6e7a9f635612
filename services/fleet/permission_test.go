package fleet_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/run"
)

// shipped lists the users of deploy/nats/nats.conf.
var shipped = run.BusAccess{Workers: fleet.All, Publishers: []string{"agent"}, Gateways: []string{"chat"}}

// guarded runs a server with the file that docker compose mounts, parsed by the
// server itself. It sets environment variables of this process, so its callers are
// not parallel. adjust changes settings outside the tested subject.
func guarded(t *testing.T, adjust ...func(*server.Options)) *server.Server {
	t.Helper()
	return guardedBy(t, shipped, filepath.Join(testenv.Root(t), "deploy", "nats", "nats.conf"), adjust...)
}

// guardedBy is guarded with another file, for the users of access.
func guardedBy(t *testing.T, access run.BusAccess, file string, adjust ...func(*server.Options)) *server.Server {
	t.Helper()
	for _, name := range access.PasswordVariables() {
		t.Setenv(name, password(name))
	}
	opts, err := server.ProcessConfigFile(file)
	if err != nil {
		t.Fatalf("the server refuses the file: %v", err)
	}
	if !opts.SyncAlways || opts.JetStreamCipher != server.ChaCha || opts.JetStreamKey != password(jetstream.KeyVariable) {
		t.Errorf("sync always %v, cipher %v, key %q", opts.SyncAlways, opts.JetStreamCipher, opts.JetStreamKey)
	}
	// These settings belong to the container; all others are the file's.
	opts.Host, opts.Port, opts.HTTPHost, opts.HTTPPort = "127.0.0.1", server.RANDOM_PORT, "", 0
	opts.StoreDir, opts.NoSigs, opts.NoLog = t.TempDir(), true, true
	opts.AuthTimeout = patience.Seconds() // a busy machine delays logins
	for _, change := range adjust {
		change(opts)
	}
	s, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(patience) {
		t.Fatal("the server does not start")
	}
	return s
}

// password is a user's own password.
func password(variable string) string { return "secret-of-" + strings.ToLower(variable) }

// settings returns the settings of a process that logs in as a user.
func settings(s *server.Server, user string) run.Config {
	cfg := run.DefaultConfig()
	cfg.NATS.URL, cfg.NATS.User = s.ClientURL(), user
	cfg.NATS.Password = password(jetstream.User{Name: user}.PasswordVariable())
	return cfg
}

// isRefused reports whether the server refuses what a new login of user sends. The
// reply to a ping arrives after all earlier errors.
func isRefused(t *testing.T, s *server.Server, user string, send func(*nats.Conn) error) bool {
	t.Helper()
	cfg := settings(s, user).NATS
	nc, err := nats.Connect(cfg.URL, nats.UserInfo(cfg.User, cfg.Password), nats.Timeout(patience),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		t.Fatalf("log in as %s: %v", user, err)
	}
	defer nc.Close()
	if err := send(nc); err != nil {
		t.Fatal(err)
	}
	if err := nc.FlushTimeout(patience); err != nil {
		t.Fatal(err)
	}
	switch err := nc.LastError(); {
	case err == nil:
		return false
	case errors.Is(err, nats.ErrPermissionViolation):
		return true
	default:
		t.Fatalf("the server said %v, want a permission violation", err)
		return false
	}
}

// probe is a subject and the users who may use it; all others may not.
type probe struct {
	subject string
	may     []string
}

// Every service's credentials are tried on the subjects of every other service and on
// forbidden subjects (SPEC §4). The table states the intended rights, independent of
// the code that creates them.
func TestEveryServiceKeepsToItsOwnSubjects(t *testing.T) {
	s := guarded(t)
	for _, u := range shipped.Users() {
		t.Run(u.Name, func(t *testing.T) {
			for _, p := range toPublish() {
				want := slices.Contains(p.may, u.Name)
				if got := !isRefused(t, s, u.Name, func(nc *nats.Conn) error { return nc.Publish(p.subject, []byte("{}")) }); got != want {
					t.Errorf("%s may publish on %s: %v, want %v", u.Name, p.subject, got, want)
				}
			}
			for _, p := range toSubscribe() {
				want := slices.Contains(p.may, u.Name)
				if got := !isRefused(t, s, u.Name, func(nc *nats.Conn) error { _, err := nc.SubscribeSync(p.subject); return err }); got != want {
					t.Errorf("%s may subscribe to %s: %v, want %v", u.Name, p.subject, got, want)
				}
			}
		})
	}
}

const relay, provision, cli, eraser, publisher, gateway = "relay", run.UserProvision, run.UserCLI, run.UserForget, "publisher-agent", "gateway-chat"

func toPublish() []probe {
	var all []probe
	only := func(subject string, may ...string) { all = append(all, probe{subject, may}) }
	reads := func(d bus.Durable, reader string) {
		at := d.Stream + "." + d.Name
		only("$JS.API.CONSUMER.MSG.NEXT."+at, reader)
		only("$JS.ACK."+at+".1.1.1.1.0", reader)
		only("$JS.ACK.domain.account."+at+".1.1.1.1.0.x", reader)
		only("$JS.API.CONSUMER.INFO."+at, reader, provision, cli)
		only("$JS.API.CONSUMER.CREATE."+at, provision)
		only("$JS.API.CONSUMER.CREATE."+at+".memory.recorded", provision)
		if d.Stream == bus.StreamMemory {
			only("$JS.API.CONSUMER.DELETE."+at, provision) // durables of gateways, and leftovers of an older version
		} else {
			only("$JS.API.CONSUMER.DELETE." + at)
		}
		for _, verb := range []string{"PAUSE", "RESET", "UNPIN", "DURABLE.CREATE"} {
			only("$JS.API.CONSUMER." + verb + "." + at)
		}
	}
	for _, w := range fleet.All {
		for _, d := range w.Durables() {
			reads(d, w.Name)
			only("winnow.dlq."+d.Name, w.Name, relay)
		}
	}
	own := jetstream.Gateway(memory.Principal{Tenant: "default", ID: "chat"})
	for _, subject := range []string{"$JS.API.CONSUMER.MSG.NEXT.MEMORY.", "$JS.API.CONSUMER.INFO.MEMORY."} {
		var may []string
		if strings.Contains(subject, ".INFO.") {
			may = []string{provision}
		}
		only(subject+own.Name, append(may, gateway)...)
		only(subject+"gateway-other", may...)
	}
	only("$JS.ACK.MEMORY."+own.Name+".1.1.1.1.0", gateway)
	only("$JS.ACK.MEMORY.gateway-other.1.1.1.1.0")
	only("$JS.API.CONSUMER.CREATE.MEMORY."+own.Name, provision)
	only("$JS.API.CONSUMER.DELETE.MEMORY."+own.Name, provision)
	for _, stream := range jetstream.Streams(1) {
		for _, verb := range []string{"INFO", "CREATE", "UPDATE"} {
			only("$JS.API.STREAM."+verb+"."+stream.Name, provision)
		}
		for _, verb := range []string{"PURGE", "DELETE", "SNAPSHOT", "RESTORE"} {
			only("$JS.API.STREAM." + verb + "." + stream.Name)
		}
		switch stream.Name {
		case bus.StreamAudit, bus.StreamAdvisories:
			only("$JS.API.STREAM.MSG.DELETE." + stream.Name)
		default:
			only("$JS.API.STREAM.MSG.DELETE."+stream.Name, eraser)
		}
		only("$JS.API.STREAM.MSG.GET."+stream.Name, readsTraces(stream.Name)...)
		only("$JS.API.CONSUMER.CREATE." + stream.Name)
		if stream.Name == bus.StreamMemory {
			only("$JS.API.CONSUMER.CREATE."+stream.Name+".spy", provision)
			only("$JS.API.CONSUMER.NAMES."+stream.Name, provision)
			continue
		}
		only("$JS.API.CONSUMER.CREATE." + stream.Name + ".spy")
		only("$JS.API.CONSUMER.NAMES." + stream.Name)
	}
	only("$JS.API.DIRECT.GET."+bus.StreamMemory, relay, cli, eraser)
	only("$JS.API.DIRECT.GET."+bus.StreamIntake, relay, cli, eraser, "triage")
	only("$JS.API.DIRECT.GET."+bus.StreamSessions, relay, cli, eraser)
	only("$JS.API.DIRECT.GET."+bus.StreamDeadLetters, cli, eraser)
	only("$JS.API.DIRECT.GET."+bus.StreamAudit, relay, cli)
	only(bus.SubjectAuditHead+"default", relay) // a head of somebody else would hide the last one
	only("$JS.API.DIRECT.GET." + bus.StreamAdvisories)
	only("$JS.API.DIRECT.GET."+bus.StreamTraces, eraser)
	only("$JS.API.DIRECT.GET." + bus.StreamTraces + ".trace.agent.run-42")

	// Only the relay publishes events, from the outbox. Operators may publish dead
	// letters again.
	for _, subject := range []string{
		event.SubjectSessionIngested, event.SubjectProposalDecided, event.SubjectMemoryRecorded, event.SubjectMemoryArchived,
		event.SubjectSignalRecorded, event.SubjectConsolidationRequested, event.SubjectConsolidationPlanned,
		event.SubjectConsolidationCompleted,
		event.SubjectDigestTriage, event.SubjectDigestAnswered,
	} {
		only(subject, relay, cli)
	}
	// Provisioning moves messages that an older version has not processed.
	only(event.SubjectDigestDue, relay, cli, provision)
	only(event.SubjectForReviewer(event.SubjectDigestTriage, "default", "anna"), relay, cli, provision)
	only(event.SubjectForReviewer(event.SubjectDigestAnswered, "default", "anna"), relay, cli, provision)
	only(event.SubjectForReviewer(event.SubjectDigestAnswered, "default", "anna")+".json", relay, cli, provision)
	for subject, may := range map[string][]string{
		event.SubjectSessionCompleted: {relay, cli}, event.SubjectProposalCreated: {relay, cli, provision},
	} {
		only(subject, may...)
		only(subject+".agent", append(slices.Clone(may), publisher)...)
		only(subject+".agent.more", may...)
		only(subject+".someone", may...)
	}
	// A publisher stores traces under its own name only.
	only(event.SubjectTrace+".agent.run-42", cli, publisher)
	only(event.SubjectTrace+".someone.run-42", cli)
	only(event.SubjectTrace+".agent.run-42.more", cli)
	only(event.SubjectTrace+".run-42", cli)
	only(event.SubjectDigestReply, relay, cli, provision)
	only(event.SubjectDigestReply+".chat", relay, cli, provision, gateway)
	only(event.SubjectDigestReply+".agent", relay, cli, provision)

	only("winnow.outbox.wake", append(fleet.Names(), cli)...)
	for _, u := range shipped.Users() {
		only("_INBOX_" + u.Name + ".x.1")
	}
	for _, subject := range []string{
		"_INBOX.x", "$JS.API.INFO", "$JS.API.STREAM.NAMES", "$JS.API.STREAM.LIST", "$JS.API.STREAM.CREATE.OTHER",
		"$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.MEMORY.triage", "$SYS.REQ.SERVER.PING", "anything",
	} {
		only(subject)
	}
	return all
}

// readsTraces lists the users who may read messages of a stream by subject: the
// readers of sessions open their traces.
func readsTraces(stream string) []string {
	var readers []string
	for _, w := range fleet.All {
		if stream == bus.StreamTraces && w.Durable.Stream == bus.StreamSessions {
			readers = append(readers, w.Name)
		}
	}
	return readers
}

func toSubscribe() []probe {
	all := []probe{
		{"winnow.outbox.wake", []string{relay}},
		{jetstream.SubjectDecided, []string{cli}},
		{event.SubjectProposalDecided, nil},
		{event.SubjectDigestTriage, nil},
		{event.SubjectDigestTriage + ".>", nil},
		{event.SubjectForReviewer(event.SubjectDigestTriage, "default", "local") + ".json", nil},
		{event.SubjectDigestTriage + ".*.*.json", nil},
		{event.SubjectDigestAnswered + ".>", nil},
	}
	for _, u := range shipped.Users() {
		all = append(all, probe{"_INBOX_" + u.Name + ".>", []string{u.Name}})
	}
	for _, subject := range []string{
		">", "*.>", "memory.>", "memory.*.*", "session.>", "trace.>", "trace.agent.run-42", "winnow.>", "winnow.dlq.>", "_INBOX.>", "$JS.>", "$JS.ACK.>", "$JS.EVENT.>", "$SYS.>",
		event.SubjectMemoryRecorded, event.SubjectProposalCreated, event.SubjectDigestReply + ".chat",
	} {
		all = append(all, probe{subject, nil})
	}
	return all
}
