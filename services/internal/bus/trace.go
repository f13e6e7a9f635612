package bus

import (
	"context"
	"errors"
	"io"
	"time"
)

// TraceAge is how long the stream stores a trace that waits for its ingestion. An
// ingested trace is in the store.
const TraceAge = 7 * 24 * time.Hour

// ErrNoTrace means that a reference names no stored trace, or no longer does.
var ErrNoTrace = errors.New("no such trace")

// Traces opens traces that publishers stored beside their events.
type Traces interface {
	// OpenTrace returns a reader of the trace with the uri of a reference, such as
	// trace://ci-bot/3f9a…. The uri's first part is the principal that stored it; the
	// caller checks that no other principal refers to it (event.ParseTraceURI). The
	// error is ErrNoTrace, also for a malformed uri, or ErrUnavailable; a read may fail
	// with ErrUnavailable too. The caller checks completeness by the size and the digest
	// of the reference, and closes the reader.
	OpenTrace(ctx context.Context, uri string) (io.ReadCloser, error)
}
