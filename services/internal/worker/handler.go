package worker

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Event is a decoded delivery with its publisher resolved.
type Event struct {
	event.Envelope
	Tenant memory.Tenant
	// Principal is named by the subject's token, or else is the default one. Winnow's
	// internal events have none.
	Principal memory.Principal
	Stored    time.Time // when the stream stored the event
	Attempt   int       // 1 for the first delivery
}

// Key returns the event's key in the inbox: the publisher's id, then the principal.
// The id comes first so that inserts spread over the index and do not contend at its
// end.
func (e Event) Key() string { return e.ID + "/" + e.Principal.ID }

// Handler is implemented by a fast batch worker.
type Handler interface {
	// Prepare does the work that needs no lock, for events of one tenant: parse,
	// redact, embed. It may be slow and call remote services. The plan lists in
	// Refused the events that can never be handled. An error means that the whole
	// batch is to be tried again (see [Permanent] and [Snooze]). Prepare is called
	// concurrently for different batches.
	Prepare(ctx context.Context, tenant memory.Tenant, events []Event) (Plan, error)
}

// Stopper is implemented by a [Handler] that works beside its batches, such as on
// data that several batches wait for. The pipeline calls Stop once, after the last
// batch has ended. Stop returns when that work has ended.
type Stopper interface {
	Stop()
}

// Work is implemented by a slow worker. Do gathers data and decides one event
// outside any transaction, however long that takes, and returns the change to
// commit. Two attempts at one event may overlap; one of them takes effect. The
// Expect of the change's rows guards what Do read; when a row has changed since, Do
// is called again. Errors are those of [Handler.Prepare]. Implementations are safe
// for concurrent use.
type Work interface {
	Do(ctx context.Context, e Event) (change.Set, error)
}

// Plan is a prepared batch.
type Plan interface {
	// Scopes returns, for each event, the lane in which it must be decided; empty for
	// refused events.
	Scopes() []memory.Scope
	// Refused returns, by index, why events cannot be handled. Those events become
	// dead letters, and one with a [SnoozeError] is redelivered; the others are
	// decided.
	Refused() map[int]error
	// Decide decides the fresh events under the lanes' locks. It reads view and has
	// no other side effect. It is called at most once.
	Decide(ctx context.Context, fresh []int, view store.LaneView) (change.Set, error)
	// Done reports how the plan's transaction ended, so that the plan can commit or
	// discard what it cached in Decide. It is called exactly once.
	Done(committed bool)
}
