package publishtest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/proto"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/pkg/publish"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

// Recorder records what was published. The zero value is ready and accepts
// everything that Winnow accepts. It is safe for concurrent use.
type Recorder struct {
	mu     sync.Mutex
	events []Event
	traces map[string][]byte // by subject
	ids    map[string]uint64
	fail   error
}

var _ publish.Wire = (*Recorder)(nil)

// Event is one recorded message, as Winnow reads it.
type Event struct {
	event.Envelope
	// Message is the decoded payload, for instance a *winnowv1.ProposalCreated.
	Message proto.Message
}

// Fail makes the following publishes fail with err, for instance
// jetstream.ErrNoStreamResponse. Nil ends it.
func (r *Recorder) Fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fail = err
}

// Events returns what was stored so far, in order, duplicates left out.
func (r *Recorder) Events() []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Event(nil), r.events...)
}

// Proposals returns the proposals among Events.
func (r *Recorder) Proposals() []*winnowv1.ProposalCreated {
	var out []*winnowv1.ProposalCreated
	for _, e := range r.Events() {
		if p, ok := e.Message.(*winnowv1.ProposalCreated); ok {
			out = append(out, p)
		}
	}
	return out
}

// Trace returns the trace that was stored under the address of a reference, nil
// if there is none.
func (r *Recorder) Trace(uri string) []byte {
	subject, err := event.TraceSubject(uri)
	if err != nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.traces[subject])
}

// PublishMsg records one message. Its errors are those of Fail, of ctx, and the
// sentinels of package event.
func (r *Recorder) PublishMsg(ctx context.Context, msg *nats.Msg, _ ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return r.record(msg)
}

// PublishMsgAsync records one message; the future is already settled.
func (r *Recorder) PublishMsgAsync(msg *nats.Msg, _ ...jetstream.PublishOpt) (jetstream.PubAckFuture, error) {
	f := &future{msg: msg, ok: make(chan *jetstream.PubAck, 1), err: make(chan error, 1)}
	if ack, err := r.record(msg); err != nil {
		f.err <- err
	} else {
		f.ok <- ack
	}
	return f, nil
}

func (r *Recorder) record(msg *nats.Msg) (*jetstream.PubAck, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail != nil {
		return nil, r.fail
	}
	if strings.HasPrefix(msg.Subject, event.SubjectTrace+".") {
		return r.piece(msg)
	}
	stream := "MEMORY"
	if strings.HasPrefix(msg.Subject, "session.") {
		stream = "SESSIONS"
	}
	seq := uint64(len(r.events) + 1)
	env, err := event.Parse(msg.Subject, msg.Header, msg.Data, fmt.Sprintf("%s:%d", stream, seq))
	if err != nil {
		return nil, err
	}
	payload, err := event.NewMessage(env.Subject)
	if err != nil {
		return nil, err
	}
	if err := event.Unmarshal(env, payload); err != nil {
		return nil, err
	}
	if id := msg.Header.Get(jetstream.MsgIDHeader); id != "" {
		if first, ok := r.ids[id]; ok {
			return &jetstream.PubAck{Stream: stream, Sequence: first, Duplicate: true}, nil
		}
		if r.ids == nil {
			r.ids = map[string]uint64{}
		}
		r.ids[id] = seq
	}
	r.events = append(r.events, Event{Envelope: env, Message: payload})
	return &jetstream.PubAck{Stream: stream, Sequence: seq}, nil
}

// piece records a part of a trace.
func (r *Recorder) piece(msg *nats.Msg) (*jetstream.PubAck, error) {
	if len(msg.Data) > event.MaxPayload {
		return nil, nats.ErrMaxPayload
	}
	if r.traces == nil {
		r.traces = map[string][]byte{}
	}
	r.traces[msg.Subject] = append(r.traces[msg.Subject], msg.Data...)
	return &jetstream.PubAck{Stream: "TRACES"}, nil
}

// future is a confirmation that has already arrived.
type future struct {
	msg *nats.Msg
	ok  chan *jetstream.PubAck
	err chan error
}

func (f *future) Ok() <-chan *jetstream.PubAck { return f.ok }
func (f *future) Err() <-chan error            { return f.err }
func (f *future) Msg() *nats.Msg               { return f.msg }
