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

// waitSlice bounds one request for a first message. A shorter one would cause more
// requests on an idle stream; a longer one would make a draining process wait for its
// last request.
const waitSlice = 250 * time.Millisecond

// The server ends a pull from another account at a message without body and headers,
// which a publisher may send. The pull's remaining messages are delivered again after
// AckWait. For singlyFor after an empty message, each message is requested by a pull of
// its own, at most singles at once, so that a publisher can delay the messages of others
// once in that time and not repeatedly.
const (
	singlyFor = 10 * time.Minute
	singles   = 64
)

// Source pulls from one durable. Fetch is for one goroutine; Pending and Drain
// are safe beside it.
type Source struct {
	nc      *nats.Conn
	js      natsjs.JetStream
	durable bus.Durable

	singlyUntil time.Time // until when messages are pulled one by one; used by Fetch alone
	mu          sync.Mutex
	consumer    natsjs.Consumer // nil until bound
	draining    chan struct{}
	drained     bool
	late        sync.WaitGroup // requests that outlived their Fetch
}

var _ bus.Source = (*Source)(nil)

// NewSource returns a source that binds to the durable at its first Fetch, so that a
// worker may start before the server and before provisioning.
func NewSource(nc *nats.Conn, d bus.Durable) (*Source, error) {
	js, err := natsjs.New(nc)
	if err != nil {
		return nil, mapped("open source", err)
	}
	return &Source{nc: nc, js: js, durable: d, draining: make(chan struct{})}, nil
}

// Fetch returns the available messages, at most the given number. When there is none it
// waits for one message and returns it with those that arrived meanwhile. It never
// prefetches.
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
	out, err := s.fetchNow(consumer, most)
	for len(out) == 0 && err == nil {
		// Requests while disconnected would queue up until the reconnect.
		if !s.nc.IsConnected() {
			return nil, mapped("fetch", nats.ErrDisconnected)
		}
		if out, err = s.waitForOne(ctx, consumer); len(out) > 0 && most > 1 {
			var more []bus.Message
			more, err = s.fetchNow(consumer, most-1)
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
		// The messages that arrived are returned; a lasting error recurs at the next Fetch.
		return out, nil
	}
	if err != nil {
		s.unbind(err)
		return nil, mapped("fetch", err)
	}
	return nil, nil
}

// fetchNow returns the messages that the server has now, which may be none.
func (s *Source) fetchNow(consumer natsjs.Consumer, most int) ([]bus.Message, error) {
	if time.Now().Before(s.singlyUntil) {
		return s.fetchSingly(consumer, min(most, singles))
	}
	batch, err := consumer.FetchNoWait(most)
	if err != nil {
		return nil, err
	}
	out, err := collect(batch, most)
	s.avoidEmpty(out)
	return out, err
}

// avoidEmpty makes the next pulls ask message by message when one of the fetched
// messages is empty.
func (s *Source) avoidEmpty(fetched []bus.Message) {
	if slices.ContainsFunc(fetched, empty) {
		s.singlyUntil = time.Now().Add(singlyFor)
	}
}

// fetchSingly requests each message by a pull of its own, so that an empty message ends
// no other pull.
func (s *Source) fetchSingly(consumer natsjs.Consumer, most int) (out []bus.Message, err error) {
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

// waitForOne waits at most waitSlice for one message. When ctx ends or the source drains
// meanwhile it returns at once, and a message that still arrives is returned to the
// server for another replica.
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
		s.avoidEmpty(one)
		return one, nil
	case <-ctx.Done():
	case <-s.draining:
	}
	s.nakLate(batch)
	return nil, nil
}

// nakLate returns the messages of an abandoned request to the server. A draining source
// waits for that here, at most waitSlice: Drain may already wait on the late requests,
// and none may be added then.
func (s *Source) nakLate(batch natsjs.MessageBatch) {
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

// Drain ends fetching for good and waits until no request is open. The caller still
// settles the messages that it fetched. Drain may be called twice.
func (s *Source) Drain() {
	s.mu.Lock()
	if !s.drained {
		s.drained = true
		close(s.draining)
	}
	s.mu.Unlock()
	s.late.Wait()
}

// Pending returns how many messages are undelivered and how many are delivered and
// unsettled, over all replicas. Their sum is the lag; the ack floor is no measure of it.
func (s *Source) Pending(ctx context.Context) (waiting, ackPending int, err error) {
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

// Settled returns the sequence number up to which every message is settled, over all
// replicas. Unlike the counts of Pending, it may be compared with the sequence number of
// a message just published: the server counts a message as pending a moment after it has
// confirmed the publish.
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

// unbind discards the consumer after an error that may mean that it was removed, so that
// the next Fetch binds again.
func (s *Source) unbind(err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	s.mu.Lock()
	s.consumer = nil
	s.mu.Unlock()
}
