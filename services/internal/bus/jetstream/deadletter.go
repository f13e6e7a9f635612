package jetstream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/winnowhq/winnow/services/internal/bus"
)

const deadLetterPrefix = "winnow.dlq."

// Headers that a letter has in addition to its original's.
const (
	dlqPrefix       = "Winnow-Dlq-"
	dlqConsumer     = dlqPrefix + "Consumer"
	dlqClass        = dlqPrefix + "Class"
	dlqText         = dlqPrefix + "Text"
	dlqSubject      = dlqPrefix + "Subject"
	dlqStream       = dlqPrefix + "Stream"
	dlqSequence     = dlqPrefix + "Sequence"
	dlqAttempts     = dlqPrefix + "Attempts"
	dlqStored       = dlqPrefix + "Stored"
	dlqHeaderPrefix = dlqPrefix + "Original-" // of the original's Nats- headers
	// dlqBody marks a letter whose body stayed in the original's stream, because with
	// the reason the letter would exceed the server's maximum payload.
	dlqBody = dlqPrefix + "Body"
)

// The limits of one answer in letters and in bytes. An answer is held in memory.
const (
	lettersAtOnce = 250
	lettersBytes  = 8 << 20
)

// maxReason bounds the text of a reason, in bytes.
const maxReason = 512

// DeadLetters stores letters in a stream of their own. Safe for concurrent use.
type DeadLetters struct {
	nc *nats.Conn
	js natsjs.JetStream
}

var _ bus.DeadLetters = (*DeadLetters)(nil)

// NewDeadLetters returns the dead letters of the server behind nc.
func NewDeadLetters(nc *nats.Conn) (*DeadLetters, error) {
	js, err := natsjs.New(nc)
	if err != nil {
		return nil, mapped("open dead letters", err)
	}
	return &DeadLetters{nc: nc, js: js}, nil
}

// Put implements [bus.DeadLetters].
func (d *DeadLetters) Put(ctx context.Context, consumer string, m bus.Message, reason bus.Reason) error {
	meta := m.Meta()
	return d.put(ctx, bus.DeadLetter{
		Consumer: consumer, Reason: reason,
		Subject: m.Subject(), Stream: meta.Stream, Sequence: meta.Sequence,
		Stored: meta.Stored, Attempts: meta.Delivered,
		Header: m.Header(), Data: m.Data(),
	})
}

// PutRefused implements [bus.DeadLetters].
func (d *DeadLetters) PutRefused(ctx context.Context, consumer string, row int64, at time.Time, m bus.Outgoing, reason bus.Reason) error {
	return d.put(ctx, bus.DeadLetter{
		Consumer: consumer, Reason: reason,
		Subject: m.Subject, Stream: bus.Outbox, Sequence: uint64(row),
		Attempts: 1, Stored: at,
		Header: m.Header, Data: m.Data,
	})
}

func (d *DeadLetters) put(ctx context.Context, l bus.DeadLetter) error {
	m := &nats.Msg{Subject: deadLetterPrefix + l.Consumer, Header: letterHeader(l), Data: l.Data}
	m.Header.Set(natsjs.MsgIDHeader, "dlq/"+l.Consumer+"/"+bus.FallbackID(l.Stream, l.Sequence, l.Stored))
	if limit := d.nc.MaxPayload(); limit > 0 && int64(m.Size()) > limit {
		m.Header.Set(dlqBody, "in-stream")
		m.Data = nil
	}
	ctx, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	if _, err := d.js.PublishMsg(ctx, m); err != nil {
		return mapped("store dead letter", err)
	}
	return nil
}

// letterHeader returns the original's header with the reason added. It renames headers
// on which the server acts, so that they are stored without effect.
func letterHeader(l bus.DeadLetter) nats.Header {
	h := make(nats.Header, len(l.Header)+9)
	for name, values := range l.Header {
		if strings.HasPrefix(strings.ToLower(name), "nats-") {
			name = dlqHeaderPrefix + name
		}
		h[name] = values
	}
	text := l.Reason.Text
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + "…"
	}
	h.Set(dlqConsumer, l.Consumer)
	h.Set(dlqClass, l.Reason.Class)
	// A header must be one line.
	h.Set(dlqText, strings.Join(strings.Fields(text), " "))
	h.Set(dlqSubject, l.Subject)
	h.Set(dlqStream, l.Stream)
	h.Set(dlqSequence, strconv.FormatUint(l.Sequence, 10))
	h.Set(dlqAttempts, strconv.Itoa(l.Attempts))
	h.Set(dlqStored, l.Stored.UTC().Format(time.RFC3339Nano))
	return h
}

