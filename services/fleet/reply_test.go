package fleet_test

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// A reply subject is a publish by the server, with the server's rights. A request
// with $JS.API.STREAM.DELETE.MEMORY as its reply subject makes the server's answer a
// request. Every user tries every subject that it may publish on, in every way that
// causes an empty answer or an answer with chosen content, with every subject of the
// JetStream API as the reply. No stream and no consumer may change, and no message
// may be stored that the user may not publish.
func TestNoReplyReachesAStream(t *testing.T) {
	replies := apiSubjects()
	t.Logf("%d replies", len(replies)+len(others))
	// The storage type has no influence on the permissions.
	s := guarded(t, func(o *server.Options) { o.SyncAlways, o.JetStreamKey, o.JetStreamCipher = false, "", server.NoCipher })
	admin := provisioned(t, s)
	before := look(t, s, admin)
	for _, u := range shipped.Users() {
		if u.Name == provision {
			continue
		}
		t.Run(u.Name, func(t *testing.T) {
			nc := loggedIn(t, s, u.Name)
			batched := map[string]bool{} // a batch allocates a store: one for each stream
			for _, to := range u.Publish {
				if to = literal(to); to == "winnow.outbox.wake" {
					continue // would need a relay that answers
				}
				if u.Name == eraser && strings.HasPrefix(to, "$JS.API.STREAM.MSG.DELETE.") {
					continue // may delete a message by asking for it
				}
				stream := streamOf(to)
				for _, reply := range append(replies, others...) {
					attack(t, nc, to, reply, stream != "" && !batched[stream])
				}
				batched[stream] = true
				// A stream processes its messages in order.
				if !strings.HasPrefix(to, "$JS.ACK.") {
					if _, err := nc.Request(to, []byte(`{"batch":1,"no_wait":true}`), patience); err != nil {
						t.Errorf("%s is not answered: %v", to, err)
					}
				}
			}
			if err := nc.FlushTimeout(patience); err != nil {
				t.Fatal(err)
			}
			after := look(t, s, admin)
			before.compare(t, after, u.Publish)
			before = after
		})
	}
}

// others are subjects outside the API that must not receive an answer caused by a
// user who may not publish there.
var others = []string{
	"memory.proposal.created.human", "memory.recorded", "memory.digest.reply.human", "memory.digest.triage", "memory.digest.triage.default.anna",
	"session.completed.other", "trace.other.run-1", "winnow.dlq.other", "winnow.decided", "winnow.audit.head.default", "$JS.EVENT.ADVISORY.CONSUMER.MSG_TERMINATED.MEMORY.x",
}

// attack publishes on a subject with a reply, in each way known to make the server
// answer with an empty or a stored message.
func attack(t *testing.T, nc *nats.Conn, to, reply string, batches bool) {
	t.Helper()
	id := nuid.Next()
	batch := func(seq string, more ...string) nats.Header {
		h := nats.Header{"Nats-Batch-Id": {id}, "Nats-Batch-Sequence": {seq}}
		if len(more) > 0 {
			h["Nats-Batch-Commit"] = more
		}
		return h
	}
	for i, m := range []*nats.Msg{
		{Reply: reply},
		{Reply: reply, Data: []byte(`{"batch":3,"no_wait":true}`)},
		{Reply: reply, Data: []byte(`{"batch":1,"expires":1000000}`)},
		{Reply: reply, Data: []byte(`{"seq":1}`)},
		// The server answers the first message of an atomic batch with nothing. The
		// second message ends the batch; a stream accepts fifty open batches.
		{Reply: reply, Header: batch("1"), Data: []byte(`{}`)},
		{Header: batch("2", "1"), Data: []byte(`{}`)},
	} {
		if i >= 4 && !batches {
			break
		}
		m.Subject = to
		if err := nc.PublishMsg(m); err != nil {
			t.Fatal(err)
		}
	}
}

