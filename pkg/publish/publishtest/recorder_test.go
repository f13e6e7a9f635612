package publishtest_test

import (
	"errors"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/pkg/publish"
	"github.com/winnowhq/winnow/pkg/publish/publishtest"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

// A service's test fails on what would become a dead letter, however the
// message was made.
func TestRecorderReadsLikeTheFleet(t *testing.T) {
	t.Parallel()
	var bus publishtest.Recorder
	for data, want := range map[string]error{
		`{"text":"a\u0000"}`: event.ErrMalformed,
		`plain`:              event.ErrContentType,
	} {
		_, err := bus.PublishMsg(t.Context(), &nats.Msg{Subject: event.SubjectProposalCreated, Data: []byte(data)})
		if !errors.Is(err, want) {
			t.Errorf("%s: %v", data, err)
		}
	}
	ack, err := bus.PublishMsg(t.Context(), &nats.Msg{Subject: event.SubjectSessionCompleted, Data: []byte(`{"scope":"user:1"}`)})
	if err != nil || ack.Stream != "SESSIONS" || ack.Sequence != 1 {
		t.Errorf("%+v %v", ack, err)
	}
	if e := bus.Events(); len(e) != 1 || e[0].ID != "SESSIONS:1" || len(bus.Proposals()) != 0 {
		t.Errorf("%+v", e)
	}
}

func TestRecorderFails(t *testing.T) {
	t.Parallel()
	var bus publishtest.Recorder
	lost := errors.New("lost")
	bus.Fail(lost)
	c, err := publish.NewOn(&bus)
	if err != nil {
		t.Fatal(err)
	}
	p := &winnowv1.ProposalCreated{Scope: "user:1", Text: "a"}
	if _, err := c.Proposal(t.Context(), p); !errors.Is(err, lost) {
		t.Error(err)
	}
	bus.Fail(nil)
	if _, err := c.Proposal(t.Context(), p); err != nil || len(bus.Proposals()) != 1 {
		t.Error(err)
	}
}
