package ingest

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// errNoTraces says that this process cannot open traces by reference.
var errNoTraces = errors.New("traces by reference cannot be opened by this process; send the trace inline")

// Classes of sessions that can never be ingested unchanged. A class is the dead
// letter's reason and a metric label.
const (
	classScope     = "scope"
	classInvalid   = "invalid"
	classReference = "reference"
)

// traceClasses maps the errors of invalid traces to classes.
var traceClasses = []struct {
	is    error
	class string
}{
	{trace.ErrEmpty, "empty_trace"},
	{trace.ErrTooLarge, "trace_too_large"},
	{trace.ErrNotText, "not_text"},
	{trace.ErrUnknownFormat, "unknown_format"},
	{trace.ErrUnreadable, "unreadable_trace"},
	{trace.ErrDigest, "trace_digest"},
}

// permanent marks errors that no retry can help, with their class. Other errors
// are returned unchanged.
func permanent(err error) error {
	var field *fieldError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bus.ErrUnavailable), errors.Is(err, store.ErrUnavailable):
		return err
	case errors.Is(err, bus.ErrNoTrace), errors.Is(err, errNoTraces):
		return worker.Permanent(classReference, err)
	case errors.As(err, &field) && field.Field == "scope":
		return worker.Permanent(classScope, err)
	case errors.As(err, &field) && field.Field == "reference.uri":
		return worker.Permanent(classReference, err)
	case errors.As(err, &field):
		return worker.Permanent(classInvalid, err)
	}
	for _, c := range traceClasses {
		if errors.Is(err, c.is) {
			return worker.Permanent(c.class, err)
		}
	}
	return err
}

// refusal returns err as the HTTP intake reports it: a problem of the trace is
// a fault of a field.
func refusal(err error) error {
	var p *trace.Problem
	switch {
	case errors.Is(err, trace.ErrTooLarge):
		return fmt.Errorf("%w: %w", event.ErrTooLarge, err)
	case errors.As(err, &p):
		return &fieldError{Field: cmp.Or(p.Field, "trace"), Remedy: p.Error()}
	case errors.Is(err, bus.ErrNoTrace), errors.Is(err, errNoTraces):
		return &fieldError{Field: "reference.uri", Remedy: err.Error()}
	}
	return err
}
