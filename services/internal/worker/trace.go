package worker

import (
	"strings"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/telemetry"
)

// continueTraces gives each emitted event the trace context of the event that it
// follows from: the one named as its cause, or the only one of the batch. What the
// handler set itself stays.
func continueTraces(set *change.Set, events []Event) {
	if len(events) == 1 {
		set.Continue(events[0].Traceparent)
		return
	}
	var of map[string]string // by event id
	for _, e := range events {
		if e.Traceparent != "" {
			if of == nil {
				of = make(map[string]string)
			}
			of[e.ID] = e.Traceparent
		}
	}
	for i := range set.Events {
		if e := &set.Events[i]; e.Traceparent == "" && e.Cause != "" {
			e.Traceparent = of[e.Cause]
		}
	}
}

// traceField returns the trace id of an event as a field of a log line, and no field
// for an event without a trace.
func traceField(e Event) zap.Field {
	// version-trace-span-flags; package event checked the form.
	parts := strings.Split(e.Traceparent, "-")
	if len(parts) < 4 {
		return zap.Skip()
	}
	return zap.String(telemetry.KeyTrace, parts[1])
}

// traceFields returns the trace ids of several events, each once, as one field.
func traceFields(deliveries []delivery) zap.Field {
	var ids []string
	seen := make(map[string]bool)
	for _, d := range deliveries {
		if f := traceField(d.event); f.Key != "" && !seen[f.String] && len(ids) < maxTraces {
			seen[f.String] = true
			ids = append(ids, f.String)
		}
	}
	if len(ids) == 0 {
		return zap.Skip()
	}
	return zap.Strings(telemetry.KeyTrace, ids)
}

// maxTraces bounds the trace ids of one log line.
const maxTraces = 8
