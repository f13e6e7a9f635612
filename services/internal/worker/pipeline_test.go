package worker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
)

// Every event is delivered twice and takes effect once; the second delivery is a
// duplicate and no failure. Promise 1 of SPEC §16.
func TestRedeliveryIsHarmless(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, notes())
	for _, fate := range b.Deliver(many(200, "note")...) {
		if !fate.Acked {
			t.Errorf("message %d was not acknowledged: %s", fate.Sequence, fate.Reason)
		}
	}
	assertOnce(t, b, 200)
	if ok, dup := b.Settled("ok"), b.Settled("duplicate"); ok != 200 || dup != 200 {
		t.Errorf("metrics count %d ok and %d duplicates, want 200 and 200", ok, dup)
	}
}

// assertOnce checks that each of n events took effect exactly once.
func assertOnce(t *testing.T, b *workertest.Bench, n int) {
	t.Helper()
	seen := make(map[string]int)
	for _, p := range b.Proposals(memory.DefaultTenant) {
		seen[p.EventID]++
	}
	if len(seen) != n {
		t.Errorf("%d events took effect, want %d", len(seen), n)
	}
	for id, times := range seen {
		if times != 1 {
			t.Errorf("event %s took effect %d times", id, times)
		}
	}
}

// One bad event among 64 ends as a dead letter, for each kind of bad event, and the 63
// others take effect.
func TestHalvingIsolatesThePoison(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, class string }{
		{"permanent", "bug"},
		{"panic", "panic"},
		{"refused by the store", "invalid"},
	} {
		t.Run(c.class, func(t *testing.T) {
			t.Parallel()
			b := workertest.New(t, notes())
			events := many(64, "note")
			events[37] = proposal("bad", c.text)
			fates := b.DeliverOnce(events...)
			for i, fate := range fates {
				if fate.Acked != (i != 37) {
					t.Errorf("event %d: %+v", i, fate)
				}
			}
			assertOnce(t, b, 63)
			letters := b.DeadLetters()
			if len(letters) != 1 || letters[0].Reason.Class != c.class || letters[0].Consumer != "notes" {
				t.Fatalf("letters: %+v", letters)
			}
		})
	}
}

// An event with an unclassified error is retried, and becomes a dead letter before the
// server gives up on it. The delays are real, so the limit is two.
func TestUnknownErrorIsExhausted(t *testing.T) {
	t.Parallel()
	def := notes()
	def.Durable.MaxDeliver = 2
	b := workertest.New(t, def)
	fates := b.DeliverOnce(proposal("a", "fine"), proposal("b", "unknown"))
	if !fates[0].Acked || fates[1].Acked {
		t.Fatalf("fates: %+v", fates)
	}
	if l := b.DeadLetters(); len(l) != 1 || l[0].Reason.Class != "exhausted" || !strings.Contains(l[0].Reason.Text, "a bug that shows") {
		t.Errorf("letters: %+v", l)
	}
}

// An event that a plan snoozes is redelivered, and the rest of its batch is decided.
func TestOneEventIsPutOff(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, notes())
	events := many(8, "note")
	events[3] = proposal("evt_late", "comes later")
	for i, fate := range b.DeliverOnce(events...) {
		if !fate.Acked {
			t.Errorf("event %d: %+v", i, fate)
		}
	}
	assertOnce(t, b, 8)
	if retries, letters := b.Settled("retry"), b.Settled("dlq"); retries != 1 || letters != 0 {
		t.Errorf("%d events came back and %d are dead letters, want one and none", retries, letters)
	}
}

// A snoozed event is redelivered, and nothing is lost.
func TestSnooze(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, notes())
	fates := b.DeliverOnce(proposal("a", "snooze"))
	if !fates[0].Acked || fates[0].Deliveries != 2 {
		t.Errorf("fate: %+v", fates[0])
	}
	assertOnce(t, b, 1)
}

// A batch with a conflict is decided again at once, without another delivery.
func TestConflictIsDecidedAnew(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, notes())
	for _, fate := range b.DeliverOnce(proposal("a", "fine"), proposal("b", "conflict")) {
		if !fate.Acked || fate.Deliveries != 1 {
			t.Errorf("fate: %+v", fate)
		}
	}
	assertOnce(t, b, 2)
}

