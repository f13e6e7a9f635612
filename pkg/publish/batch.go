package publish

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

// Result is the result of one event of a batch.
type Result struct {
	Receipt
	// Err is nil when the event is stored. Otherwise it is one of those that
	// Proposal gives, or the context's for an event that was not sent.
	Err error
}

// Batch publishes proposals in order, without waiting for each confirmation but
// with at most the configured number unconfirmed. There is one result for each
// proposal, at its index. The error is nil when all are stored; otherwise it
// counts what is not and wraps the first reason. A refused proposal does not
// stop the others; a missing stream, a lost connection and the end of ctx do.
//
// A batch is not atomic. To complete one, send those with an error again with
// the ids of their receipts.
func (c *Client) Batch(ctx context.Context, proposals []*winnowv1.ProposalCreated) ([]Result, error) {
	results := make([]Result, len(proposals))
	futures := make([]jetstream.PubAckFuture, len(proposals))
	var stop error
	settle := func(i int) {
		if futures[i] == nil {
			return
		}
		r := &results[i]
		if ack, err := wait(ctx, futures[i]); err != nil {
			r.Err = explain(futures[i].Msg().Subject, err)
		} else {
			r.Receipt = receipt(r.EventID, ack)
		}
		futures[i] = nil
		if fatal(r.Err) {
			stop = r.Err
		}
	}
	for i, p := range proposals {
		r := &results[i]
		if r.EventID = p.GetId(); r.EventID == "" {
			r.EventID = NewID()
		}
		if i >= c.inFlight {
			settle(i - c.inFlight)
		}
		if stop == nil && ctx.Err() != nil {
			stop = fmt.Errorf("publish: not sent: %w", ctx.Err())
		}
		if r.Err = stop; r.Err != nil {
			continue
		}
		msg, err := c.message(ctx, p, r.EventID)
		if err != nil {
			r.Err = err
			continue
		}
		if futures[i], err = c.wire.PublishMsgAsync(msg); err != nil {
			futures[i], r.Err = nil, explain(msg.Subject, err)
			if fatal(r.Err) {
				stop = r.Err
			}
		}
	}
	for i := max(0, len(proposals)-c.inFlight); i < len(proposals); i++ {
		settle(i)
	}
	return results, summary(results)
}

func wait(ctx context.Context, f jetstream.PubAckFuture) (*jetstream.PubAck, error) {
	select {
	case ack := <-f.Ok():
		return ack, nil
	case err := <-f.Err():
		return nil, err
	case <-ctx.Done():
	}
	// A confirmation that has arrived counts, even if another case was chosen.
	select {
	case ack := <-f.Ok():
		return ack, nil
	default:
		return nil, ctx.Err()
	}
}

// fatal reports whether the events after this one would fail alike.
func fatal(err error) bool {
	return errors.Is(err, ErrNoStream) || errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, nats.ErrConnectionDraining)
}

func summary(results []Result) error {
	var n int
	var reason error
	for _, r := range results {
		if r.Err != nil {
			if n++; reason == nil {
				reason = r.Err
			}
		}
	}
	if reason == nil {
		return nil
	}
	return fmt.Errorf("%d of %d not stored: %w", n, len(results), reason)
}
