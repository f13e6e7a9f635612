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
	// Principal is from the subject's token, else the default one. What Winnow
	// tells itself has none.
	Principal memory.Principal
	Stored    time.Time // when the stream took it
	Attempt   int       // 1 for the first delivery
}

// Key is the event's place in the inbox: the publisher's id led, so that the
// index is hit at random and not at its end, then who published.
func (e Event) Key() string { return e.ID + "/" + e.Principal.ID }

// Handler is what a fast batch worker implements.
type Handler interface {
	// Prepare does what needs no lock, for events of one tenant: parse,
	// redact, embed. It may be slow and remote. An event that can never be
	// handled is marked in the plan by Refuse; an error means that the whole
	// batch should be tried again (see Permanent, Snooze). Prepare is called
	// concurrently for different batches.
	Prepare(ctx context.Context, tenant memory.Tenant, events []Event) (Plan, error)
}

// Stopper is a [Handler] that works beside its batches, such as on something that
// several of them wait for. The pipeline calls Stop once, when no batch is in hand
// any more; it returns when that work has ended.
type Stopper interface {
	Stop()
}

// Work is what a slow worker implements: it gathers and decides one event
// outside any transaction, for as long as that takes, and returns what is to be
// committed. Two tries of one event may overlap; one of them takes effect.
// What it decided on is guarded by the Expect of the rows; when that does not
// hold any more, Do is called again. Errors are those of [Handler.Prepare],
// [Permanent] among them. Safe for concurrent use.
type Work interface {
	Do(ctx context.Context, e Event) (change.Set, error)
}

// Plan is a prepared batch.
type Plan interface {
	// Scopes has one entry per event: the lane that it must be decided in;
	// empty for refused ones.
	Scopes() []memory.Scope
	// Refused says why events cannot be handled, by index, and the rest goes on.
	// They become dead letters; one with a [SnoozeError] is delivered again.
	Refused() map[int]error
	// Decide decides the fresh events under the lanes' locks. Pure but for
	// reading view. It is called at most once.
	Decide(ctx context.Context, fresh []int, view store.LaneView) (change.Set, error)
	// Done tells the plan how its transaction ended, so that what it cached
	// while deciding can be kept or thrown away. It is called exactly once.
	Done(committed bool)
}