// Bad input becomes a dead letter with a reason, is counted, and can be replayed;
// nothing of it takes effect (issue: bad input).
func TestBadInput(t *testing.T) {
	t.Parallel()
	const created = event.SubjectProposalCreated
	json := func(text string) []byte { return fmt.Appendf(nil, `{"scope":"project:shop","text":%q}`, text) }
	protobuf := map[string][]string{"ce-datacontenttype": {"application/protobuf"}}
	cases := map[string]struct {
		out   bus.Outgoing
		class string
	}{
		"malformed json":      {bus.Outgoing{Subject: created, Data: []byte(`{"scope":`)}, "malformed"},
		"malformed protobuf":  {bus.Outgoing{Subject: created, Header: protobuf, Data: []byte("\xff\xff\xff")}, "malformed"},
		"neither":             {bus.Outgoing{Subject: created, Data: []byte("hello")}, "content_type"},
		"empty text":          {bus.Outgoing{Subject: created, Data: json(" ")}, "invalid"},
		"1 MB":                {bus.Outgoing{Subject: created, Data: json(strings.Repeat("x", 1<<20-2000))}, "too_large"},
		"unknown version":     {bus.Outgoing{Subject: created, Header: map[string][]string{"ce-type": {created + ".v9"}}, Data: json("v9")}, "version"},
		"invalid UTF-8":       {bus.Outgoing{Subject: created, Data: []byte("{\"scope\":\"project:shop\",\"text\":\"\xff\"}")}, "malformed"},
		"NUL":                 {bus.Outgoing{Subject: created, Data: []byte(`{"scope":"project:shop","text":"a\u0000b"}`)}, "malformed"},
		"too many tokens":     {bus.Outgoing{Subject: created + ".a.b", Data: json("tokens")}, "subject"},
		"no such principal":   {bus.Outgoing{Subject: created + ".nobody", Data: json("who")}, "principal"},
		"unreadable scope":    {bus.Outgoing{Subject: created, Data: []byte(`{"scope":"shop","text":"a"}`)}, "invalid"},
		"other content type":  {bus.Outgoing{Subject: created, Header: map[string][]string{"Content-Type": {"text/xml"}}, Data: []byte("<a/>")}, "content_type"},
		"unreadable ce-time":  {bus.Outgoing{Subject: created, Header: map[string][]string{"ce-time": {"noon"}}, Data: json("time")}, "malformed"},
		"control in event id": {bus.Outgoing{Subject: created, Header: map[string][]string{"ce-id": {"a%0Ab"}}, Data: json("id")}, "malformed"},
	}
	b := workertest.New(t, notes())
	wants := make(map[uint64]string)
	for name, c := range cases {
		c.out.ID = "bad/" + name
		fate := b.DeliverOnce(c.out)[0]
		if fate.Acked {
			t.Errorf("%s: acknowledged", name)
		}
		wants[fate.Sequence] = c.class
	}
	letters := b.DeadLetters()
	if len(letters) != len(cases) || b.Settled("dlq") != len(cases) {
		t.Fatalf("%d letters, %d counted, want %d", len(letters), b.Settled("dlq"), len(cases))
	}
	for _, l := range letters {
		if want := wants[l.Sequence]; l.Reason.Class != want || l.Reason.Text == "" {
			t.Errorf("letter about %d: class %q, want %q; %s", l.Sequence, l.Reason.Class, want, l.Reason.Text)
		}
	}
	if rows := b.Proposals(memory.DefaultTenant); len(rows) != 0 {
		t.Errorf("%d rows were written", len(rows))
	}
	// Nothing has changed, so a replay ends as another letter about the same
	// event.
	if fate := b.Replay(letters[0]); fate.Acked || len(b.DeadLetters()) != len(cases)+1 {
		t.Errorf("replay: %+v, %d letters", fate, len(b.DeadLetters()))
	}
}

// In strict mode an event without a principal is refused.
func TestStrictModeRefusesTheUnnamed(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, notes(), func(d *worker.Deps) { d.DefaultPrincipal = "" })
	if fate := b.DeliverOnce(proposal("a", "who?"))[0]; fate.Acked {
		t.Errorf("fate: %+v", fate)
	}
	if l := b.DeadLetters(); len(l) != 1 || l[0].Reason.Class != "principal" {
		t.Errorf("letters: %+v", l)
	}
	named := proposal("b", "me")
	named.Subject += ".human"
	if fate := b.DeliverOnce(named)[0]; !fate.Acked {
		t.Errorf("fate: %+v", fate)
	}
	if rows := b.Proposals(memory.DefaultTenant); len(rows) != 1 || rows[0].Principal != "human" {
		t.Errorf("rows: %+v", rows)
	}
}

// A letter whose cause was removed takes effect once when it is replayed.
func TestReplayTakesEffect(t *testing.T) {
	t.Parallel()
	b := workertest.New(t, notes(), func(d *worker.Deps) { d.DefaultPrincipal = "" })
	b.DeliverOnce(proposal("a", "who?"))
	letter := b.DeadLetters()[0]
	b.Stop()
	b.SetDefaultPrincipal("agent")
	b.Start()
	for range 2 {
		if fate := b.Replay(letter); !fate.Acked {
			t.Fatalf("fate: %+v", fate)
		}
	}
	assertOnce(t, b, 1)
}
