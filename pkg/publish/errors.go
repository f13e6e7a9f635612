package publish

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/pkg/event"
)

var (
	// ErrNoStream: nothing stores the subject. The streams have not been
	// created: run `winnow provision`.
	ErrNoStream = errors.New("no stream")
	// ErrUnconfirmed: the stream's confirmation did not come in time. The event
	// may be stored or not; send it again with the receipt's EventID.
	ErrUnconfirmed = errors.New("unconfirmed")
)

// explain turns the client library's errors into ones that say what to do.
func explain(subject string, err error) error {
	switch {
	case errors.Is(err, jetstream.ErrNoStreamResponse), errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("publish %s: %w stores this subject; run `winnow provision`: %w", subject, ErrNoStream, err)
	case errors.Is(err, nats.ErrMaxPayload):
		return fmt.Errorf("publish %s: %w: the server's max_payload is lower than the message; raise it or send a reference: %w", subject, event.ErrTooLarge, err)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled),
		errors.Is(err, nats.ErrTimeout), errors.Is(err, jetstream.ErrAsyncPublishTimeout):
		return fmt.Errorf("publish %s: %w; send again with the same id, and if it repeats check that this user may publish there: %w", subject, ErrUnconfirmed, err)
	}
	return fmt.Errorf("publish %s: %w", subject, err)
}
