package ingest_test

import (
	"testing"

	"google.golang.org/protobuf/encoding/protojson"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
)

// work is an ordinary session of a coding agent, without an outcome.
const work = `{"id": "s-1", "agent": "builder", "remote": "git@github.com:Acme/API.git"}
{"role": "user", "text": "The build fails since yesterday, please repair it.", "at": "2026-11-02T09:00:00Z"}
{"role": "assistant", "tool": "Bash", "call": "1", "command": "go test ./..."}
{"role": "tool", "call": "1", "exit_code": 1, "text": "FAIL acme/api: missing go.sum entry"}
{"role": "assistant", "text": "The module file is out of date; I tidy it."}
{"role": "assistant", "tool": "Bash", "call": "2", "command": "go mod tidy && go test ./..."}
{"role": "tool", "call": "2", "exit_code": 0, "text": "ok acme/api", "at": "2026-11-02T09:10:00Z"}
`

// finished is a session as a service publishes it: JSON, no headers.
func finished(id, principal, trace string, change func(*winnowv1.SessionCompleted)) bus.Outgoing {
	msg := &winnowv1.SessionCompleted{Trace: &winnowv1.SessionCompleted_Inline{Inline: []byte(trace)}}
	if change != nil {
		change(msg)
	}
	data, err := protojson.Marshal(msg)
	if err != nil {
		panic(err)
	}
	subject := event.SubjectSessionCompleted
	if principal != "" {
		subject += "." + principal
	}
	return bus.Outgoing{ID: id, Subject: subject, Data: data}
}

// scoped puts a session into the scope that most tests use.
func scoped(msg *winnowv1.SessionCompleted) { msg.Scope = "project:shop" }

// stored are all sessions of the default tenant, the newest first.
func stored(t testing.TB, st store.Store) []memory.Session {
	t.Helper()
	list, err := st.Sessions(t.Context(), memory.DefaultTenant, store.SessionQuery{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// lines is what was kept of a session.
func lines(t testing.TB, st store.Store, id string) []transcript.Line {
	t.Helper()
	chunks, err := st.Trace(t.Context(), memory.DefaultTenant, id)
	if err != nil {
		t.Fatal(err)
	}
	all, err := transcript.Read(chunks)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// ingested are the news of sessions in the outbox.
func ingested(t testing.TB, st store.Store) []*winnowv1.SessionIngested {
	t.Helper()
	rows, err := st.Unpublished(t.Context(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	var out []*winnowv1.SessionIngested
	for _, row := range rows {
		if row.Subject != event.SubjectSessionIngested {
			continue
		}
		env, err := event.Parse(row.Subject, row.Header, row.Data, "none")
		if err != nil {
			t.Fatal(err)
		}
		msg := new(winnowv1.SessionIngested)
		if err := event.Unmarshal(env, msg); err != nil {
			t.Fatal(err)
		}
		out = append(out, msg)
	}
	return out
}

// one is the only session.
func one(t testing.TB, b *workertest.Bench) memory.Session {
	t.Helper()
	list := stored(t, b.Store())
	if len(list) != 1 {
		t.Fatalf("%d sessions, want one; letters %+v", len(list), b.DeadLetters())
	}
	return list[0]
}