// apiSubjects returns the subjects of the JetStream API that the server serves, for
// every existing stream and durable and for one that does not exist.
func apiSubjects() []string {
	all := []string{"INFO", "STREAM.NAMES", "STREAM.LIST", "STREAM.CREATE.EVIL", "STREAM.RESTORE.EVIL", "ACCOUNT.PURGE.WINNOW",
		"ACCOUNT.STREAM.MOVE.WINNOW.MEMORY", "ACCOUNT.STREAM.CANCEL_MOVE.WINNOW.MEMORY", "META.LEADER.STEPDOWN", "META.RESCUE", "SERVER.REMOVE", "SERVER.EVACUATE"}
	names := []string{bus.StreamDeadLetters, bus.StreamAdvisories, bus.StreamAudit, bus.StreamIntake, bus.StreamMemory, bus.StreamSessions, bus.StreamTraces}
	for _, d := range topology().Durables {
		if !slices.Contains(names, d.Stream) {
			names = append(names, d.Stream)
		}
		at := d.Stream + "." + d.Name
		for _, verb := range []string{"CREATE", "DURABLE.CREATE", "INFO", "MSG.NEXT", "PAUSE", "RESET", "UNPIN", "LEADER.STEPDOWN",
			"PEER.REMOVE", "PEER.EVACUATE", "DELETE"} {
			all = append(all, "CONSUMER."+verb+"."+at)
		}
	}
	for _, name := range names {
		for _, verb := range []string{"CONSUMER.CREATE", "CONSUMER.NAMES", "CONSUMER.LIST", "STREAM.CREATE", "STREAM.UPDATE", "STREAM.INFO",
			"STREAM.MSG.GET", "DIRECT.GET", "STREAM.SNAPSHOT", "STREAM.RESTORE", "STREAM.PEER.REMOVE", "STREAM.PEER.EVACUATE",
			"STREAM.CANCEL_MOVE", "STREAM.LEADER.STEPDOWN",
			"STREAM.MSG.DELETE", "STREAM.PURGE", "STREAM.DELETE"} {
			all = append(all, verb+"."+name)
		}
	}
	for i := range all {
		all[i] = "$JS.API." + all[i]
	}
	return all
}

// literal returns a subject that matches a permission's pattern.
func literal(pattern string) string {
	return strings.NewReplacer("*", "x", ">", "x").Replace(pattern)
}

