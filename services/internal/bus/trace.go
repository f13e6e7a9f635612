package bus

import (
	"context"
	"errors"
	"io"
	"time"
)

// TraceAge is how long a trace waits for its ingestion: what is ingested is kept
// in the store.
const TraceAge = 7 * 24 * time.Hour

// ErrNoTrace says that no trace lies under a reference (any more).
var ErrNoTrace = errors.New("no such trace")

// Traces opens traces that publishers laid down beside their events.
type Traces interface {
	// OpenTrace reads the trace under the uri of a reference, such as
	// trace://ci-bot/3f9a…, whose first part is the principal that laid it down;
	// nobody else may refer to it, which the caller sees to
	// (event.ParseTraceURI). The error is ErrNoTrace, also for what is no such
	// address, or ErrUnavailable; a read may fail with ErrUnavailable as well.
	// Whether the trace is whole, its reference's size and digest say. Close it.
	OpenTrace(ctx context.Context, uri string) (io.ReadCloser, error)
}
