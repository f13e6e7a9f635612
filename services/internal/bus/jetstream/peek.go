package jetstream

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/bus"
)

// maxWaiting and maxWaitingBytes bound one answer about the subjects that wait: the
// server sends a whole message for each.
const (
	maxWaiting      = 256
	maxWaitingBytes = 1 << 20
)

// Waiting implements [bus.Source] by two requests: the durable's position, and the last
// message of each subject behind it. The server refuses the second one when more than
// 1,024 subjects match.
func (s *Source) Waiting(ctx context.Context) (delivered uint64, subjects []bus.Waiting, err error) {
	consumer, err := s.bind(ctx)
	if err != nil {
		return 0, nil, err
	}
	info, err := consumer.Info(ctx)
	if err != nil {
		s.unbind(err)
		return 0, nil, mapped("read position", err)
	}
	delivered = info.Delivered.Stream
	if info.NumPending == 0 {
		return delivered, nil, nil
	}
	last, _, err := readMany(ctx, s.nc, s.durable.Stream, directGet{
		Sequence: delivered + 1, LastOf: s.durable.Filters, Batch: maxWaiting, MaxBytes: maxWaitingBytes,
	})
	for _, m := range last {
		subjects = append(subjects, bus.Waiting{Subject: m.Subject, Last: m.Sequence})
	}
	return delivered, subjects, mapped("read who waits", err)
}

// Peek implements [bus.Source].
func (s *Source) Peek(ctx context.Context, subject string, from uint64, most int) ([]bus.Message, error) {
	found, _, err := readMany(ctx, s.nc, s.durable.Stream, directGet{Sequence: from, Next: subject, Batch: most})
	out := make([]bus.Message, 0, len(found))
	for _, m := range found {
		out = append(out, peeked{m, s.durable})
	}
	return out, mapped("read ahead", err)
}

// peeked is a message that was read and not delivered. There is nothing to settle.
type peeked struct {
	stored
	durable bus.Durable
}

func (m peeked) Subject() string             { return m.stored.Subject }
func (m peeked) Header() map[string][]string { return m.stored.Header }
func (m peeked) Data() []byte                { return m.stored.Data }
func (m peeked) Meta() bus.Meta {
	return bus.Meta{Stream: m.durable.Stream, Consumer: m.durable.Name, Sequence: m.Sequence, Delivered: 1, Stored: m.At}
}
func (m peeked) InProgress() error         { return nil }
func (m peeked) Ack(context.Context) error { return nil }
func (m peeked) Retry(time.Duration) error { return nil }
func (m peeked) Terminate(string) error    { return nil }
