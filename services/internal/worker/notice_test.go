package worker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/internal/worker/workertest"
)

// board is a projection that counts the updates of each scope and their events. A
// scope's name selects how it fails.
type board struct {
	mu     sync.Mutex
	rounds map[string]int
	events map[string]int
	failed map[string]bool
}

func (b *board) Await(context.Context) (time.Duration, error) { return time.Minute, nil }

func (b *board) Topic(e worker.Event) (worker.Topic, error) {
	var m winnowv1.MemoryRecorded
	if err := event.Unmarshal(e.Envelope, &m); err != nil {
		return worker.Topic{}, err
	}
	if strings.Contains(m.GetScope(), "unreadable") {
		return worker.Topic{}, fmt.Errorf("scope %q", m.GetScope())
	}
	return worker.Topic{Tenant: e.Tenant, Name: m.GetScope()}, nil
}

func (b *board) Project(_ context.Context, topics []worker.TopicEvents) (map[int]error, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	failed := map[int]error{}
	for i, topic := range topics {
		switch {
		case strings.Contains(topic.Name, "panics"):
			panic("a bug of " + topic.Name)
		case strings.Contains(topic.Name, "never"):
			failed[i] = worker.Permanent("invalid", errors.New("never"))
			continue
		case strings.Contains(topic.Name, "later") && !b.failed[topic.Name]:
			b.failed[topic.Name] = true
			failed[i] = worker.Snooze(time.Millisecond, errors.New("not yet"))
			continue
		}
		b.rounds[topic.Name]++
		b.events[topic.Name] += len(topic.Events)
	}
	return failed, nil
}

func newBoard() (*board, worker.Definition) {
	b := &board{rounds: map[string]int{}, events: map[string]int{}, failed: map[string]bool{}}
	durable := bus.Durable{
		Stream: bus.StreamMemory, Name: "board", Filters: []string{event.SubjectMemoryRecorded},
		AckWait: time.Minute, MaxPending: 1000, MaxDeliver: -1,
	}
	return b, worker.Definition{
		Name: "board", Durable: durable,
		Notices: func(worker.Deps) ([]worker.Notice, error) {
			return []worker.Notice{{Durable: durable, Batch: 512, Projection: b}}, nil
		},
	}
}

// recordedIn returns n events about a scope, as the relay publishes them.
func recordedIn(t *testing.T, scope string, n int) []bus.Outgoing {
	t.Helper()
	var out []bus.Outgoing
	for i := range n {
		id := fmt.Sprintf("%s-%d", scope, i)
		header, data, err := event.Encode(&winnowv1.MemoryRecorded{Id: id, Scope: scope}, event.Options{Tenant: string(memory.DefaultTenant)})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, bus.Outgoing{ID: id, Subject: event.SubjectMemoryRecorded, Header: header, Data: data})
	}
	return out
}

// Events about one scope cause one update for each batch. The events of a scope that
// fails are redelivered without limit, and the other scopes are updated.
func TestNoticeCoalesces(t *testing.T) {
	t.Parallel()
	b, def := newBoard()
	bench := workertest.New(t, def)
	bench.Stop()
	seqs := bench.Publish(append(append(recordedIn(t, "project:a", 40), recordedIn(t, "project:b", 30)...), recordedIn(t, "project:later", 5)...)...)
	bench.Start()
	for _, fate := range bench.Await(seqs...) {
		if !fate.Acked {
			t.Errorf("message %d: %+v", fate.Sequence, fate)
		}
	}
	bench.Stop()
	for scope, events := range map[string]int{"project:a": 40, "project:b": 30, "project:later": 5} {
		if b.events[scope] != events {
			t.Errorf("%s was shown for %d events, want %d", scope, b.events[scope], events)
		}
	}
	// A fetch may end before all events arrived, so this is a bound.
	if n := b.rounds["project:a"]; n > 10 {
		t.Errorf("%d effects for 40 events of one scope", n)
	}
	if bench.Settled("retry") != 5 || bench.Settled("ok") != 75 {
		t.Errorf("%d retries and %d done, want 5 and 75", bench.Settled("retry"), bench.Settled("ok"))
	}
}

// An event that can never be projected becomes a dead letter alone: one that cannot be
// parsed, one that is refused, one that panics, one without a tenant.
func TestNoticeIsolatesThePoison(t *testing.T) {
	t.Parallel()
	b, def := newBoard()
	bench := workertest.New(t, def)
	var events []bus.Outgoing
	for _, scope := range []string{"project:a", "project:unreadable", "project:b", "project:panics", "project:c", "project:never", "project:d"} {
		events = append(events, recordedIn(t, scope, 2)...)
	}
	orphan := recordedIn(t, "project:orphan", 1)[0]
	orphan.Header = map[string][]string{"content-type": {event.ContentProtobuf}}
	bench.DeliverOnce(append(events, orphan)...)
	bench.Stop()
	classes := map[string]int{}
	for _, l := range bench.DeadLetters() {
		classes[l.Reason.Class]++
	}
	if want := map[string]int{"invalid": 4, "panic": 2, "principal": 1}; fmt.Sprint(classes) != fmt.Sprint(want) {
		t.Errorf("letters %v, want %v", classes, want)
	}
	for _, scope := range []string{"project:a", "project:b", "project:c", "project:d"} {
		// The halves without poison may have been projected before: the form's contract
		// allows that.
		if b.events[scope] < 2 {
			t.Errorf("%s was shown for %d events, want 2", scope, b.events[scope])
		}
	}
}
