package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/services/internal/bus"
)

// obsoleteDurables lists durables of an older version, all of stream MEMORY. That
// version stored proposals and answers to digests there too, and one durable had the
// digests for every gateway.
var obsoleteDurables = []string{"triage", "digest", "gateway"}

// moveSlice bounds one request for messages to move.
const moveSlice = 500 * time.Millisecond

// moveObsolete publishes the messages that an older version has not processed on the
// subject and in the stream of this version, and removes the durable when none is left.
// It may be interrupted and repeated: a message is acknowledged after it was published
// under its event id, so a message that is published twice takes effect once. It does
// not wait for messages that workers of the older version are processing: the error
// names the remedy.
func moveObsolete(ctx context.Context, js natsjs.JetStream, wanted []bus.Durable, apply bool) ([]Change, error) {
	var changes []Change
	for _, name := range obsoleteDurables {
		if slices.ContainsFunc(wanted, func(d bus.Durable) bool { return d.Stream == bus.StreamMemory && d.Name == name }) {
			continue
		}
		c, err := js.Consumer(ctx, bus.StreamMemory, name)
		if errors.Is(err, natsjs.ErrConsumerNotFound) || errors.Is(err, natsjs.ErrStreamNotFound) {
			continue
		}
		if err != nil {
			return changes, err
		}
		n := int(c.CachedInfo().NumPending)
		if apply {
			if n, err = moveAll(ctx, js, c); err != nil {
				return changes, fmt.Errorf("move what durable %s/%s has not processed: %w", bus.StreamMemory, name, err)
			}
			if err := js.DeleteConsumer(ctx, bus.StreamMemory, name); err != nil {
				return changes, err
			}
		}
		changes = append(changes, Change{
			Kind: "durable", Name: bus.StreamMemory + "/" + name, Action: "remove", Fields: []string{fmt.Sprintf("moves %d messages", n)},
		})
	}
	return changes, nil
}

func moveAll(ctx context.Context, js natsjs.JetStream, c natsjs.Consumer) (moved int, err error) {
	for {
		batch, err := c.Fetch(100, natsjs.FetchMaxWait(moveSlice))
		if err != nil {
			return moved, err
		}
		n := 0
		for m := range batch.Messages() {
			if err := moveOne(ctx, js, m); err != nil {
				return moved, err
			}
			n++
		}
		moved += n
		if n > 0 {
			continue
		}
		info, err := c.Info(ctx)
		switch {
		case err != nil:
			return moved, err
		case info.NumAckPending > 0:
			return moved, fmt.Errorf("%d messages are in the hands of workers of an older version; stop them, and run winnow provision again after %s",
				info.NumAckPending, info.Config.AckWait)
		case info.NumPending == 0:
			return moved, nil
		}
	}
}

func moveOne(ctx context.Context, js natsjs.JetStream, m natsjs.Msg) error {
	msg, err := newMessage(m)
	if err != nil {
		return err
	}
	meta := msg.Meta()
	out := bus.Replayed(bus.DeadLetter{
		Subject: msg.Subject(), Stream: meta.Stream, Sequence: meta.Sequence, At: meta.Stored, Header: msg.Header(), Data: msg.Data(),
	}, fmt.Sprintf("moved/%s/%d", meta.Stream, meta.Sequence))
	if out.Subject = bus.Addressed(out); streamFor(out.Subject) != "" {
		if _, err := js.PublishMsg(ctx, outgoingMsg(out)); err != nil {
			return err
		}
	}
	return m.DoubleAck(ctx)
}

// removeGateways removes the durables of gateways that are no longer registered.
func removeGateways(ctx context.Context, js natsjs.JetStream, wanted []bus.Durable, apply bool) ([]Change, error) {
	stream, err := js.Stream(ctx, bus.StreamMemory)
	if errors.Is(err, natsjs.ErrStreamNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var gone []string
	names := stream.ConsumerNames(ctx)
	for name := range names.Name() {
		if strings.HasPrefix(name, gatewayPrefix) && !slices.ContainsFunc(wanted, func(d bus.Durable) bool { return d.Name == name }) {
			gone = append(gone, name)
		}
	}
	if err := names.Err(); err != nil {
		return nil, err
	}
	slices.Sort(gone)
	var changes []Change
	for _, name := range gone {
		if apply {
			if err := js.DeleteConsumer(ctx, bus.StreamMemory, name); err != nil {
				return changes, err
			}
		}
		changes = append(changes, Change{Kind: "durable", Name: bus.StreamMemory + "/" + name, Action: "remove"})
	}
	return changes, nil
}
