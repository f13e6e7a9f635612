package bus

import (
	"context"
	"errors"
	"io"
	"time"
)

// TraceBucket holds traces that are too large for a message, for as long as
// TraceAge: what is ingested is kept in the store.
const (
	TraceBucket = "TRACES"
	TraceAge    = 7 * 24 * time.Hour
)

// ErrNoTrace says that no trace lies under a reference (any more).
var ErrNoTrace = errors.New("no such trace")

// Traces opens traces that publishers laid down beside their events.
type Traces interface {
	// OpenTrace reads the trace under the uri of a reference, such as
	// trace://ci-bot/3f9a…, whose first part is the principal that laid it down; nobody
	// else may refer to it. The error is ErrNoTrace or
	// ErrUnavailable; a read may fail with ErrUnavailable as well.
	OpenTrace(ctx context.Context, uri string) (io.ReadCloser, error)
}
