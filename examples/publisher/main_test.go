package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/proto"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

// TestMain lets this binary stand in for the nats command: the script's test
// puts it on the PATH under that name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "nats" {
		if err := natsPub(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// patience is for what hangs, not a measure of speed.
const patience = time.Minute

// natsPub is `nats pub SUBJECT BODY`.
func natsPub(args []string) error {
	if len(args) != 3 || args[0] != "pub" {
		return fmt.Errorf("not nats pub SUBJECT BODY: %q", args)
	}
	nc, err := nats.Connect(os.Getenv("NATS_URL"), nats.UserInfo(os.Getenv("NATS_USER"), os.Getenv("NATS_PASSWORD")), nats.Timeout(patience))
	if err != nil {
		return err
	}
	defer nc.Close()
	if err := nc.Publish(args[1], []byte(args[2])); err != nil {
		return err
	}
	return nc.FlushTimeout(patience)
}

// serve runs a server with Winnow's two intake streams on which publisher-ci may
// publish as the principal ci and as nobody else.
func serve(t *testing.T) (url string, js jetstream.JetStream) {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true, AuthTimeout: patience.Seconds(),
		Users: []*server.User{
			{Username: "owner", Password: "owner"},
			{Username: "publisher-ci", Password: "secret", Permissions: &server.Permissions{
				Publish:   &server.SubjectPermission{Allow: []string{"session.completed.ci", "memory.proposal.created.ci"}},
				Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX_publisher-ci.>"}},
			}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(patience) {
		t.Fatal("the server does not start")
	}
	nc, err := nats.Connect(s.ClientURL(), nats.UserInfo("owner", "owner"), nats.Timeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	if js, err = jetstream.New(nc, jetstream.WithDefaultTimeout(patience)); err != nil {
		t.Fatal(err)
	}
	for name, subject := range map[string]string{"SESSIONS": "session.>", "MEMORY": "memory.>"} {
		if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: name, Subjects: []string{subject}}); err != nil {
			t.Fatal(err)
		}
	}
	return s.ClientURL(), js
}

// stored reads the first message of a stream as Winnow reads it. It waits for the
// message: what was published without asking for a confirmation may still be on
// its way.
func stored(t *testing.T, js jetstream.JetStream, stream string, into proto.Message) event.Envelope {
	t.Helper()
	reader, err := js.CreateConsumer(t.Context(), stream, jetstream.ConsumerConfig{AckPolicy: jetstream.AckNonePolicy})
	if err != nil {
		t.Fatal(err)
	}
	m, err := reader.Next(jetstream.FetchMaxWait(patience))
	if err != nil {
		t.Fatalf("%s is empty: %v", stream, err)
	}
	env, err := event.Parse(m.Subject(), m.Headers(), m.Data(), "")
	if err == nil {
		err = event.Unmarshal(env, into)
	}
	if err != nil {
		t.Fatalf("%s: Winnow would refuse it: %v", stream, err)
	}
	return env
}

// arrived checks what both examples publish.
func arrived(t *testing.T, js jetstream.JetStream, number string) {
	t.Helper()
	var session winnowv1.SessionCompleted
	if env := stored(t, js, "SESSIONS", &session); env.Principal != "ci" || env.ID != "example-session-"+number {
		t.Errorf("session %q of %q", env.ID, env.Principal)
	}
	if session.GetScope() != "project:shop" || session.GetOutcome() != "success" || !bytes.Contains(session.GetInline(), []byte("upload_test.go")) {
		t.Errorf("session %v", &session)
	}
	var proposal winnowv1.ProposalCreated
	if env := stored(t, js, "MEMORY", &proposal); env.Principal != "ci" || env.ID != "example-proposal-"+number {
		t.Errorf("proposal %q of %q", env.ID, env.Principal)
	}
	if proposal.GetScope() != "project:shop" || !strings.Contains(proposal.GetText(), "upload_test.go") {
		t.Errorf("proposal %v", &proposal)
	}
}

func TestGoExample(t *testing.T) {
	t.Parallel()
	url, js := serve(t)
	var out bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := run(ctx, url, "publisher-ci", "secret", &out); err != nil {
		t.Fatal(err)
	}
	arrived(t, js, "1")
	if !strings.Contains(out.String(), "proposal example-proposal-1 is number 1 of stream MEMORY") {
		t.Errorf("said %q", out.String())
	}
	if err := run(ctx, url, "", "", &out); err == nil {
		t.Error("a server with users let nobody publish")
	}
}

func TestScript(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh on the PATH")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "nats")); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	url, js := serve(t)
	cmd := exec.CommandContext(t.Context(), shell, "nats-cli.sh")
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		"NATS_URL="+url, "NATS_USER=publisher-ci", "NATS_PASSWORD=secret")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	arrived(t, js, "2")
}
