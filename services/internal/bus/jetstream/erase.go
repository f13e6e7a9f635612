package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
)

// messageDelete starts the subjects of requests that delete one message; the stream's name
// follows.
const messageDelete = "$JS.API.STREAM.MSG.DELETE."

// Eraser erases messages. The server overwrites the bytes of one that is deleted by its
// number, unless it is told not to.
type Eraser struct{ nc *nats.Conn }

var _ bus.Eraser = (*Eraser)(nil)

// NewEraser returns the eraser of the server behind nc. The caller closes nc.
func NewEraser(nc *nats.Conn) *Eraser { return &Eraser{nc: nc} }

// erasable lists the streams that carry texts, traces apart.
func erasable() []string {
	names := []string{bus.StreamDeadLetters}
	for _, s := range eventStreams() {
		names = append(names, s.Name)
	}
	return names
}

// Erase implements [bus.Eraser].
func (e *Eraser) Erase(ctx context.Context, match func(bus.StoredMessage) bool, apply bool) (map[string]int, error) {
	done := map[string]int{}
	for _, stream := range erasable() {
		var after uint64
		for more := true; more; {
			page, follows, err := readMany(ctx, e.nc, stream, directGet{Sequence: after + 1, Next: ">", Batch: lettersAtOnce, MaxBytes: lettersBytes})
			if err != nil {
				return done, mapped("read stream "+stream, err)
			}
			more = follows && len(page) > 0
			for _, s := range page {
				after = s.Sequence
				if !match(published(stream, s)) {
					continue
				}
				if apply {
					if err := e.delete(ctx, stream, s.Sequence); err != nil {
						return done, err
					}
				}
				done[stream]++
			}
		}
	}
	return done, nil
}

// published returns a stored message under the subject and the header of its publisher,
// which a dead letter has in headers of its own.
func published(stream string, s stored) bus.StoredMessage {
	if stream != bus.StreamDeadLetters {
		return bus.StoredMessage{Subject: s.Subject, Header: s.Header, Data: s.Data}
	}
	l := letter(s)
	return bus.StoredMessage{Subject: l.Subject, Header: l.Header, Data: l.Data, Reason: l.Reason.Text}
}

// EraseTrace implements [bus.Eraser].
func (e *Eraser) EraseTrace(ctx context.Context, uri string, apply bool) (n int, err error) {
	subject, err := event.TraceSubject(uri)
	if err != nil {
		return 0, nil //nolint:nilerr // a reference that leads nowhere has no pieces
	}
	for after := uint64(0); ; n++ {
		s, err := readStored(ctx, e.nc, bus.StreamTraces, directGet{Sequence: after + 1, Next: subject})
		if errors.Is(err, errNoMessage) {
			return n, nil
		}
		if err != nil {
			return n, mapped("read trace", err)
		}
		after = s.Sequence
		if apply {
			if err := e.delete(ctx, bus.StreamTraces, s.Sequence); err != nil {
				return n, err
			}
		}
	}
}

// delete erases one message. One that is gone already is no error.
func (e *Eraser) delete(ctx context.Context, stream string, seq uint64) error {
	body, err := json.Marshal(map[string]uint64{"seq": seq})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	m, err := e.nc.RequestWithContext(ctx, messageDelete+stream, body)
	if err != nil {
		return mapped("erase message", err)
	}
	var answer struct {
		Error *struct {
			Description string `json:"description"`
		} `json:"error"`
	}
	if err := json.Unmarshal(m.Data, &answer); err != nil {
		return fmt.Errorf("erase message: %w", err)
	}
	if answer.Error != nil && !strings.Contains(answer.Error.Description, "no message found") {
		return fmt.Errorf("erase message %d of %s: %s", seq, stream, answer.Error.Description)
	}
	return nil
}
