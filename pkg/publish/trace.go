package publish

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

const (
	// tracePiece is how much of a trace one message carries, in bytes: half of
	// what servers take by default.
	tracePiece = 512 << 10
	// headroom is the part of a server's limit that is reserved for headers and
	// for the event's fields beside its trace.
	headroom = 8 << 10
)

// Trace stores a trace of any length, piece by piece, for an event to refer to:
// put the result into SessionCompleted.reference. Only events of the same
// principal may refer to it. The trace expires: publish the event within a
// week.
//
// The error is the reader's own, or one that Proposal gives. Pieces that are
// stored already expire, and a second attempt starts again. One piece is held
// in memory at a time.
func (c *Client) Trace(ctx context.Context, r io.Reader) (*winnowv1.TraceReference, error) {
	uri, err := event.TraceURI(c.principal, NewID())
	if err != nil {
		return nil, fmt.Errorf("publish trace: %w", err)
	}
	subject, err := event.TraceSubject(uri)
	if err != nil {
		return nil, fmt.Errorf("publish trace: %w", err)
	}
	ref, digest := &winnowv1.TraceReference{Uri: uri}, sha256.New()
	for n := 0; ; n++ {
		// The client library may retain the slice.
		piece := make([]byte, min(tracePiece, c.limit()))
		size, err := io.ReadFull(r, piece)
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return nil, fmt.Errorf("publish trace: read: %w", err)
		}
		if size > 0 {
			msg := &nats.Msg{Subject: subject, Data: piece[:size], Header: nats.Header{}}
			msg.Header.Set(jetstream.MsgIDHeader, subject+"/"+strconv.Itoa(n))
			// One after the other: their order is the trace.
			if _, err := c.wire.PublishMsg(ctx, msg); err != nil {
				return nil, explain(subject, err)
			}
			_, _ = digest.Write(piece[:size]) // a hash never fails
			ref.Size += int64(size)
		}
		if last {
			ref.Sha256 = digest.Sum(nil)
			return ref, nil
		}
	}
}

// byReference returns a session whose trace is too large for its event with a
// reference to the stored trace. Any other session is returned unchanged.
func (c *Client) byReference(ctx context.Context, s *winnowv1.SessionCompleted) (*winnowv1.SessionCompleted, error) {
	inline := len(s.GetInline())
	if c.json {
		inline += inline / 3 // base64
	}
	if inline <= c.limit() {
		return s, nil
	}
	ref, err := c.Trace(ctx, bytes.NewReader(s.GetInline()))
	if err != nil {
		return nil, err
	}
	light := &winnowv1.SessionCompleted{}
	// Field by field, so that the trace itself is not copied.
	s.ProtoReflect().Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if f.Name() != "inline" {
			light.ProtoReflect().Set(f, v)
		}
		return true
	})
	light.Trace = &winnowv1.SessionCompleted_Reference{Reference: ref}
	return light, nil
}

// limit returns how many bytes of a trace a message may carry.
func (c *Client) limit() int {
	most := event.MaxPayload
	if c.maxPayload != nil {
		most = min(most, c.maxPayload())
	}
	return max(most-headroom, 1<<10)
}
