package storetest

import (
	"testing"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// What an event says of itself proves nothing: the session was distilled into that
// many, or the record was committed, both for the same publisher.
func testOwnLessons(t *testing.T, s store.Store) {
	ctx := t.Context()
	drawn, waiting := session(scopeA, "run-1"), session(scopeA, "run-2")
	mustCommit(t, s, change.Set{Sessions: []memory.Session{drawn, waiting}})
	mustCommit(t, s, change.Set{SessionUpdates: []change.SessionUpdate{{ID: drawn.ID, State: memory.SessionDistilled, DistilledAt: now(), Extracted: 2}}})
	for _, key := range []store.InboxKey{
		{Consumer: store.RecordConsumer, Key: "agent/record-1"}, {Consumer: "triage", Key: "agent/record-2"},
	} {
		if _, err := s.Commit(ctx, tenant, change.Set{}, key); err != nil {
			t.Fatal(err)
		}
	}
	events := []store.LessonEvent{
		{ID: drawn.ID + "/1", Principal: "agent", Session: "run-1"}, // own
		{ID: drawn.ID + "/3", Principal: "agent", Session: "run-1"},
		{ID: drawn.ID + "/0", Principal: "agent", Session: "run-1"},
		{ID: drawn.ID + "/02", Principal: "agent", Session: "run-1"},
		{ID: drawn.ID + "/1", Principal: "human", Session: "run-1"},
		{ID: drawn.ID + "/1", Principal: "agent", Session: "run-2"},
		{ID: waiting.ID + "/1", Principal: "agent", Session: "run-2"},
		{ID: "agent/record-1", Principal: "agent", Session: "anything"}, // own
		{ID: "agent/record-1", Principal: "human"},
		{ID: "agent/record-2", Principal: "agent"},
		{ID: "evt_1", Principal: "agent"},
		{ID: drawn.ID + "/2", Principal: "agent", Session: "run-1"}, // own
	}
	same(t, []int{0, 7, 11})(s.OwnLessons(ctx, tenant, events))
	same(t, []int(nil))(s.OwnLessons(ctx, tenant, nil))
	if got, err := s.OwnLessons(ctx, other, events); err != nil || len(got) != 0 {
		t.Errorf("another tenant: %v, %v, want none", got, err)
	}
}
