package jetstream_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
)

// deliver publishes one message and returns its delivery.
func deliver(t *testing.T, s *natstest.Server, out bus.Outgoing) bus.Message {
	t.Helper()
	if _, err := s.Publisher(t).Publish(t.Context(), []bus.Outgoing{out}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Source(t, triage()).Fetch(t.Context(), 1)
	if err != nil || len(got) != 1 {
		t.Fatalf("fetched %d, err %v", len(got), err)
	}
	return got[0]
}

// A letter stores the whole original once per consumer, with the reason.
func TestDeadLetterKeepsTheOriginal(t *testing.T) {
	t.Parallel()
	s := natstest.New(t, triage())
	d := s.DeadLetters(t)
	m := deliver(t, s, bus.Outgoing{
		ID: "m1", Subject: "memory.proposal.created.bot",
		Header: map[string][]string{"Ce-Type": {"memory.proposal.created.v7"}},
		Data:   []byte("{\x00}"),
	})
	reason := bus.Reason{Class: "version", Text: "a line\nand another"}
	for range 2 {
		if err := d.Put(t.Context(), "triage", m, reason); err != nil {
			t.Fatal(err)
		}
	}
	letters, err := d.List(t.Context(), 0, 10)
	if err != nil || len(letters) != 1 {
		t.Fatalf("%d letters, err %v", len(letters), err)
	}
	l := letters[0]
	if l.Consumer != "triage" || l.Reason.Class != "version" || l.Reason.Text != "a line and another" ||
		l.Subject != "memory.proposal.created.bot" || l.Stream != bus.StreamIntake || l.Sequence != 1 || l.Attempts != 1 ||
		string(l.Data) != "{\x00}" || l.Header["Ce-Type"][0] != "memory.proposal.created.v7" || l.Header["Nats-Msg-Id"][0] != "m1" {
		t.Errorf("letter %+v", l)
	}
	if _, err := d.Get(t.Context(), 99); !errors.Is(err, bus.ErrNoLetter) {
		t.Errorf("missing letter: %v, want ErrNoLetter", err)
	}
}

// A replay is a new message for the stream and the same event for the inbox, for every
// source of the event's id.
func TestReplayKeepsTheEventID(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		out  bus.Outgoing
		want string
	}{
		"ce-id":      {bus.Outgoing{Subject: "memory.proposal.created", Header: map[string][]string{"CE-ID": {"a%20b"}}, Data: []byte("{}")}, "a b"},
		"message id": {bus.Outgoing{ID: "50% ok", Subject: "memory.proposal.created", Data: []byte("{}")}, "50% ok"},
		"payload":    {bus.Outgoing{Subject: "memory.proposal.created", Data: []byte(`{"id":"p1"}`)}, "p1"},
		"place":      {bus.Outgoing{Subject: "memory.proposal.created", Data: []byte(`{"`)}, ""}, // follows from the first delivery
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := natstest.New(t, triage())
			d := s.DeadLetters(t)
			m := deliver(t, s, c.out)
			if c.want == "" {
				c.want = bus.FallbackID(bus.StreamIntake, 1, m.Meta().Stored)
			}
			if err := d.Put(t.Context(), "triage", m, bus.Reason{Class: "malformed"}); err != nil {
				t.Fatal(err)
			}
			if err := m.Ack(t.Context()); err != nil {
				t.Fatal(err)
			}
			if seq, err := d.Replay(t.Context(), 1); err != nil || seq != 2 {
				t.Fatalf("replay: sequence %d, err %v", seq, err)
			}
			got, err := s.Source(t, triage()).Fetch(t.Context(), 10)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range got {
				if r.Meta().Sequence != 2 {
					continue
				}
				env, _ := event.Parse(r.Subject(), r.Header(), r.Data(), "fallback")
				if env.ID != c.want || string(r.Data()) != string(c.out.Data) {
					t.Errorf("id %q, want %q; data %q", env.ID, c.want, r.Data())
				}
				return
			}
			t.Fatal("the replay was not delivered")
		})
	}
}

