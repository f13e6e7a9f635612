package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/digest"
	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/ops"
	"github.com/winnowhq/winnow/services/run"
)

// asGateway makes this binary the example itself.
const asGateway = "EXAMPLE_GATEWAY"

func TestMain(m *testing.M) {
	if os.Getenv(asGateway) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// patience is for what hangs, not a measure of speed.
const patience = 5 * time.Minute

// installation is a winnow dev with what a person does in it.
type installation struct {
	*testing.T
	dev     *run.Dev
	session *run.Session
	ops     *ops.Ops
}

func start(t *testing.T) *installation {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cfg := run.DefaultConfig()
	cfg.StartTimeout = patience
	digest.Settings.Change(&cfg.Workers, func(c *digest.Config) { c.Schedule = "0 0 31 2 *" }) // no Monday's digest comes in between
	dev, err := run.StartDev(ctx, cfg, run.DevOptions{Ephemeral: true}, zap.NewNop(), fleet.All...)
	if run.ExitCode(err) == run.ExitDependency && !strings.Contains(os.Getenv("WINNOW_REQUIRE"), "postgres") {
		t.Skipf("winnow dev does not start here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	s, err := run.Open(ctx, dev.Config, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return &installation{t, dev, s, &ops.Ops{
		Store: s.Store, DeadLetters: s.DeadLetters, Redactor: s.Redactor, Tenant: s.Tenant, Person: s.Person,
		Digest: digest.Asking(s.Config.Workers), Now: s.Now, NewID: s.NewID,
	}}
}

// propose publishes texts as an agent and waits for the verdicts.
func (i *installation) propose(ctx context.Context, texts ...string) {
	i.Helper()
	decisions, err := i.session.Decisions(ctx)
	if err != nil {
		i.Fatal(err)
	}
	var list []*winnowv1.ProposalCreated
	open := map[string]bool{}
	for n, text := range texts {
		id := fmt.Sprint("proposal-", n)
		open[id] = true
		list = append(list, &winnowv1.ProposalCreated{Id: id, Scope: "project:shop", Text: text})
	}
	if _, err := i.session.Publish(ctx, "", list, nil); err != nil {
		i.Fatal(err)
	}
	// A verdict may be told more than once.
	for len(open) > 0 {
		d := <-decisions
		if d.GetVerdict() != "needs_review" {
			i.Fatalf("%v: a person should be asked", d)
		}
		delete(open, d.GetEventId())
	}
}

// gateway runs the example until the test ends: what it prints, line by line,
// and what is typed into it.
func (i *installation) gateway(ctx context.Context) (typed io.Writer, printed *bufio.Scanner) {
	i.Helper()
	address, err := os.ReadFile(i.dev.GatewayFile)
	if err != nil {
		i.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		i.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), asGateway+"=1", "WINNOW_GATEWAY_URL="+strings.TrimSpace(string(address)))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		i.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		i.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		i.Fatal(err)
	}
	i.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return in, bufio.NewScanner(out)
}

// until reads lines up to one that has a text in it.
func until(t *testing.T, printed *bufio.Scanner, text string) string {
	t.Helper()
	for printed.Scan() {
		if strings.Contains(printed.Text(), text) {
			return printed.Text()
		}
	}
	t.Fatalf("the gateway ended before it said %q: %v", text, printed.Err())
	return ""
}

// The digest was sent while no gateway was there. The one that starts later has
// it, with no right but a gateway's, and what is typed is decided (S3.26, D8).
func TestDigestIsDeliveredAndAnswered(t *testing.T) {
	t.Parallel()
	i := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	i.propose(ctx, "Handlers in `api/` should return problem+json.", "Always run `make lint` before you push to `main`.")
	page, made, err := i.ops.SendDigest(ctx, i.session.Person)
	if err != nil || !made || len(page.Items) != 2 {
		t.Fatalf("digest made %v with %d questions, %v", made, len(page.Items), err)
	}

	typed, printed := i.gateway(ctx)
	until(t, printed, page.Code)
	say := func(line string) {
		if _, err := fmt.Fprintln(typed, line); err != nil {
			t.Fatal(err)
		}
	}
	say("perhaps the first one")
	until(t, printed, "Nothing was done")
	say("ok except 2n")
	until(t, printed, "Done: 1 promoted; 2 rejected")
	if left, err := i.ops.Waiting(ctx, "", 0); err != nil || len(left) != 0 {
		t.Errorf("%d left after the answer, %v", len(left), err)
	}
	stored, err := i.ops.Memories(ctx, "project:shop", false, 0)
	if err != nil || len(stored) != 1 || !strings.HasPrefix(stored[0].Text, "Handlers") {
		t.Errorf("stored %v, %v", stored, err)
	}
	page, err = i.ops.DigestOfSlot(ctx, i.session.Person, page.Slot)
	if err != nil || len(page.Replies) != 2 || page.Replies[1].Principal != "gateway" || !page.Replies[1].Applied {
		t.Errorf("replies on record: %+v, %v", page.Replies, err)
	}
	i.isAcknowledged(ctx)

	// What is answered elsewhere stands in the chat, too.
	if done, err := i.ops.Reply(ctx, "undo"); err != nil || !done.Applied {
		t.Fatalf("undo: %+v, %v", done, err)
	}
	until(t, printed, "Taken back: 2")
}

// isAcknowledged waits until the server knows that the digest, the first message,
// has arrived, which it was told before the replies, and checks that it was not
// sent twice.
func (i *installation) isAcknowledged(ctx context.Context) {
	i.Helper()
	cfg := i.dev.Config.NATS
	nc, err := nats.Connect(cfg.URL, nats.UserInfo(cfg.User, cfg.Password), nats.Timeout(patience))
	if err != nil {
		i.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		i.Fatal(err)
	}
	durable, err := js.Consumer(ctx, "MEMORY", "gateway-gateway")
	if err != nil {
		i.Fatal(err)
	}
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for ; ; <-look.C {
		info, err := durable.Info(ctx)
		if err != nil {
			i.Fatalf("not acknowledged: %v", err)
		}
		if info.NumRedelivered != 0 {
			i.Errorf("%d delivered again", info.NumRedelivered)
		}
		if info.AckFloor.Consumer >= 1 {
			return
		}
	}
}

// An address without a user is nobody, who may not read the durable.
func TestAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "nats://127.0.0.1:4222", "://"} {
		err := serve(t.Context(), address, strings.NewReader(""), io.Discard)
		if err == nil || !strings.Contains(err.Error(), "WINNOW_GATEWAY_URL") {
			t.Errorf("%q: %v", address, err)
		}
	}
}
