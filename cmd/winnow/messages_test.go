package main

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/run"
)

// patience bounds waits that end by a message; it is for what hangs.
const patience = 5 * time.Minute

// wire is a script's own connection to the instance's bus.
type wire struct {
	nc       *nats.Conn
	verdicts *nats.Subscription
}

type wireKey struct{}

// connect gives the script a connection that receives every verdict that is
// published from now on.
func connect(env *testscript.Env) error {
	cfg := run.DefaultConfig()
	cfg.StateDir = instance.Dir
	cfg, _, err := run.Locate(cfg)
	if err != nil {
		return err
	}
	nc, err := nats.Connect(cfg.NATS.URL, nats.UserInfo(cfg.NATS.User, cfg.NATS.Password), nats.Timeout(patience))
	if err != nil {
		return err
	}
	env.Defer(nc.Close)
	// For commands that shall not find the instance by its folder.
	env.Setenv("NATS_URL", cfg.NATS.URL)
	env.Setenv("NATS_USER", cfg.NATS.User)
	env.Setenv("NATS_PASSWORD", cfg.NATS.Password)
	w := &wire{nc: nc}
	if w.verdicts, err = nc.SubscribeSync(event.SubjectProposalDecided); err != nil {
		return err
	}
	env.Values[wireKey{}] = w
	return nc.FlushTimeout(patience)
}

// awaitVerdict waits for a verdict whose message has a text in it, and sets a variable
// to the id of the event. Each verdict is returned once:
//
//	awaitverdict ID project:shop
func awaitVerdict(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: awaitverdict VARIABLE text")
	}
	w := ts.Value(wireKey{}).(*wire)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		m, err := w.verdicts.NextMsgWithContext(ctx)
		ts.Check(err)
		if bytes.Contains(m.Data, []byte(args[1])) {
			ts.Setenv(args[0], m.Header.Get("ce-id"))
			return
		}
	}
}

// letter waits for a dead letter whose original has a text in it, and sets a
// variable to its sequence number:
//
//	letter SEQ project:shop
func letter(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: letter VARIABLE text")
	}
	w := ts.Value(wireKey{}).(*wire)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	js, err := jetstream.New(w.nc, jetstream.WithDefaultTimeout(patience))
	ts.Check(err)
	letters, err := js.OrderedConsumer(ctx, "DLQ", jetstream.OrderedConsumerConfig{})
	ts.Check(err)
	for ctx.Err() == nil {
		m, err := letters.Next(jetstream.FetchMaxWait(patience))
		if errors.Is(err, nats.ErrTimeout) {
			continue
		}
		ts.Check(err)
		if !bytes.Contains(m.Data(), []byte(args[1])) {
			continue
		}
		at, err := m.Metadata()
		ts.Check(err)
		ts.Setenv(args[0], strconv.FormatUint(at.Sequence.Stream, 10))
		return
	}
	ts.Fatalf("no dead letter has %q in it", args[1])
}
