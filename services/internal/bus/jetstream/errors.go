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
	case unreachable(err), full(err):
		return fmt.Errorf("%s: %w: %w", op, bus.ErrUnavailable, err)
	}
	return fmt.Errorf("%s: %w", op, err)
}

// full reports whether the server answered that its streams have no room left, by a limit
// of its own. A disk without room is not answered at all: that looks like a timeout.
func full(err error) bool {
	var answer natsjs.JetStreamError
	if !errors.As(err, &answer) || answer.APIError() == nil {
		return false
	}
	switch answer.APIError().ErrorCode {
	case codeAccountFull, codeServerFull, codeStorageFull, codeStreamFull:
		return true
	}
	return false
}

// Codes of the server's errors when max_file_store, an account's or a stream's limit is
// reached.
const (
	codeAccountFull = natsjs.ErrorCode(10002)
	codeServerFull  = natsjs.ErrorCode(10023)
	codeStorageFull = natsjs.ErrorCode(10047)
	codeStreamFull  = natsjs.ErrorCode(10077)
)

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
