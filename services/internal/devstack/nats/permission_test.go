package nats_test

import (
	"encoding/json"
	"errors"
	"testing"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/services/internal/devstack"
	"github.com/winnowhq/winnow/services/internal/devstack/nats"
)

// secured is a server as winnow dev runs it, with the stream of the intake.
func secured(t *testing.T, users ...nats.User) *nats.Server {
	t.Helper()
	s := start(t, nats.Options{
		StoreDir:    t.TempDir(),
		Ephemeral:   true,
		Credentials: devstack.Credentials{User: devstack.ServiceUser, Password: "right"},
		Users:       users,
	})
	js := jetStream(t, s)
	for name, subject := range map[string]string{"SESSIONS": "session.>", "MEMORY": "memory.>"} {
		if _, err := js.CreateStream(patient(t), jetstream.StreamConfig{Name: name, Subjects: []string{subject}}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// client connects over loopback and hands over what the server refuses.
func client(t *testing.T, s *nats.Server, opts ...natsgo.Option) (*natsgo.Conn, <-chan error) {
	t.Helper()
	refused := make(chan error, 16)
	opts = append(opts, natsgo.Timeout(patience), natsgo.ErrorHandler(func(_ *natsgo.Conn, _ *natsgo.Subscription, err error) { refused <- err }))
	nc, err := natsgo.Connect(s.URL(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc, refused
}

// isRefused says what the server thinks of what nc just sent: its answer to a
// ping comes after the errors of everything before.
func isRefused(t *testing.T, nc *natsgo.Conn, refused <-chan error) bool {
	t.Helper()
	if err := nc.FlushTimeout(patience); err != nil {
		t.Fatal(err)
	}
	if nc.LastError() == nil {
		return false
	}
	err := <-refused
	if !errors.Is(err, natsgo.ErrPermissionViolation) {
		t.Fatalf("server said %v, want a permission violation", err)
	}
	return true
}

// A person with the plain nats command may watch and propose, and can pretend to
// be nobody else. D9: the principal is the token that permissions let through.
func TestGuestPublish(t *testing.T) {
	t.Parallel()
	s := secured(t)
	for subject, allowed := range map[string]bool{
		"session.completed":                true,
		"memory.proposal.created":          true,
		"memory.digest.reply":              true,
		"session.completed.someone":        false,
		"memory.proposal.created.someone":  false,
		"memory.digest.reply.someone":      false,
		"memory.proposal.decided":          false,
		"memory.recorded":                  false,
		"memory.digest.triage":             false,
		"winnow.dlq.triage":                false,
		"winnow.outbox.wake":               false,
		"$JS.API.INFO":                     false,
		"$JS.API.STREAM.CREATE.EVIL":       false,
		"$JS.API.STREAM.DELETE.MEMORY":     false,
		"$JS.API.STREAM.PURGE.MEMORY":      false,
		"$JS.API.STREAM.MSG.GET.MEMORY":    false,
		"$JS.API.DIRECT.GET.MEMORY":        false,
		"$JS.API.CONSUMER.CREATE.MEMORY":   false,
		"$JS.ACK.MEMORY.triage.1.1.1.1.0":  false,
		"$SYS.REQ.SERVER.PING":             false,
		"_INBOX_winnow.anything.at.all":    false,
		"memory.proposal.created.a.b.c.d.": false,
	} {
		t.Run(subject, func(t *testing.T) {
			t.Parallel()
			nc, refused := client(t, s)
			err := nc.Publish(subject, []byte("{}"))
			if errors.Is(err, natsgo.ErrBadSubject) {
				return // the client itself refuses it
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := !isRefused(t, nc, refused); got != allowed {
				t.Errorf("guest may publish: %v, want %v", got, allowed)
			}
		})
	}
}

func TestGuestSubscribe(t *testing.T) {
	t.Parallel()
	s := secured(t)
	for subject, allowed := range map[string]bool{
		"memory.>":           true,
		"memory.recorded":    true,
		"session.>":          true,
		"_INBOX.abc.>":       true,
		">":                  false,
		"winnow.>":           false,
		"_INBOX_winnow.>":    false,
		"$JS.EVENT.>":        false,
		"$JS.ACK.>":          false,
		"$SYS.>":             false,
		"*.>":                false,
		"*.proposal.created": false,
	} {
		t.Run(subject, func(t *testing.T) {
			t.Parallel()
			nc, refused := client(t, s)
			if _, err := nc.SubscribeSync(subject); err != nil {
				t.Fatal(err)
			}
			if got := !isRefused(t, nc, refused); got != allowed {
				t.Errorf("guest may subscribe: %v, want %v", got, allowed)
			}
		})
	}
}

// Both ways to publish reach the stream: fire and forget, and with an
// acknowledgement that the stream holds the message.
func TestGuestPublishReachesStream(t *testing.T) {
	t.Parallel()
	s := secured(t)
	nc, _ := client(t, s)
	if err := nc.Publish("memory.proposal.created", []byte(`{"text":"bare"}`)); err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	ack, err := js.Publish(patient(t), "memory.proposal.created", []byte(`{"text":"acknowledged"}`))
	if err != nil {
		t.Fatal(err)
	}
	if ack.Stream != "MEMORY" || ack.Sequence != 2 {
		t.Errorf("acknowledgement %+v, want the second message of MEMORY", ack)
	}
}

// The server acknowledges on the reply subject that the publisher chose, without
// looking at permissions. So a guest can make the server say "stored as number
// n" on any subject; what it must not get is words of its own there, or an
// effect. Consumers of memory.> therefore refuse bodies without required fields.
func TestGuestCannotAimReplies(t *testing.T) {
	t.Parallel()
	s := secured(t)
	js := jetStream(t, s)
	nc, _ := client(t, s)
	for _, reply := range []string{"$JS.API.STREAM.PURGE.MEMORY", "$JS.API.STREAM.DELETE.MEMORY", "memory.recorded"} {
		if err := nc.PublishRequest("memory.proposal.created", reply, []byte(`{"text":"guest"}`)); err != nil {
			t.Fatal(err)
		}
	}
	// An acknowledged message comes after what the three caused.
	guestJS, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := guestJS.Publish(patient(t), "memory.proposal.created", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(patient(t), "MEMORY")
	if err != nil {
		t.Fatal(err)
	}
	info, err := stream.Info(patient(t), jetstream.WithSubjectFilter("memory.>"))
	if err != nil {
		t.Fatal(err)
	}
	if info.State.FirstSeq != 1 || info.State.Subjects["memory.proposal.created"] != 4 {
		t.Errorf("stream state %+v, want four untouched proposals", info.State)
	}
	aimed, err := stream.GetLastMsgForSubject(patient(t), "memory.recorded")
	if err != nil {
		return // a later server may not send it at all
	}
	var ack jetstream.PubAck
	if err := json.Unmarshal(aimed.Data, &ack); err != nil || ack.Stream != "MEMORY" || len(aimed.Header) != 0 {
		t.Errorf("guest put %q on memory.recorded, want at most the server's acknowledgement", aimed.Data)
	}
}

// SPEC §4: a service gets what it needs; an empty list is nothing, not anything.
func TestUserPermissions(t *testing.T) {
	t.Parallel()
	s := secured(t, nats.User{Name: "relay", Password: "pw", Publish: []string{"memory.recorded"}})
	nc, refused := client(t, s, natsgo.UserInfo("relay", "pw"))
	if err := nc.Publish("memory.recorded", nil); err != nil {
		t.Fatal(err)
	}
	if isRefused(t, nc, refused) {
		t.Error("listed subject is refused")
	}
	if _, err := nc.SubscribeSync("memory.recorded"); err != nil {
		t.Fatal(err)
	}
	if !isRefused(t, nc, refused) {
		t.Error("subscribing is allowed though nothing is listed")
	}
}

// A wrong password is not a guest.
func TestWrongPassword(t *testing.T) {
	t.Parallel()
	s := secured(t)
	for _, user := range []string{devstack.ServiceUser, nats.GuestUser} {
		nc, err := natsgo.Connect(s.URL(), natsgo.UserInfo(user, "wrong"), natsgo.Timeout(patience))
		if !errors.Is(err, natsgo.ErrAuthorization) {
			t.Errorf("connect as %s: err %v, want an authorization error", user, err)
		}
		if nc != nil {
			nc.Close()
		}
	}
}
