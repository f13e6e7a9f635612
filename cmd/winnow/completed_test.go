package main

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/winnowhq/winnow/pkg/event"
)

// completed waits for a session that a principal published and that has a text
// in it, and checks that all messages about the session are one event. The stream
// stores a repeat, because it forgets message ids at once; the inbox knows the
// event's id and drops the repeat:
//
//	completed local session-1
func completed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: completed principal text")
	}
	w := ts.Value(wireKey{}).(*wire)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	js, err := jetstream.New(w.nc, jetstream.WithDefaultTimeout(patience))
	ts.Check(err)
	sessions, err := js.OrderedConsumer(ctx, "SESSIONS", jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{event.SubjectSessionCompleted + "." + args[0]},
	})
	ts.Check(err)
	found := map[string]bool{} // by event id
	for left := uint64(1); left > 0; {
		m, err := sessions.Next(jetstream.FetchMaxWait(patience))
		ts.Check(err)
		at, err := m.Metadata()
		ts.Check(err)
		if left = at.NumPending; bytes.Contains(m.Data(), []byte(args[1])) {
			env, err := event.Parse(m.Subject(), m.Headers(), m.Data(), "")
			ts.Check(err)
			found[env.ID] = true
		}
	}
	if len(found) != 1 {
		ts.Fatalf("%d events of %s have %q in them, want 1", len(found), args[0], args[1])
	}
}

// expand puts variables into files, which otherwise know nothing of where the
// script runs:
//
//	expand transcript.jsonl
func expand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: expand file…")
	}
	for _, name := range args {
		text := os.Expand(ts.ReadFile(name), ts.Getenv)
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
	}
}

// repeat has the second line of a file stand there many times:
//
//	repeat trace.jsonl 30000
func repeat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: repeat file times")
	}
	times, err := strconv.Atoi(args[1])
	ts.Check(err)
	lines := strings.SplitAfterN(ts.ReadFile(args[0]), "\n", 3)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(lines[0]+strings.Repeat(lines[1], times)+lines[2]), 0o600))
}