// provisioned creates the streams and durables as winnow provision does. Each stream
// that a user may pull or read gets a few messages: empty ones, and ones that are
// requests to create, purge and delete.
func provisioned(t *testing.T, s *server.Server) natsjs.JetStream {
	t.Helper()
	nc := loggedIn(t, s, provision)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := jetstream.Provision(ctx, nc, topology()); err != nil {
		t.Fatal(err)
	}
	fill := func(user string, subjects ...string) {
		js, err := natsjs.New(loggedIn(t, s, user))
		if err != nil {
			t.Fatal(err)
		}
		for _, subject := range subjects {
			for _, body := range []string{"", "{}", `{"name":"EVIL","subjects":["evil.>"]}`, `{"no_erase":false,"seq":1}`} {
				if _, err := js.Publish(ctx, subject, []byte(body)); err != nil {
					t.Fatalf("publish on %s as %s: %v", subject, user, err)
				}
			}
		}
	}
	fill(publisher, "session.completed.agent", "memory.proposal.created.agent", "trace.agent.run-1")
	fill(gateway, "memory.digest.reply.chat")
	fill(relay, "memory.recorded", "memory.session.ingested", "memory.digest.due", "memory.digest.triage.default.anna", "winnow.dlq.triage", "winnow.audit.head.default")
	js, err := natsjs.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

func loggedIn(t *testing.T, s *server.Server, user string) *nats.Conn {
	t.Helper()
	cfg := settings(s, user).NATS
	nc, err := nats.Connect(cfg.URL, nats.UserInfo(cfg.User, cfg.Password), nats.Timeout(patience),
		nats.CustomInboxPrefix(jetstream.InboxPrefix(user)), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		t.Fatalf("log in as %s: %v", user, err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// state is a server's state, as its monitoring reports it.
type state struct {
	streams   map[string]*server.StreamConfig
	first     map[string]uint64 // first sequence number by stream
	gone      map[string]uint64 // deleted messages, by stream
	consumers map[string]*server.ConsumerConfig
	subjects  map[string]uint64 // messages by subject
}

func look(t *testing.T, s *server.Server, admin natsjs.JetStream) state {
	t.Helper()
	now := state{map[string]*server.StreamConfig{}, map[string]uint64{}, map[string]uint64{}, map[string]*server.ConsumerConfig{}, map[string]uint64{}}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	// The API processes requests in order, so earlier requests are complete when this
	// one is answered.
	for _, name := range slices.Sorted(maps.Keys(streamNames())) {
		stream, err := admin.Stream(ctx, name)
		if err != nil {
			t.Fatalf("stream %s: %v", name, err)
		}
		info, err := stream.Info(ctx, natsjs.WithSubjectFilter(">"))
		if err != nil {
			t.Fatalf("stream %s: %v", name, err)
		}
		for subject, n := range info.State.Subjects {
			now.subjects[subject] += n
		}
	}
	all, err := s.Jsz(&server.JSzOptions{Accounts: true, Streams: true, Consumer: true, Config: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all.AccountDetails {
		for _, st := range a.Streams {
			name := a.Name + "/" + st.Name
			now.streams[name], now.first[name] = st.Config, st.State.FirstSeq
			now.gone[name] = st.State.LastSeq - st.State.FirstSeq + 1 - st.State.Msgs
			for _, c := range st.Consumer {
				now.consumers[name+"/"+c.Name] = c.Config
			}
		}
	}
	return now
}

// compare fails for every difference except messages on subjects that the user may
// publish on.
func (before state) compare(t *testing.T, after state, may []string) {
	t.Helper()
	same := func(what string, a, b any) {
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s:\n%+v\nbefore:\n%+v", what, b, a)
		}
	}
	same("streams", slices.Sorted(maps.Keys(before.streams)), slices.Sorted(maps.Keys(after.streams)))
	same("consumers", slices.Sorted(maps.Keys(before.consumers)), slices.Sorted(maps.Keys(after.consumers)))
	for name := range before.streams {
		same("stream "+name, before.streams[name], after.streams[name])
	}
	for name := range before.consumers {
		same("consumer "+name, before.consumers[name], after.consumers[name])
	}
	same("first sequence numbers", before.first, after.first)
	same("removed messages", before.gone, after.gone)
	for subject, n := range after.subjects {
		if n != before.subjects[subject] && !slices.ContainsFunc(may, func(p string) bool { return server.SubjectsCollide(p, subject) }) {
			t.Errorf("%d messages on %s, before %d", n, subject, before.subjects[subject])
		}
	}
}

// streamOf returns the stream that stores a subject, empty for none.
func streamOf(subject string) string {
	for _, s := range jetstream.Streams(1) {
		if slices.ContainsFunc(s.Subjects, func(p string) bool { return server.SubjectsCollide(p, subject) }) {
			return s.Name
		}
	}
	return ""
}

func streamNames() map[string]bool {
	names := map[string]bool{}
	for _, s := range jetstream.Streams(1) {
		names[s.Name] = true
	}
	return names
}

// topology returns that of the shipped fleet.
func topology() jetstream.Topology {
	t := jetstream.Topology{Replicas: 1}
	for _, d := range shipped.Workers {
		t.Durables = append(t.Durables, d.Durables()...)
	}
	t.Durables = append(t.Durables, jetstream.Gateway(memory.Principal{Tenant: "default", ID: "chat", SpeaksFor: []string{"*"}}))
	return t
}
