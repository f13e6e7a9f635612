package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/bus"
)

// wakeSubject is a plain message, not stored: losing it costs the relay at most
// its polling interval.
const wakeSubject = "winnow.outbox.wake"

// pipelined is how many single messages are under way at once.
const pipelined = 256

// Publisher publishes in atomic batches. Safe for concurrent use; two
// concurrent calls are not ordered against each other.
type Publisher struct {
	nc     *nats.Conn
	js     natsjs.JetStream
	log    *zap.Logger
	atomic map[string]bool // by stream

	denials *denials
}

var _ bus.Publisher = (*Publisher)(nil)

// NewPublisher returns a publisher on nc, which stays the caller's to close.
func NewPublisher(nc *nats.Conn, log *zap.Logger) (*Publisher, error) {
	js, err := natsjs.New(nc, natsjs.WithPublishAsyncMaxPending(pipelined), natsjs.WithPublishAsyncTimeout(batchTimeout))
	if err != nil {
		return nil, mapped("open publisher", err)
	}
	p := &Publisher{nc: nc, js: js, log: log, atomic: make(map[string]bool), denials: newDenials(nc)}
	for _, s := range Streams(1) {
		p.atomic[s.Name] = s.AllowAtomicPublish
	}
	return p, nil
}

// Publish implements [bus.Publisher]. Messages go in as few atomic batches as
// the limits allow. A batch that fails is published again one by one under the
// same ids: the server refuses a whole batch for one id that it knows, and
// after a timeout nobody else can tell what was stored.
//
// What the server would refuse is not sent, and holds up nothing that follows.
func (p *Publisher) Publish(ctx context.Context, out []bus.Outgoing) ([]uint64, error) {
	seqs := make([]uint64, len(out))
	sendable, places := make([]bus.Outgoing, 0, len(out)), make([]int, 0, len(out))
	var errs []error
	for _, at := range byStream(out) {
		if why := p.unsendable(out[at]); why != nil {
			errs = append(errs, &bus.Refusal{At: at, Reason: *why})
			continue
		}
		sendable, places = append(sendable, out[at]), append(places, at)
	}
	for from := 0; from < len(sendable); {
		to, atomic := p.run(sendable[from:])
		to += from
		got, err := p.publishRun(ctx, sendable[from:to], atomic)
		for i, seq := range got {
			seqs[places[from+i]] = seq
		}
		refused, rest := bus.Refusals(err)
		for _, r := range refused {
			errs = append(errs, &bus.Refusal{At: places[from+r.At], Reason: r.Reason})
		}
		if rest != nil {
			// What follows would most likely fail too, and would be out of order
			// if it did not.
			errs = append(errs, mapped("publish", rest))
			break
		}
		from = to
	}
	return seqs, errors.Join(errs...)
}

// byStream returns the places of the messages, those of one stream together and in
// their order. Messages of two streams have no order among each other, and a batch
// that changes stream with every message would be no batch.
func byStream(out []bus.Outgoing) []int {
	at := make([]int, len(out))
	stream := make([]string, len(out))
	for i := range out {
		at[i], stream[i] = i, streamFor(out[i].Subject)
	}
	slices.SortStableFunc(at, func(a, b int) int { return strings.Compare(stream[a], stream[b]) })
	return at
}

// run measures how many messages from the front can go together: one stream,
// within the limits of a batch.
func (p *Publisher) run(out []bus.Outgoing) (n int, atomic bool) {
	stream := streamFor(out[0].Subject)
	size := 0
	for n < len(out) && n < maxBatch {
		size += len(out[n].Data)
		if n > 0 && (size > maxBatchBytes || streamFor(out[n].Subject) != stream) {
			break
		}
		n++
	}
	return n, p.atomic[stream] && n > 1
}

func (p *Publisher) publishRun(ctx context.Context, out []bus.Outgoing, atomic bool) ([]uint64, error) {
	denied, stop := p.denials.watch(out)
	defer stop()
	if atomic {
		whole, cancel := untilDenied(ctx, denied)
		seqs, err := publishBatch(whole, p.nc, out)
		cancel()
		if err == nil {
			return seqs, nil
		}
		if ctx.Err() != nil || !p.nc.IsConnected() {
			return nil, err
		}
		p.log.Debug("atomic batch refused, publishing one by one", zap.Int("messages", len(out)), zap.Error(err))
	}
	return p.publishSingly(ctx, out, denied)
}

// publishSingly keeps many messages under way. They are sent in order; when one
// fails, later ones may be stored all the same.
func (p *Publisher) publishSingly(ctx context.Context, out []bus.Outgoing, denied map[string]<-chan struct{}) ([]uint64, error) {
	seqs := make([]uint64, len(out))
	futures := make([]natsjs.PubAckFuture, len(out))
	var errs []error
	failed := func(i int, err error) {
		if why := refusal(err); why != nil {
			err = &bus.Refusal{At: i, Reason: *why}
		} else {
			err = fmt.Errorf("message %d of %d: %w", i+1, len(out), err)
		}
		errs = append(errs, err)
	}
	for i, o := range out {
		f, err := p.js.PublishMsgAsync(outgoingMsg(o))
		if err != nil {
			failed(i, err)
			if unreachable(err) {
				break
			}
		}
		futures[i] = f
	}
	timeout := time.NewTimer(batchTimeout)
	defer timeout.Stop()
	for i, f := range futures {
		if f == nil {
			continue
		}
		select {
		case ack := <-f.Ok():
			// A duplicate's ack names the sequence of the first.
			seqs[i] = ack.Sequence
		case err := <-f.Err():
			failed(i, err)
		case <-denied[out[i].Subject]:
			errs = append(errs, &bus.Refusal{At: i, Reason: bus.Reason{
				Class: classPermission, Text: "this user may not publish to " + out[i].Subject,
			}})
		case <-timeout.C:
			return seqs, errors.Join(append(errs, nats.ErrTimeout)...)
		case <-ctx.Done():
			return seqs, errors.Join(append(errs, ctx.Err())...)
		}
	}
	return seqs, errors.Join(errs...)
}

// Wake implements [bus.Publisher].
func (p *Publisher) Wake() { _ = p.nc.Publish(wakeSubject, nil) }

// Woken implements [bus.Publisher]: calls that come while one waits are one.
// The channel is never closed; it falls silent when ctx ends.
func (p *Publisher) Woken(ctx context.Context) (<-chan struct{}, error) {
	woken := make(chan struct{}, 1)
	sub, err := p.nc.Subscribe(wakeSubject, func(*nats.Msg) {
		select {
		case woken <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return nil, mapped("listen for wake-ups", err)
	}
	context.AfterFunc(ctx, func() { _ = sub.Unsubscribe() })
	return woken, nil
}
