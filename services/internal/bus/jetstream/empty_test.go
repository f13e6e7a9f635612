package jetstream_test

import (
	"testing"

	natsjs "github.com/nats-io/nats.go/jetstream"

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
