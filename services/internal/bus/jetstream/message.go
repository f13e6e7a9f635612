package jetstream

import (
	"context"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/services/internal/bus"
)

// message is one delivery. Its metadata is parsed once, at the pull.
type message struct {
	msg  natsjs.Msg
	meta bus.Meta
}

var _ bus.Message = (*message)(nil)

func newMessage(m natsjs.Msg) (*message, error) {
	md, err := m.Metadata()
	if err != nil {
		return nil, err
	}
	return &message{msg: m, meta: bus.Meta{
		Stream:    md.Stream,
		Consumer:  md.Consumer,
		Sequence:  md.Sequence.Stream,
		Delivered: int(md.NumDelivered),
		Stored:    md.Timestamp,
	}}, nil
}

func (m *message) Subject() string             { return m.msg.Subject() }
func (m *message) Header() map[string][]string { return m.msg.Headers() }
func (m *message) Data() []byte                { return m.msg.Data() }
func (m *message) Meta() bus.Meta              { return m.meta }

func (m *message) InProgress() error { return mapped("mark in progress", m.msg.InProgress()) }

// Ack does not wait for the server: the effect is committed, and a lost ack
// only costs a redelivery that finds its inbox row. Waiting would halve the
// throughput.
func (m *message) Ack(context.Context) error { return mapped("ack", m.msg.Ack()) }

func (m *message) Retry(delay time.Duration) error {
	return mapped("nak", m.msg.NakWithDelay(max(delay, 0)))
}

func (m *message) Terminate(reason string) error {
	return mapped("terminate", m.msg.TermWithReason(reason))
}
