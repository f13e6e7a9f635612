package worker

import (
	"testing"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/change"
)

const (
	traceA = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	traceB = "00-aaaa2f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
)

// An emitted event has the trace of the event that caused it, and of no other of the
// batch.
func TestTracesOfABatchStayApart(t *testing.T) {
	t.Parallel()
	of := func(id, trace string) Event { return Event{Envelope: event.Envelope{ID: id, Traceparent: trace}} }
	emitted := func(causes ...string) (set change.Set) {
		for _, cause := range causes {
			set.Events = append(set.Events, change.Event{Cause: cause})
		}
		return set
	}
	for name, c := range map[string]struct {
		events []Event
		causes []string
		want   []string
	}{
		"each its own":            {[]Event{of("a", traceA), of("b", traceB)}, []string{"b", "a", "b"}, []string{traceB, traceA, traceB}},
		"one without":             {[]Event{of("a", traceA), of("b", "")}, []string{"b", "a"}, []string{"", traceA}},
		"no cause among several":  {[]Event{of("a", traceA), of("b", traceB)}, []string{"", "c"}, []string{"", ""}},
		"the only event":          {[]Event{of("a", traceA)}, []string{"", "a"}, []string{traceA, traceA}},
		"the only event, without": {[]Event{of("a", "")}, []string{"", "a"}, []string{"", ""}},
	} {
		set := emitted(c.causes...)
		continueTraces(&set, c.events)
		for i, e := range set.Events {
			if e.Traceparent != c.want[i] {
				t.Errorf("%s: event %d has %q, want %q", name, i, e.Traceparent, c.want[i])
			}
		}
	}
	set := emitted("a")
	set.Events[0].Traceparent = traceB
	if continueTraces(&set, []Event{of("a", traceA)}); set.Events[0].Traceparent != traceB {
		t.Errorf("%q replaced the trace that the handler set", set.Events[0].Traceparent)
	}
}

// Log lines name a trace by its id, each once.
func TestTraceFields(t *testing.T) {
	t.Parallel()
	of := func(trace string) delivery {
		return delivery{event: Event{Envelope: event.Envelope{Traceparent: trace}}}
	}
	if f := traceFields([]delivery{of(""), of("")}); f.Key != "" {
		t.Errorf("field %q of events without a trace", f.Key)
	}
	f := traceField(of(traceA).event)
	if f.Key != "trace" || f.String != "4bf92f3577b34da6a3ce929d0e0e4736" {
		t.Errorf("%q: %q", f.Key, f.String)
	}
	if f := traceFields([]delivery{of(traceA), of(traceA), of("")}); f.Key != "trace" {
		t.Errorf("field %q, want the trace", f.Key)
	}
}
