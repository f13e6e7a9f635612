package publish

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/proto"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

// asyncTimeout is how long the confirmation of a batch's event may take. A
// single event waits as long as its context, or 5 s without a deadline.
const asyncTimeout = 30 * time.Second

// Wire is the part of jetstream.JetStream that a Client needs; a test passes
// publishtest.Recorder instead.
type Wire interface {
	PublishMsg(ctx context.Context, msg *nats.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error)
	PublishMsgAsync(msg *nats.Msg, opts ...jetstream.PublishOpt) (jetstream.PubAckFuture, error)
}

// Client publishes events. It is safe for concurrent use and holds nothing that
// needs closing; the connection stays the caller's.
type Client struct {
	wire Wire
	config
	maxPayload func() int // of the server; nil when unknown
}

// Receipt is the stream's confirmation.
type Receipt struct {
	// EventID is the id under which the event was sent. It is set beside an
	// error too, so that sending again can use it.
	EventID string
	// Stream that stored the event, and the event's place in it.
	Stream   string
	Sequence uint64
	// Duplicate says that the stream had this event already; Sequence is then
	// the place of the first one.
	Duplicate bool
}

// New returns a client over a connection. The error is that of an option.
func New(nc *nats.Conn, opts ...Option) (*Client, error) {
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncTimeout(asyncTimeout))
	if err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	c, err := NewOn(js, opts...)
	if err != nil {
		return nil, err
	}
	c.maxPayload = func() int { return int(nc.MaxPayload()) }
	return c, nil
}

// NewOn returns a client over anything that publishes like JetStream.
func NewOn(wire Wire, opts ...Option) (*Client, error) {
	c := &Client{wire: wire, config: config{inFlight: DefaultInFlight}}
	for _, opt := range opts {
		if err := opt(&c.config); err != nil {
			return nil, fmt.Errorf("publish: %w", err)
		}
	}
	return c, nil
}

// Proposal publishes a text to be remembered. An empty id is replaced by a new
// one; p is not changed. The error is ErrNoStream, ErrUnconfirmed, or one of
// the sentinels of package event for what Winnow would refuse.
func (c *Client) Proposal(ctx context.Context, p *winnowv1.ProposalCreated) (Receipt, error) {
	return c.send(ctx, p, p.GetId())
}

// SessionCompleted publishes a finished session, under the same terms as
// Proposal. A trace that is larger than a message is stored first and goes by
// reference. For a trace that is too large to hold in memory, pass the
// reference that Trace returns. Sending again stores the trace again, and the
// event counts once.
func (c *Client) SessionCompleted(ctx context.Context, s *winnowv1.SessionCompleted) (Receipt, error) {
	id := s.GetId()
	if id == "" {
		id = NewID()
	}
	s, err := c.byReference(ctx, s)
	if err != nil {
		return Receipt{EventID: id}, err
	}
	return c.send(ctx, s, id)
}

// DigestReply publishes a person's answer to a digest, under the same terms as
// Proposal.
func (c *Client) DigestReply(ctx context.Context, r *winnowv1.DigestReply) (Receipt, error) {
	return c.send(ctx, r, r.GetId())
}

func (c *Client) send(ctx context.Context, m proto.Message, id string) (Receipt, error) {
	if id == "" {
		id = NewID()
	}
	msg, err := c.message(ctx, m, id)
	if err != nil {
		return Receipt{EventID: id}, err
	}
	ack, err := c.wire.PublishMsg(ctx, msg)
	if err != nil {
		return Receipt{EventID: id}, explain(msg.Subject, err)
	}
	return receipt(id, ack), nil
}

func receipt(id string, ack *jetstream.PubAck) Receipt {
	return Receipt{EventID: id, Stream: ack.Stream, Sequence: ack.Sequence, Duplicate: ack.Duplicate}
}

// message encodes m for the bus.
func (c *Client) message(ctx context.Context, m proto.Message, id string) (*nats.Msg, error) {
	bare, err := event.SubjectOf(m)
	if err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	subject, err := event.SubjectFor(bare, c.principal)
	if err != nil {
		return nil, fmt.Errorf("publish: %w", err)
	}
	opts := event.Options{ID: id, Principal: c.principal, Source: c.source, Time: time.Now(), JSON: c.json}
	if c.trace != nil {
		opts.Traceparent, opts.Tracestate = c.trace(ctx)
	}
	header, data, err := event.Encode(m, opts)
	if err != nil {
		return nil, fmt.Errorf("publish %s: %w", subject, err)
	}
	return &nats.Msg{Subject: subject, Header: header, Data: data}, nil
}
