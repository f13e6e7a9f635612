package jetstream

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/services/internal/bus"
)

// waitSlice bounds one request for a first message. A shorter one would ask
// more often on an idle stream; a longer one would keep a draining process
// waiting for its last request.
const waitSlice = 250 * time.Millisecond

// The server ends a pull from another account at a message without body and
// headers, which a publisher may send: what it would have brought after that is
// delivered again after AckWait. For carefulFor after such a message, messages are
// asked for one by one, at most singles at once, so that a publisher can delay
// others' messages once in that time and not over and over.
const (
	carefulFor = 10 * time.Minute
	singles    = 64
)

// Source pulls from one durable. Fetch is for one goroutine; Pending and Drain
// are safe beside it.
type Source struct {
	nc      *nats.Conn
	js      natsjs.JetStream
	durable bus.Durable

	careful  time.Time // until when messages are asked for one by one; of Fetch
	mu       sync.Mutex
	consumer natsjs.Consumer // nil until bound
	draining chan struct{}
	drained  bool
	late     sync.WaitGroup // requests that outlived their Fetch
}

var _ bus.Source = (*Source)(nil)

// NewSource returns a source that binds at its first Fetch, so that a worker
// may start before the server and before provisioning.
func NewSource(nc *nats.Conn, d bus.Durable) (*Source, error) {
	js, err := natsjs.New(nc)
	if err != nil {
		return nil, mapped("open source", err)
	}
	return &Source{nc: nc, js: js, durable: d, draining: make(chan struct{})}, nil
}

// Fetch takes what is there; when nothing is, it waits for one message and then
// takes what came with it. It never asks for more than the caller has hands
// for.
func (s *Source) Fetch(ctx context.Context, most int) ([]bus.Message, error) {
	select {
	case <-s.draining:
		return nil, bus.ErrDrained
	default:
	}
	consumer, err := s.bind(ctx)
	if err != nil {
		return nil, err
	}
	out, err := s.takeNow(consumer, most)
	for len(out) == 0 && err == nil {
		// Asking while disconnected would pile requests up for the reconnect.
		if !s.nc.IsConnected() {
			return nil, mapped("fetch", nats.ErrDisconnected)
		}
		if out, err = s.waitForOne(ctx, consumer); len(out) > 0 && most > 1 {
			var more []bus.Message
			more, err = s.takeNow(consumer, most-1)
			out = append(out, more...)
		}
		if len(out) > 0 || err != nil {
			break
		}
		select {
		case <-ctx.Done():
			return nil, nil
		case <-s.draining:
			return nil, bus.ErrDrained
		default:
		}
	}
	if len(out) > 0 {
		// What arrived is worked on; a lasting error shows at the next Fetch.
		return out, nil
	}
	if err != nil {
		s.unbind(err)
		return nil, mapped("fetch", err)
	}
	return nil, nil
}

// takeNow returns what the server has at hand, which may be nothing.
func (s *Source) takeNow(consumer natsjs.Consumer, most int) ([]bus.Message, error) {
	if time.Now().Before(s.careful) {
		return s.takeSingly(consumer, min(most, singles))
	}
	batch, err := consumer.FetchNoWait(most)
	if err != nil {
		return nil, err
	}
	out, err := collect(batch, most)
	s.beware(out)
	return out, err
}

// beware begins the time of asking one by one when an empty message was among
// those that were fetched.
func (s *Source) beware(fetched []bus.Message) {
	if slices.ContainsFunc(fetched, empty) {
		s.careful = time.Now().Add(carefulFor)
	}
}

// takeSingly asks for each message by a request of its own, so that an empty one
// ends its own request and no other.
func (s *Source) takeSingly(consumer natsjs.Consumer, most int) (out []bus.Message, err error) {
	batches := make([]natsjs.MessageBatch, 0, most)
	for range most {
		batch, fetchErr := consumer.FetchNoWait(1)
		if fetchErr != nil {
			err = fetchErr
			break
		}
		batches = append(batches, batch)
	}
	for _, batch := range batches {
		one, collectErr := collect(batch, 1)
		out, err = append(out, one...), errors.Join(err, collectErr)
	}
	return out, err
}

