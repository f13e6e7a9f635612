package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
)

// traceGet is the subject of requests for the pieces of traces. The stream's leader
// answers there, unlike with direct get: from a replica that lags, a complete trace would
// look truncated, which is a permanent error.
const traceGet = "$JS.API.STREAM.MSG.GET." + bus.StreamTraces

// Traces opens traces. Safe for concurrent use.
type Traces struct{ nc *nats.Conn }

var _ bus.Traces = (*Traces)(nil)

// NewTraces returns the traces of the server behind nc. The caller closes nc.
func NewTraces(nc *nats.Conn) *Traces { return &Traces{nc: nc} }

// OpenTrace implements [bus.Traces]. The reader holds one piece at a time.
func (t *Traces) OpenTrace(ctx context.Context, uri string) (io.ReadCloser, error) {
	subject, err := event.TraceSubject(uri)
	if err != nil {
		return nil, fmt.Errorf("open trace: %w: %w", bus.ErrNoTrace, err)
	}
	r := &traceReader{ctx: ctx, nc: t.nc, subject: subject}
	if err := r.fetch(); errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("open trace %s: %w", uri, bus.ErrNoTrace)
	} else if err != nil {
		return nil, err
	}
	return r, nil
}

// traceReader reads the messages of one subject as one stream of bytes. It is for one
// goroutine.
type traceReader struct {
	ctx     context.Context //nolint:containedctx // a reader lives within the call that opened it
	nc      *nats.Conn
	subject string
	seq     uint64 // of the latest piece
	piece   []byte // its unread rest
	err     error  // the reason why there is no further piece
}

// Read implements io.Reader.
func (r *traceReader) Read(p []byte) (int, error) {
	for len(r.piece) == 0 {
		if r.err == nil {
			r.err = r.fetch()
		}
		if r.err != nil {
			return 0, r.err
		}
	}
	n := copy(p, r.piece)
	r.piece = r.piece[n:]
	return n, nil
}

// Close implements io.Closer.
func (r *traceReader) Close() error {
	r.piece, r.err = nil, io.ErrClosedPipe
	return nil
}

// fetch reads the next piece. The error is io.EOF when there is none.
func (r *traceReader) fetch() error {
	body, err := json.Marshal(directGet{Sequence: r.seq + 1, Next: r.subject})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.ctx, batchTimeout)
	defer cancel()
	m, err := r.nc.RequestWithContext(ctx, traceGet, body)
	if err != nil {
		if r.ctx.Err() != nil {
			return r.ctx.Err() // the caller gave up; the server need not be away
		}
		return mapped("read trace", err)
	}
	var answer struct {
		Error   *natsjs.APIError `json:"error"`
		Message struct {
			Sequence uint64 `json:"seq"`
			Data     []byte `json:"data"`
		} `json:"message"`
	}
	if err := json.Unmarshal(m.Data, &answer); err != nil {
		return fmt.Errorf("read trace: %w", err)
	}
	switch e := answer.Error; {
	case e == nil:
	case e.ErrorCode == natsjs.JSErrCodeMessageNotFound:
		return io.EOF
	case e.ErrorCode == natsjs.JSErrCodeStreamNotFound:
		return fmt.Errorf("read trace: %w: %w", bus.ErrNoTrace, e)
	default:
		return fmt.Errorf("read trace: %w: %w", bus.ErrUnavailable, e)
	}
	r.seq, r.piece = answer.Message.Sequence, answer.Message.Data
	return nil
}
