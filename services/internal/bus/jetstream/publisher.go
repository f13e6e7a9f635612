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

// wakeSubject is the subject of wake-ups. They are not stored: a lost one delays the
// relay by at most its polling interval.
const wakeSubject = "winnow.outbox.wake"

// pipelined is the number of unacknowledged single messages in flight.
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

// Publish implements [bus.Publisher]. It sends as few atomic batches as the limits allow.
// It publishes a failed batch again one by one under the same ids: the server refuses a
// whole batch for one id that it knows, and after a timeout only publishing again shows
// what was stored.
//
// A message that the server would refuse is not sent and does not delay the others.
func (p *Publisher) Publish(ctx context.Context, out []bus.Outgoing) ([]uint64, error) {
	seqs := make([]uint64, len(out))
	sendable, indexes := make([]bus.Outgoing, 0, len(out)), make([]int, 0, len(out))
	var errs []error
	for _, at := range byStream(out) {
		if why := p.unsendable(out[at]); why != nil {
			errs = append(errs, &bus.Refusal{At: at, Reason: *why})
			continue
		}
		sendable, indexes = append(sendable, out[at]), append(indexes, at)
	}
	for from := 0; from < len(sendable); {
		to, atomic := p.run(sendable[from:])
		to += from
		got, err := p.publishRun(ctx, sendable[from:to], atomic)
		for i, seq := range got {
			seqs[indexes[from+i]] = seq
		}
		refused, rest := bus.Refusals(err)
		for _, r := range refused {
			errs = append(errs, &bus.Refusal{At: indexes[from+r.At], Reason: r.Reason})
		}
		if rest != nil {
			// The following runs would most likely fail too, and would otherwise be
			// stored out of order.
			errs = append(errs, mapped("publish", rest))
			break
		}
		from = to
	}
	return seqs, errors.Join(errs...)
}

// byStream returns the indexes of the messages grouped by stream, in their order within
// each stream. Messages of two streams have no order between them. A batch holds one
// stream, so without grouping alternating streams would make batches of one message.
func byStream(out []bus.Outgoing) []int {
	at := make([]int, len(out))
	stream := make([]string, len(out))
	for i := range out {
		at[i], stream[i] = i, streamFor(out[i].Subject)
	}
	slices.SortStableFunc(at, func(a, b int) int { return strings.Compare(stream[a], stream[b]) })
	return at
}

// run returns how many messages from the front form one run: of one stream, within the
// limits of a batch.
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

// publishSingly publishes messages one by one without waiting for each answer. They are
// sent in order; after a failure later ones may still be stored.
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
		// The library gives up after 200 ms with too many answers outstanding, which on a
		// busy machine is no failure.
		f, err := p.js.PublishMsgAsync(outgoingMsg(o), natsjs.WithStallWait(batchTimeout))
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
			// The ack of a duplicate has the sequence number of the first message.
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

// Last implements [bus.Publisher].
func (p *Publisher) Last(ctx context.Context, subject string) ([]byte, error) {
	s, err := readStored(ctx, p.nc, streamFor(subject), directGet{Last: subject})
	if errors.Is(err, errNoMessage) {
		return nil, nil
	}
	return s.Data, mapped("read the last message on "+subject, err)
}

// Wake implements [bus.Publisher].
func (p *Publisher) Wake() { _ = p.nc.Publish(wakeSubject, nil) }

// Woken implements [bus.Publisher]. Signals that arrive before the receiver reads one
// are merged. The channel is never closed; it receives nothing after ctx ends.
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
