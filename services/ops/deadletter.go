package ops

import (
	"context"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/bus"
)

// DeadLettersFrom lists letters, oldest first, as they may be shown: streams hold
// what publishers sent, secrets included, and a screen or a log is not
// encrypted.
func (o *Ops) DeadLettersFrom(ctx context.Context, after uint64, limit int) ([]bus.DeadLetter, error) {
	letters, err := o.DeadLetters.List(ctx, after, limit)
	if err != nil {
		return nil, fmt.Errorf("list dead letters: %w", err)
	}
	for i := range letters {
		o.redactLetter(&letters[i])
	}
	return letters, nil
}

// DeadLetter returns one letter whole; raw leaves its secrets in.
func (o *Ops) DeadLetter(ctx context.Context, seq uint64, raw bool) (bus.DeadLetter, error) {
	l, err := o.DeadLetters.Get(ctx, seq)
	if err != nil {
		return l, fmt.Errorf("dead letter %d: %w", seq, err)
	}
	if !raw {
		o.redactLetter(&l)
	}
	return l, nil
}

// ReplayLetter publishes a letter's original again and returns its sequence
// number. What never got into a stream is published by the relay from its row of
// the outbox, under the id that it had; the number is then 0. Where that row is
// gone by retention, the letter itself is published.
func (o *Ops) ReplayLetter(ctx context.Context, seq uint64) (at uint64, err error) {
	l, err := o.DeadLetters.Get(ctx, seq)
	if err == nil && l.Stream == bus.Outbox {
		found, err := o.Store.RetryRefused(ctx, int64(l.Sequence))
		if err != nil || found {
			return 0, wrapLetter(seq, err)
		}
		if len(l.Data) == 0 {
			return 0, fmt.Errorf("dead letter %d: its body stayed in the outbox and is gone by retention: %w", seq, bus.ErrNoLetter)
		}
	}
	if err == nil {
		at, err = o.DeadLetters.Replay(ctx, seq)
	}
	return at, wrapLetter(seq, err)
}

func wrapLetter(seq uint64, err error) error {
	if err != nil {
		return fmt.Errorf("dead letter %d: %w", seq, err)
	}
	return nil
}

func (o *Ops) redactLetter(l *bus.DeadLetter) {
	l.Data = []byte(o.redacted(string(l.Data)))
	l.Reason.Text, l.Subject = o.redacted(l.Reason.Text), o.redacted(l.Subject)
	for _, values := range l.Header {
		for i, v := range values {
			values[i] = o.redacted(v)
		}
	}
}
