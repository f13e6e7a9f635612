package ingest_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/pkg/publish"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/ingest"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
)

// S4.1: the same trace under two event ids is one session in a scope, in whatever
// layout and with whatever secret; in another scope it is another.
func TestSameTraceIsOneSession(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, ingest.Definition)
	hello := func(secret string) string {
		return fmt.Sprintf(`{"role":"user","text":"password=%s","at":"2026-11-02T09:00:00Z"}`+"\n"+`{"role":"assistant","text":"Noted."}`, secret)
	}
	elsewhere := func(m *winnowv1.SessionCompleted) { m.Scope = "project:other" }
	for i, e := range []bus.Outgoing{
		finished("evt_1", "", hello("Winter2026staging"), scoped),
		finished("evt_2", "human", hello("Winter2026staging"), scoped),
		finished("evt_3", "", hello("Summer2027production"), scoped),
		finished("evt_4", "", `[{"role":"user","content":"password=Autumn2028preview"},{"role":"assistant","content":"Noted."}]`, scoped),
		finished("evt_5", "", hello("Winter2026staging"), elsewhere),
	} {
		if f := b.DeliverOnce(e)[0]; !f.Acked {
			t.Errorf("event %d: %+v", i+1, f)
		}
	}
	list := stored(t, b.Store())
	if len(list) != 2 || list[0].EventID != "evt_5" || list[1].EventID != "evt_1" {
		t.Errorf("sessions %+v", list)
	}
	if n := b.Counter("winnow_sessions_total", "duplicate"); n != 3 {
		t.Errorf("%d duplicates counted, want 3", n)
	}
	if n := len(ingested(t, b.Store())); n != 2 {
		t.Errorf("told of %d", n)
	}
}

// The same trace under many ids, at once, over two replicas: one session and one
// piece of news.
func TestSameTraceAtOnce(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, ingest.Definition)
	b.Replica()
	var events []bus.Outgoing
	for n := range 24 {
		events = append(events, finished(fmt.Sprintf("evt_%d", n), "", work, nil))
	}
	for _, f := range b.DeliverOnce(events...) {
		if !f.Acked {
			t.Errorf("%+v", f)
		}
	}
	one(t, b)
	if n := len(ingested(t, b.Store())); n != 1 {
		t.Errorf("told of %d", n)
	}
}

// A trace by reference is the one that the publisher laid down, whole, or none.
func TestTraceByReference(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, ingest.Definition)
	long := work + strings.Repeat(`{"role":"assistant","text":"`+strings.Repeat("one more step ", 100)+`"}`+"\n", 1500)
	client, err := publish.New(b.Bus().Conn(), publish.WithPrincipal("agent"))
	if err != nil {
		t.Fatal(err)
	}
	ref, err := client.Trace(t.Context(), bytes.NewReader([]byte(long)))
	if err != nil {
		t.Fatal(err)
	}
	by := func(change func(*winnowv1.TraceReference)) func(*winnowv1.SessionCompleted) {
		return func(m *winnowv1.SessionCompleted) {
			r := &winnowv1.TraceReference{Uri: ref.GetUri(), Size: ref.GetSize(), Sha256: ref.GetSha256()}
			change(r)
			m.Trace = &winnowv1.SessionCompleted_Reference{Reference: r}
		}
	}
	b.DeliverOnce(
		finished("evt_1", "agent", "", by(func(r *winnowv1.TraceReference) { r.Sha256 = make([]byte, 32) })),
		finished("evt_2", "agent", "", by(func(r *winnowv1.TraceReference) { r.Size-- })),
		finished("evt_3", "human", "", by(func(*winnowv1.TraceReference) {})),
	)
	classes := map[string]int{}
	for _, l := range b.DeadLetters() {
		classes[l.Reason.Class]++
	}
	if classes["trace_digest"] != 2 || classes["reference"] != 1 || len(stored(t, b.Store())) != 0 {
		t.Fatalf("letters %v", classes)
	}
	b.Deliver(finished("evt_4", "agent", "", by(func(*winnowv1.TraceReference) {})))
	if s := one(t, b); s.Turns != 1506 || s.Scope != "project:github.com/acme/api" {
		t.Errorf("%+v", s)
	}
}