// List implements [bus.DeadLetters]. It does not load bodies that stayed in their
// stream; Get does.
func (d *DeadLetters) List(ctx context.Context, after uint64, limit int) ([]bus.DeadLetter, error) {
	var out []bus.DeadLetter
	for more := true; more && len(out) < limit; {
		var page []stored
		var err error
		page, more, err = readMany(ctx, d.nc, bus.StreamDeadLetters, directGet{
			Sequence: after + 1, Next: deadLetterPrefix + ">",
			Batch: min(limit-len(out), lettersAtOnce), MaxBytes: lettersBytes,
		})
		if err != nil {
			return out, mapped("list dead letters", err)
		}
		more = more && len(page) > 0
		for _, s := range page {
			out = append(out, letter(s))
			after = s.Sequence
		}
	}
	return out, nil
}

// Get implements [bus.DeadLetters].
func (d *DeadLetters) Get(ctx context.Context, seq uint64) (bus.DeadLetter, error) {
	s, err := readStored(ctx, d.nc, bus.StreamDeadLetters, directGet{Sequence: seq})
	if errors.Is(err, errNoMessage) {
		return bus.DeadLetter{}, fmt.Errorf("dead letter %d: %w", seq, bus.ErrNoLetter)
	}
	if err != nil {
		return bus.DeadLetter{}, mapped("read dead letter", err)
	}
	l := letter(s)
	if _, left := s.Header[dlqBody]; left && l.Stream == bus.Outbox {
		// The store has the body and publishes it from there.
		l.Data = nil
	} else if left {
		original, err := readStored(ctx, d.nc, l.Stream, directGet{Sequence: l.Sequence})
		if errors.Is(err, errNoMessage) {
			return bus.DeadLetter{}, fmt.Errorf("dead letter %d: its body stayed in stream %s and has aged out there: %w", seq, l.Stream, bus.ErrNoLetter)
		}
		if err != nil {
			return bus.DeadLetter{}, mapped("read dead letter's body", err)
		}
		l.Data = original.Data
	}
	return l, nil
}

// Replay implements [bus.DeadLetters].
func (d *DeadLetters) Replay(ctx context.Context, seq uint64) (uint64, error) {
	l, err := d.Get(ctx, seq)
	if err != nil {
		return 0, err
	}
	out := bus.Replayed(l, fmt.Sprintf("replay/%d/%s", seq, nuid.Next()))
	ack, err := d.js.PublishMsg(ctx, outgoingMsg(out))
	if err != nil {
		return 0, mapped("replay dead letter", err)
	}
	return ack.Sequence, nil
}

// letter returns the dead letter in a stored message.
func letter(s stored) bus.DeadLetter {
	l := bus.DeadLetter{Seq: s.Sequence, At: s.At, Header: maps.Clone(s.Header), Data: s.Data}
	pop := func(name string) string {
		defer delete(l.Header, name)
		if v := l.Header[name]; len(v) > 0 {
			return v[0]
		}
		return ""
	}
	l.Consumer, l.Reason.Class, l.Reason.Text = pop(dlqConsumer), pop(dlqClass), pop(dlqText)
	l.Subject, l.Stream = pop(dlqSubject), pop(dlqStream)
	// put writes these headers; zero values show a letter of another program.
	l.Sequence, _ = strconv.ParseUint(pop(dlqSequence), 10, 64)
	l.Attempts, _ = strconv.Atoi(pop(dlqAttempts))
	l.Stored, _ = time.Parse(time.RFC3339Nano, pop(dlqStored))
	for _, name := range []string{dlqBody, natsjs.MsgIDHeader} {
		delete(l.Header, name)
	}
	for name, values := range s.Header {
		if original, ok := strings.CutPrefix(name, dlqHeaderPrefix); ok {
			delete(l.Header, name)
			l.Header[original] = values
		}
	}
	return l
}
