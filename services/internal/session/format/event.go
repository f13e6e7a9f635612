package format

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// OpenEvent begins to read the session of a session.completed event. body is the
// trace that a reference points at, nil for an event that carries its own. What
// the event states wins over what the trace says and over the format in o.
//
// A body is checked against its reference when its end is reached: only then is
// a [Problem] over [ErrDigest] returned, by [Reader.Next].
func OpenEvent(msg *winnowv1.SessionCompleted, body io.Reader, o trace.Options) (*Reader, error) {
	format, err := trace.ParseFormat(msg.GetFormat())
	if err != nil {
		return nil, err
	}
	o.Format = format
	if o := trace.Outcome(msg.GetOutcome()); o != "" && o != trace.OutcomeSuccess && o != trace.OutcomeFailure && o != trace.OutcomeUnknown {
		return nil, &trace.Problem{
			Field: "outcome", What: fmt.Sprintf("%.40q is no outcome", msg.GetOutcome()), Kind: trace.ErrUnreadable,
			Remedy: "send success, failure, or nothing to have it inferred",
		}
	}
	ref := msg.GetReference()
	switch {
	case body != nil && ref != nil:
		body = &checked{r: body, h: sha256.New(), want: ref}
	case ref != nil:
		return nil, &trace.Problem{Field: "reference", What: "the trace behind the reference was not found", Remedy: "upload it before the event is published", Kind: trace.ErrEmpty}
	case body == nil:
		body = bytes.NewReader(msg.GetInline())
	}
	r, err := Open(body, o)
	if err != nil {
		return nil, err
	}
	r.stated(msg)
	return r, nil
}

// ReadEvent is [OpenEvent] and [Collect].
func ReadEvent(msg *winnowv1.SessionCompleted, body io.Reader, o trace.Options) (trace.Session, error) {
	r, err := OpenEvent(msg, body, o)
	if err != nil {
		return trace.Session{}, err
	}
	return Collect(r)
}

// stated stores what an event says about its session.
func (r *Reader) stated(msg *winnowv1.SessionCompleted) {
	id := msg.GetSessionId()
	if id == "" {
		id = msg.GetId()
	}
	r.over = trace.Session{
		ID: id, Agent: msg.GetAgent(), Project: msg.GetProject(), Outcome: trace.Outcome(msg.GetOutcome()),
		Task: r.line(msg.GetTask()),
	}
	if at := msg.GetStartedAt(); at.IsValid() {
		r.over.StartedAt = at.AsTime()
	}
	if at := msg.GetEndedAt(); at.IsValid() {
		r.over.EndedAt = at.AsTime()
	}
}

// checked is a reader that compares a body with its reference.
type checked struct {
	r    io.Reader
	h    hash.Hash
	size int64
	want *winnowv1.TraceReference
}

func (c *checked) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.size += int64(n)
	_, _ = c.h.Write(p[:n]) // a hash never fails
	if errors.Is(err, io.EOF) && (c.size != c.want.GetSize() || !bytes.Equal(c.h.Sum(nil), c.want.GetSha256())) {
		return n, &trace.Problem{
			Field: "reference.sha256", What: "size or digest of the trace differ from the event's", Kind: trace.ErrDigest,
			Remedy: "upload the trace again and publish the reference that the intake returns",
		}
	}
	return n, err
}
