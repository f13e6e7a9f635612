package chaos

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/test/proposaltest"
)

// asAttacker makes this binary a publisher that attacks the server at this address.
const asAttacker = "WINNOW_CHAOS_ATTACK"

// attackers are the users that do, with the subjects that each may publish on.
var attackers = map[string][]string{
	"publisher-agent": {
		event.SubjectProposalCreated + ".agent", event.SubjectSessionCompleted + ".agent", event.SubjectTrace + ".agent.run-1",
	},
	"gateway-" + gateway: {
		event.SubjectDigestReply + "." + gateway,
		"$JS.API.CONSUMER.MSG.NEXT.MEMORY.gateway-" + gateway, "$JS.API.CONSUMER.INFO.MEMORY.gateway-" + gateway,
		"$JS.ACK.MEMORY.gateway-" + gateway + ".1.1.1.1.0",
	},
}

// attack logs in as each attacker and publishes on each of its subjects with every
// reply that would delete, purge or unmake, in each form that the server answers
// with an empty message. It returns once the server has taken everything.
func attack(url string) error {
	for user, subjects := range attackers {
		nc, err := nats.Connect(url, nats.UserInfo(user, password(user)), nats.CustomInboxPrefix(jetstream.InboxPrefix(user)),
			nats.Timeout(waitTimeout), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
		if err != nil {
			return fmt.Errorf("log in as %s: %w", user, err)
		}
		for _, to := range subjects {
			for _, reply := range deadly() {
				err = errors.Join(err, publishDeadly(nc, to, reply))
			}
		}
		err = errors.Join(err, nc.FlushTimeout(waitTimeout))
		nc.Close()
		if err != nil {
			return fmt.Errorf("attack as %s: %w", user, err)
		}
	}
	return nil
}

// deadly are the requests that take something away, for every stream and durable.
func deadly() []string {
	const api = "$JS.API."
	var all []string
	for _, s := range jetstream.Streams(1) {
		for _, verb := range []string{"STREAM.DELETE.", "STREAM.PURGE.", "STREAM.MSG.DELETE.", "STREAM.UPDATE."} {
			all = append(all, api+verb+s.Name)
		}
	}
	for _, w := range access.Workers {
		for _, d := range w.Durables() {
			for _, verb := range []string{"DELETE.", "PAUSE.", "RESET."} {
				all = append(all, api+"CONSUMER."+verb+d.Stream+"."+d.Name)
			}
		}
	}
	return append(all, api+"CONSUMER.DELETE.MEMORY.gateway-"+gateway)
}

func publishDeadly(nc *nats.Conn, to, reply string) error {
	if strings.HasPrefix(to, "$JS.API.CONSUMER.MSG.NEXT.") {
		// A durable hands out one message for each pull, and no more than MaxPending.
		return nc.PublishRequest(to, reply, []byte(`{"batch":1,"no_wait":true}`))
	}
	id := nuid.Next()
	batch := func(seq, commit string) nats.Header {
		h := nats.Header{"Nats-Batch-Id": {id}, "Nats-Batch-Sequence": {seq}}
		if commit != "" {
			h["Nats-Batch-Commit"] = []string{commit}
		}
		return h
	}
	for _, m := range []*nats.Msg{
		{},
		{Data: []byte(`{"batch":1,"no_wait":true}`)},
		{Data: []byte(`{"seq":1}`)},
		// The first message of an atomic batch is answered with nothing.
		{Header: batch("1", ""), Data: []byte(`{}`)},
		{Header: batch("2", "1"), Data: []byte(`{}`)},
	} {
		m.Subject, m.Reply = to, reply
		if err := nc.PublishMsg(m); err != nil {
			return err
		}
	}
	return nil
}

// A publisher and a gateway, in a process of their own, send everything that they
// may with the requests to delete, purge and unmake as the reply subjects, while
// the fleet works. No stream and no consumer changes, no message is gone, and the
// fleet goes on.
func TestNoReplyUnmakesAnything(t *testing.T) {
	f := newFleet(t)
	for _, name := range []string{"ingest", "triage", "relay", "digest", "distill", "index"} {
		var settings []string
		if name == "index" {
			settings = []string{"WINNOW_VAULT_DIR=" + t.TempDir()}
		}
		f.run(name, name, "", settings...)
	}
	week := proposaltest.Week(11, 60, 3)
	f.publishAll(week[:20])
	f.awaitDecided(20)
	// Empty messages for the gateway to pull, one for each reply.
	for range deadly() {
		if _, err := f.js.Publish(t.Context(), event.SubjectForReviewer(event.SubjectDigestTriage, string(memory.DefaultTenant), reviewer), nil); err != nil {
			t.Fatal(err)
		}
	}
	before := f.look()

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), asAttacker+"="+f.natsURL())
	attacking := make(chan error, 1)
	go func() {
		out, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, out)
		}
		attacking <- err
	}()
	f.publishAll(week[20:40])
	if err := <-attacking; err != nil {
		t.Fatal(err)
	}
	f.publishAll(week[40:])
	f.awaitDecided(len(week))
	eventually(t, waitTimeout, "the fleet goes on", func() (bool, string) {
		n := f.count(`select count(*) from outbox where published_at is null`)
		return n == 0, fmt.Sprintf("%d in the outbox", n)
	})
	if n := f.stored(event.SubjectProposalDecided); n < len(week) {
		t.Errorf("%d verdicts were published, want at least %d", n, len(week))
	}
	before.compare(t, f.look())
}

// unmade is what may not change: streams and durables as they were made, and where
// their messages begin.
type unmade map[string]any

func (f *fleet) look() unmade {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), waitTimeout)
	defer cancel()
	now := unmade{}
	for _, s := range jetstream.Streams(1) {
		stream, err := f.js.Stream(ctx, s.Name)
		if err != nil {
			f.t.Errorf("stream %s: %v", s.Name, err)
			continue
		}
		info := stream.CachedInfo()
		now[s.Name] = []any{info.Config, info.Created, max(info.State.FirstSeq, 1), info.State.NumDeleted}
		list := stream.ListConsumers(ctx)
		for c := range list.Info() {
			now[s.Name+" "+c.Name] = []any{c.Config, c.Created, c.Paused}
		}
		if err := list.Err(); err != nil {
			f.t.Errorf("durables of %s: %v", s.Name, err)
		}
	}
	names := f.js.StreamNames(ctx)
	for name := range names.Name() {
		if _, ok := now[name]; !ok {
			f.t.Errorf("there is a stream %s", name)
		}
	}
	return now
}

func (before unmade) compare(t *testing.T, after unmade) {
	t.Helper()
	if a, b := slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)); !slices.Equal(a, b) {
		t.Errorf("streams and durables are %v, before %v", b, a)
	}
	for name := range before {
		if !reflect.DeepEqual(before[name], after[name]) {
			t.Errorf("%s is %+v, before %+v", name, after[name], before[name])
		}
	}
}