// A letter that would exceed the maximum payload leaves its body in the stream and is
// complete when it is read.
func TestDeadLetterOfALargeMessage(t *testing.T) {
	t.Parallel()
	s := natstest.New(t, triage())
	d := s.DeadLetters(t)
	body := strings.Repeat("x", 1<<20-100)
	m := deliver(t, s, bus.Outgoing{ID: "big", Subject: "memory.proposal.created", Data: []byte(body)})
	if err := d.Put(t.Context(), "triage", m, bus.Reason{Class: "too_large", Text: "1 MB"}); err != nil {
		t.Fatal(err)
	}
	l, err := d.Get(t.Context(), 1)
	if err != nil || string(l.Data) != body {
		t.Fatalf("%d bytes, err %v", len(l.Data), err)
	}
}

// A letter that a worker could not write is written once from the server's advisory. The
// worker's own letter takes precedence.
func TestRescueFromAdvisory(t *testing.T) {
	t.Parallel()
	advisories := bus.Durable{Stream: bus.StreamAdvisories, Name: "relay", Filters: []string{">"}, AckWait: time.Minute, MaxPending: 64, MaxDeliver: -1}
	s := natstest.New(t, triage(), advisories)
	d := s.DeadLetters(t)
	own := deliver(t, s, bus.Outgoing{ID: "1", Subject: "memory.proposal.created", Data: []byte("one")})
	if err := d.Put(t.Context(), "triage", own, bus.Reason{Class: "malformed", Text: "own words"}); err != nil {
		t.Fatal(err)
	}
	if err := own.Terminate("malformed: own words"); err != nil {
		t.Fatal(err)
	}
	if err := deliver(t, s, bus.Outgoing{ID: "2", Subject: "memory.proposal.created", Data: []byte("two")}).Terminate("poison: by hand"); err != nil {
		t.Fatal(err)
	}
	notes := s.Source(t, advisories)
	for seen := 0; seen < 2; {
		got, err := notes.Fetch(t.Context(), 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range got {
			if err := d.Rescue(t.Context(), n.Subject(), n.Data()); err != nil {
				t.Fatal(err)
			}
		}
		seen += len(got)
	}
	letters, err := d.List(t.Context(), 0, 10)
	if err != nil || len(letters) != 2 {
		t.Fatalf("%d letters, err %v", len(letters), err)
	}
	if letters[0].Reason.Text != "own words" || letters[1].Reason.Class != "poison" || string(letters[1].Data) != "two" {
		t.Errorf("letters %+v", letters)
	}
}

// Fifty letters are listed by as many requests as one, complete and in order.
func TestListingAsksOnce(t *testing.T) {
	t.Parallel()
	s := natstest.New(t, triage())
	d, err := jetstream.NewDeadLetters(s.Conn())
	if err != nil {
		t.Fatal(err)
	}
	asked := map[int]uint64{}
	for _, n := range []int{1, 50, 600} {
		have, err := d.List(t.Context(), 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for row := len(have); row < n; row++ {
			m := bus.Outgoing{Subject: "memory.recorded", Data: []byte(fmt.Sprint(row))}
			if err := d.PutRefused(t.Context(), "relay", int64(row), time.Unix(1, 0), m, bus.Reason{Class: "subject"}); err != nil {
				t.Fatal(err)
			}
		}
		before := s.Conn().Stats().OutMsgs
		list, err := d.List(t.Context(), 0, 1000)
		if err != nil || len(list) != n {
			t.Fatalf("%d of %d letters, %v", len(list), n, err)
		}
		asked[n] = s.Conn().Stats().OutMsgs - before
		for i, l := range list {
			if string(l.Data) != fmt.Sprint(i) || l.Sequence != uint64(i) {
				t.Fatalf("letter %d is of row %d: %q", i, l.Sequence, l.Data)
			}
		}
	}
	if asked[50] != asked[1] || asked[600] != 3*asked[1] {
		t.Errorf("messages sent by the number of letters: %v", asked)
	}
	if some, err := d.List(t.Context(), 10, 5); err != nil || len(some) != 5 || some[0].Seq != 11 {
		t.Errorf("a page: %d letters, %v", len(some), err)
	}
	if none, err := d.List(t.Context(), 600, 5); err != nil || len(none) != 0 {
		t.Errorf("after the last: %d letters, %v", len(none), err)
	}
}