// empty reports whether a message has neither body nor headers.
func empty(m bus.Message) bool { return len(m.Data()) == 0 && len(m.Header()) == 0 }

// waitForOne waits at most waitSlice for one message. When ctx ends or the
// source drains meanwhile it returns at once, and whatever the request still
// brings is handed back to the server for somebody else.
func (s *Source) waitForOne(ctx context.Context, consumer natsjs.Consumer) ([]bus.Message, error) {
	batch, err := consumer.Fetch(1, natsjs.FetchMaxWait(waitSlice))
	if err != nil {
		return nil, err
	}
	select {
	case m, ok := <-batch.Messages():
		if !ok {
			return nil, batch.Error()
		}
		msg, err := newMessage(m)
		if err != nil {
			return nil, err
		}
		one := []bus.Message{msg}
		s.beware(one)
		return one, nil
	case <-ctx.Done():
	case <-s.draining:
	}
	s.handBack(batch)
	return nil, nil
}

// handBack gives what a request still brings to somebody else. A draining
// source does it at once, which takes waitSlice at most: Drain may be waiting
// for the others by then, and must not be joined.
func (s *Source) handBack(batch natsjs.MessageBatch) {
	nak := func() {
		for m := range batch.Messages() {
			_ = m.Nak()
		}
	}
	s.mu.Lock()
	if s.drained {
		s.mu.Unlock()
		nak()
		return
	}
	s.late.Add(1)
	s.mu.Unlock()
	go func() {
		defer s.late.Done()
		nak()
	}()
}

func collect(batch natsjs.MessageBatch, most int) ([]bus.Message, error) {
	out := make([]bus.Message, 0, min(most, 64))
	for m := range batch.Messages() {
		msg, err := newMessage(m)
		if err != nil {
			return out, err
		}
		out = append(out, msg)
	}
	return out, batch.Error()
}

// Drain ends fetching for good and waits until no request is out. Messages
// already returned are the caller's to settle. It may be called twice.
func (s *Source) Drain() {
	s.mu.Lock()
	if !s.drained {
		s.drained = true
		close(s.draining)
	}
	s.mu.Unlock()
	s.late.Wait()
}

// Pending asks the server how many messages wait and how many are in hand over
// all replicas. Their sum is the lag; the ack floor is none.
func (s *Source) Pending(ctx context.Context) (waiting, inHand int, err error) {
	consumer, err := s.bind(ctx)
	if err != nil {
		return 0, 0, err
	}
	info, err := consumer.Info(ctx)
	if err != nil {
		s.unbind(err)
		return 0, 0, mapped("read pending", err)
	}
	return int(info.NumPending), info.NumAckPending, nil
}

// Settled asks the server up to which place in the stream the durable has dealt
// with everything, over all replicas. Unlike Pending it may be held against the
// place that a publisher was just told: the server counts a message as waiting a
// moment after it has confirmed it.
func (s *Source) Settled(ctx context.Context) (seq uint64, err error) {
	consumer, err := s.bind(ctx)
	if err != nil {
		return 0, err
	}
	info, err := consumer.Info(ctx)
	if err != nil {
		s.unbind(err)
		return 0, mapped("read ack floor", err)
	}
	return info.AckFloor.Stream, nil
}

func (s *Source) bind(ctx context.Context) (natsjs.Consumer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.consumer != nil {
		return s.consumer, nil
	}
	if !s.nc.IsConnected() {
		return nil, mapped("bind "+s.durable.Name, nats.ErrDisconnected)
	}
	c, err := s.js.Consumer(ctx, s.durable.Stream, s.durable.Name)
	if err != nil {
		return nil, mapped("bind "+s.durable.Name, err)
	}
	s.consumer = c
	return c, nil
}

// unbind forgets the consumer after an error that may mean it is gone, so that
// the next Fetch finds out.
func (s *Source) unbind(err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	s.mu.Lock()
	s.consumer = nil
	s.mu.Unlock()
}
