package relay_test

import (
	"testing"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/relay"
)

// Issue 11: the stream deduplicates by message id alone. Two events with one id and
// different principals are both published, because the message id contains the
// principal.
func TestOneIDOfTwoPrincipals(t *testing.T) {
	t.Parallel()
	proposals := bus.Durable{
		Stream: bus.StreamIntake, Name: "reader", Filters: []string{event.SubjectProposalCreated + ".>"},
		AckWait: reader.AckWait, MaxPending: 10, MaxDeliver: 5,
	}
	s := natstest.New(t, proposals, relay.Definition.Durable)
	r := &rig{t: t, store: pgtest.Open(t), bus: s, src: s.Source(t, proposals), waker: s.Publisher(t)}
	var set change.Set
	for _, who := range []string{"agent", "human"} {
		set.Events = append(set.Events, change.Event{
			ID: "1", Subject: event.SubjectProposalCreated + "." + who, Type: event.TypeFor(event.SubjectProposalCreated),
			Message: &winnowv1.ProposalCreated{Id: "1", Scope: "project:shop", Text: who},
		})
	}
	if _, err := r.store.Commit(t.Context(), memory.DefaultTenant, set, store.InboxKey{}); err != nil {
		t.Fatal(err)
	}
	r.start(nil)
	r.awaitMarked()
	if stored, _, err := r.src.Pending(t.Context()); err != nil || stored != 2 {
		t.Fatalf("the stream holds %d of 2 events, err %v", stored, err)
	}
	for _, id := range r.read(2) {
		if id != "1" {
			t.Errorf("event id %q, want the publisher's own", id)
		}
	}
}
