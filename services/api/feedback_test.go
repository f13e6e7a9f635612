package api_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// learnt is the output of memory_feedback and memory_outcome.
type learnt struct {
	Success, Recorded bool
	NewConfidence     float64 `json:"new_confidence"`
	Message           string
}

// S4.5–S4.7, S4.28, S4.32: an agent searches, says that the second memory helped and the
// first one misled; the confidences move, the stored rows with them, and the next
// search has the other order.
func TestSearchOrderFollowsFeedback(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.remember("default",
		memory.Memory{Kind: memory.KindStrategy, Title: "Retries", Text: "Retry the payment gateway after two seconds when it answers 503.", Outcome: "success"},
		memory.Memory{Kind: memory.KindStrategy, Title: "Retries", Text: "Retry the payment gateway after nine seconds when it answers 503.", Outcome: "success"},
		memory.Memory{Kind: memory.KindStrategy, Title: "Invoices", Text: "The invoice template is in templates/invoice.html.", Outcome: "success"},
	)
	a := b.agent("")
	ask := map[string]any{"query": "payment gateway answers 503", "project": "shop"}
	var before, after answer
	a.call("memory_search", ask, &before)
	if len(before.Memories) < 2 || !slices.Contains(ids[:2], before.Memories[0].ID) || !slices.Contains(ids[:2], before.Memories[1].ID) {
		t.Fatalf("found %v", before.ids())
	}
	first, second := before.Memories[0].ID, before.Memories[1].ID

	var up, down, outcome learnt
	a.call("memory_feedback", map[string]any{"memory_id": second, "helpful": true, "session_id": "s1"}, &up)
	a.call("memory_feedback", map[string]any{"memory_id": first, "helpful": false, "session_id": "s1", "comment": "it made the outage worse"}, &down)
	a.call("memory_outcome", map[string]any{"memory_id": first, "succeeded": false, "session_id": "s1"}, &outcome)
	// 0.8 with k = 2 is Beta(1.6, 0.4), and the first weights are 0.4118 and 0.2941.
	near := func(name string, got, want float64) {
		if math.Abs(got-want) > 1e-3 {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	near("helpful", up.NewConfidence, (1.6+0.4118)/2.4118)
	near("misleading", down.NewConfidence, 1.6/2.4118)
	near("and then the task failed", outcome.NewConfidence, 1.6/2.7059)
	if !up.Success || !outcome.Recorded || up.Message != "Feedback recorded" || outcome.Message != "Outcome recorded" {
		t.Errorf("answers %+v, %+v", up, outcome)
	}
	a.call("memory_search", ask, &after)
	if got := after.ids(); len(got) < 2 || got[0] != second {
		t.Errorf("order %+v, was %+v", after.Memories, before.Memories)
	}
	for _, m := range after.Memories[:2] {
		want := up.NewConfidence
		if m.ID == first {
			want = outcome.NewConfidence
		}
		near("shown", m.Confidence, want)
	}

	// What was said is stored with the principal and never with a secret.
	list, err := b.store.Signals(t.Context(), "default", store.SignalQuery{Memories: ids})
	if err != nil || len(list) != 3 || list[1].Note != "it made the outage worse" || list[1].Principal == "" || list[1].SessionID != "s1" {
		t.Errorf("signals %+v, %v", list, err)
	}
}

// S4.5 as an attacker: however often one agent says "helpful: false", in however many
// sessions, it cannot halve a confidence, and it fills no table. (Package confidence
// has the test with ten thousand times over months.)
func TestOneAgentCannotSinkAMemory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.remember(acme, memory.Memory{Kind: memory.KindStrategy, Text: "Deploy the shop with blue and green sets."})[0]
	a := b.agent(acmeKey)
	var last learnt
	const attempts = 200
	for i := range attempts {
		tool, arguments := "memory_feedback", map[string]any{"memory_id": id, "helpful": false, "session_id": fmt.Sprint("s", i)}
		if i%2 == 1 {
			tool, arguments = "memory_outcome", map[string]any{"memory_id": id, "succeeded": false, "session_id": fmt.Sprint("s", i)}
		}
		a.call(tool, arguments, &last)
	}
	if last.NewConfidence < 0.4 || last.NewConfidence > 0.8 {
		t.Errorf("confidence %v after %d attempts, want at least half of 0.8", last.NewConfidence, attempts)
	}
	list, err := b.store.Signals(t.Context(), acme, store.SignalQuery{Memories: []string{id}, Limit: attempts})
	if err != nil || len(list) > 10 {
		t.Errorf("%d signals are stored, %v", len(list), err)
	}
}

// A repeat in a session, a memory of another tenant, an archived and an unknown one
// change nothing; the error says what to do.
func TestFeedbackThatCountsForNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine := b.remember("default", memory.Memory{Text: "The shop listens on port 8080."})[0]
	theirs := b.remember(acme, memory.Memory{Text: "Acme's shop listens on port 9090."})[0]
	a := b.agent("")
	var once, again learnt
	arguments := map[string]any{"memory_id": mine, "helpful": true, "session_id": "s1"}
	a.call("memory_feedback", arguments, &once)
	a.call("memory_feedback", arguments, &again)
	if once.NewConfidence <= 0.8 || again.NewConfidence != once.NewConfidence || again.Message == once.Message {
		t.Errorf("first %+v, then %+v", once, again)
	}
	unknown := a.try("memory_feedback", map[string]any{"memory_id": "mem_01JD0000000000000000000000", "helpful": true})
	foreign := a.try("memory_feedback", map[string]any{"memory_id": theirs, "helpful": true})
	if !unknown.IsError || !foreign.IsError || said(unknown) != said(foreign) {
		t.Errorf("unknown: %q, foreign: %q", said(unknown), said(foreign))
	}
	if r := a.try("memory_outcome", map[string]any{"memory_id": "'; drop table memories", "succeeded": true}); !r.IsError {
		t.Errorf("accepted: %s", said(r))
	}
	if m, err := b.store.Memory(t.Context(), acme, theirs); err != nil || m.Confidence != 0.8 {
		t.Errorf("the other tenant's memory: %v, %v", m.Confidence, err)
	}
}
