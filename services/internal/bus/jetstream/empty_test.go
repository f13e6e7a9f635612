package jetstream_test

import (
	"testing"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
)

// An empty message, which any publisher may send, ends a pull at the server. The messages
// after it are still fetched, each by its own request, and none is delivered twice.
func TestEmptyMessagesDoNotSwallowOthers(t *testing.T) {
	t.Parallel()
	s := natstest.New(t, triage())
	js, err := natsjs.New(s.Conn())
	if err != nil {
		t.Fatal(err)
	}
	say := func(bodies ...string) {
		for _, body := range bodies {
			if _, err := js.Publish(t.Context(), "memory.proposal.created", []byte(body)); err != nil {
				t.Fatal(err)
			}
		}
	}
	src := s.Source(t, triage())
	say("")
	first, err := src.Fetch(t.Context(), 20)
	if err != nil || len(first) != 1 {
		t.Fatalf("fetched %d, err %v", len(first), err)
	}
	// The first came alone. From now on the source pulls one by one.
	say("")
	if again, err := src.Fetch(t.Context(), 20); err != nil || len(again) != 1 {
		t.Fatalf("fetched %d, err %v", len(again), err)
	}
	say("a", "", "b", "", "c")
	var got []string
	for len(got) < 5 {
		some, err := src.Fetch(t.Context(), 20)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range some {
			if m.Meta().Delivered != 1 {
				t.Errorf("%q is delivered for the %d. time", m.Data(), m.Meta().Delivered)
			}
			got = append(got, string(m.Data()))
		}
	}
}

// An empty message that a waiting source gets tells it as much as one that was
// there: the next pull of many does not lose what comes after another.
func TestEmptyMessageThatIsWaitedFor(t *testing.T) {
	t.Parallel()
	s := natstest.New(t, triage())
	js, err := natsjs.New(s.Conn())
	if err != nil {
		t.Fatal(err)
	}
	say := func(bodies ...string) {
		for _, body := range bodies {
			if _, err := js.Publish(t.Context(), "memory.proposal.created", []byte(body)); err != nil {
				t.Fatal(err)
			}
		}
	}
	src := s.Source(t, triage())
	type fetched struct {
		messages []bus.Message
		err      error
	}
	first := make(chan fetched)
	go func() {
		messages, err := src.Fetch(t.Context(), 20)
		first <- fetched{messages, err}
	}()
	for waiting := 0; waiting == 0; {
		c, err := js.Consumer(t.Context(), triage().Stream, triage().Name)
		if err != nil {
			t.Fatal(err)
		}
		waiting = c.CachedInfo().NumWaiting
	}
	say("")
	if got := <-first; got.err != nil || len(got.messages) != 1 {
		t.Fatalf("fetched %d, err %v", len(got.messages), got.err)
	}
	say("a", "", "b", "", "c")
	for n := 0; n < 5; {
		some, err := src.Fetch(t.Context(), 20)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range some {
			if m.Meta().Delivered != 1 {
				t.Errorf("%q is delivered for the %d. time", m.Data(), m.Meta().Delivered)
			}
		}
		n += len(some)
	}
}
