package publish_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"google.golang.org/protobuf/proto"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/pkg/publish"
	"github.com/winnowhq/winnow/pkg/publish/publishtest"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

func open(t *testing.T, w publish.Wire, opts ...publish.Option) *publish.Client {
	t.Helper()
	c, err := publish.NewOn(w, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func proposal(id string) *winnowv1.ProposalCreated {
	return &winnowv1.ProposalCreated{Id: id, Scope: "project:shop", Text: "Prices are stored in cents."}
}

// Over the protocol, in both encodings: the worker reads what the service said.
func TestPublishOverTheWire(t *testing.T) {
	t.Parallel()
	for _, opts := range [][]publish.Option{{}, {publish.WithJSON()}} {
		s, nc := serve(t, stored)
		trace := func(context.Context) (string, string) { return traceparent, "k=v" }
		c, err := publish.New(nc, append(opts, publish.WithPrincipal("ci-bot"), publish.WithSource("ci 1"), publish.WithTrace(trace))...)
		if err != nil {
			t.Fatal(err)
		}
		want := proposal("")
		receipt, err := c.Proposal(t.Context(), want)
		if err != nil {
			t.Fatal(err)
		}
		if receipt.Stream != "MEMORY" || receipt.Sequence != 1 || receipt.Duplicate || receipt.EventID == "" {
			t.Errorf("receipt %+v", receipt)
		}
		if want.GetId() != "" {
			t.Error("the caller's message was changed")
		}
		msgs := s.received()
		if len(msgs) != 1 || msgs[0].subject != "memory.proposal.created.ci-bot" {
			t.Fatalf("received %v", msgs)
		}
		env, err := event.Parse(msgs[0].subject, msgs[0].header, msgs[0].data, "MEMORY:1")
		if err != nil {
			t.Fatal(err)
		}
		var got winnowv1.ProposalCreated
		if err := event.Unmarshal(env, &got); err != nil {
			t.Fatal(err)
		}
		if env.ID != receipt.EventID || env.Principal != "ci-bot" || env.Source != "ci 1" || env.Traceparent != traceparent || env.Time.IsZero() || !proto.Equal(&got, want) {
			t.Errorf("envelope %+v payload %v", env, &got)
		}
	}
}

func TestEveryKindGoesToItsSubject(t *testing.T) {
	t.Parallel()
	var bus publishtest.Recorder
	c := open(t, &bus, publish.WithPrincipal("gw"))
	if _, err := c.SessionCompleted(t.Context(), &winnowv1.SessionCompleted{Scope: "project:shop"}); err != nil {
		t.Error(err)
	}
	if _, err := c.DigestReply(t.Context(), &winnowv1.DigestReply{Code: "k7p2", Text: "ok"}); err != nil {
		t.Error(err)
	}
	events := bus.Events()
	if len(events) != 2 || events[0].Subject != event.SubjectSessionCompleted || events[1].Subject != event.SubjectDigestReply || events[1].Principal != "gw" {
		t.Errorf("%+v", events)
	}
}

// The same id counts once, and only for the one who used it: another
// principal's "1" is another event.
func TestTheSameIDCountsOncePerPrincipal(t *testing.T) {
	t.Parallel()
	var bus publishtest.Recorder
	a, b := open(t, &bus, publish.WithPrincipal("a")), open(t, &bus, publish.WithPrincipal("b"))
	for _, step := range []struct {
		client    *publish.Client
		duplicate bool
		seq       uint64
	}{{a, false, 1}, {a, true, 1}, {b, false, 2}, {a, true, 1}} {
		r, err := step.client.Proposal(t.Context(), proposal("1"))
		if err != nil || r.Duplicate != step.duplicate || r.Sequence != step.seq || r.EventID != "1" {
			t.Errorf("%+v %v, want duplicate %v at %d", r, err, step.duplicate, step.seq)
		}
	}
	if n := len(bus.Proposals()); n != 2 {
		t.Errorf("%d stored", n)
	}
}

// A publisher on a bus where nothing is set up learns which command is missing.
func TestNoStreamNamesTheCommand(t *testing.T) {
	t.Parallel()
	_, nc := serve(t, func(string, int) string { return "" })
	c, err := publish.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Proposal(t.Context(), proposal("1"))
	if !errors.Is(err, publish.ErrNoStream) || !strings.Contains(err.Error(), "winnow provision") || r.EventID != "1" {
		t.Errorf("%+v %v", r, err)
	}
	results, err := c.Batch(t.Context(), []*winnowv1.ProposalCreated{proposal("1"), proposal("2")})
	if !errors.Is(err, publish.ErrNoStream) || len(results) != 2 || results[1].EventID != "2" || results[1].Err == nil {
		t.Errorf("%+v %v", results, err)
	}
}

// A stream that refuses says so in its own words.
func TestTheStreamsOwnErrorIsPassedOn(t *testing.T) {
	t.Parallel()
	_, nc := serve(t, func(string, int) string {
		return `{"error":{"code":503,"err_code":10077,"description":"maximum messages exceeded"}}`
	})
	c, err := publish.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Proposal(t.Context(), proposal("1")); err == nil || !strings.Contains(err.Error(), "maximum messages exceeded") {
		t.Error(err)
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cause, want error
		says        string
	}{
		{context.DeadlineExceeded, publish.ErrUnconfirmed, "same id"},
		{context.Canceled, publish.ErrUnconfirmed, "same id"},
		{nats.ErrTimeout, publish.ErrUnconfirmed, "may publish there"},
		{nats.ErrMaxPayload, event.ErrTooLarge, "max_payload"},
		{nats.ErrConnectionClosed, nats.ErrConnectionClosed, "memory.proposal.created"},
	} {
		var bus publishtest.Recorder
		bus.Fail(c.cause)
		r, err := open(t, &bus).Proposal(t.Context(), proposal("1"))
		if !errors.Is(err, c.want) || !errors.Is(err, c.cause) || !strings.Contains(err.Error(), c.says) || r.EventID != "1" {
			t.Errorf("%v: %+v %v", c.cause, r, err)
		}
	}
}

// What the fleet would refuse never leaves.
func TestRefusedBeforeSending(t *testing.T) {
	t.Parallel()
	var bus publishtest.Recorder
	c := open(t, &bus)
	bad := proposal("1")
	bad.Text = "a\x00b"
	if _, err := c.Proposal(t.Context(), bad); !errors.Is(err, event.ErrMalformed) {
		t.Error(err)
	}
	big := proposal("1")
	big.Text = strings.Repeat("a", event.MaxPayload)
	if _, err := c.Proposal(t.Context(), big); !errors.Is(err, event.ErrTooLarge) {
		t.Error(err)
	}
	if n := len(bus.Events()); n != 0 {
		t.Errorf("%d sent", n)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	for _, opt := range []publish.Option{publish.WithPrincipal("a.b"), publish.WithPrincipal(""), publish.WithInFlight(0)} {
		if _, err := publish.NewOn(&publishtest.Recorder{}, opt); err == nil {
			t.Error("accepted")
		}
	}
}

func TestNewIDsAreULIDsInOrderOfTime(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$`)
	seen := map[string]bool{}
	for range 1000 {
		id := publish.NewID()
		if !form.MatchString(id) || seen[id] {
			t.Fatalf("%q", id)
		}
		seen[id] = true
	}
	earlier := publish.NewIDAt(time.UnixMilli(1_770_000_000_000))
	later := publish.NewIDAt(time.UnixMilli(1_770_000_000_001))
	if earlier >= later || earlier[:14] != "evt_01KGE3H900" {
		t.Errorf("%s, %s", earlier, later)
	}
}
