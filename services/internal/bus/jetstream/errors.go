package jetstream

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/services/internal/bus"
)

// mapped wraps an error of the client library in the matching error of the port and
// adds the operation's name. Other errors only get the name.
func mapped(op string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, natsjs.ErrConsumerNotFound), errors.Is(err, natsjs.ErrConsumerDeleted), errors.Is(err, natsjs.ErrStreamNotFound):
		return fmt.Errorf("%s: %w: %w", op, bus.ErrNoConsumer, err)
	case unreachable(err):
		return fmt.Errorf("%s: %w: %w", op, bus.ErrUnavailable, err)
	}
	return fmt.Errorf("%s: %w", op, err)
}

// unreachable reports whether the server did not answer. A denied publish counts as
// well: the client cannot distinguish it from a timeout.
func unreachable(err error) bool {
	for _, e := range []error{
		nats.ErrTimeout, nats.ErrNoResponders, nats.ErrConnectionClosed, nats.ErrConnectionReconnecting,
		nats.ErrConnectionDraining, nats.ErrDisconnected, nats.ErrNoServers, nats.ErrReconnectBufExceeded,
		nats.ErrStaleConnection, natsjs.ErrNoStreamResponse, natsjs.ErrNoHeartbeat, natsjs.ErrServerShutdown,
		natsjs.ErrJetStreamNotEnabled, context.DeadlineExceeded,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
