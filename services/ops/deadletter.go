package ops

import (
	"context"
	"fmt"
	"slices"

	"github.com/winnowhq/winnow/services/internal/bus"
)

// DeadLettersFrom lists dead letters, oldest first, with their secrets redacted.
// Streams store the publishers' bytes, secrets included, and a screen or a log
// is not encrypted.
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

// lettersAtOnce bounds one page of letters that are looked through.
const lettersAtOnce = 500

// LetterOf returns the dead letter of an event, by its CloudEvents id, or nil; it looks at
// letters after a sequence number and returns the last that it saw.
func (o *Ops) LetterOf(ctx context.Context, event string, after uint64) (letter *bus.DeadLetter, last uint64, err error) {
	for last = after; ; {
		page, err := o.DeadLettersFrom(ctx, last, lettersAtOnce)
		if err != nil {
			return nil, last, err
		}
		for i, l := range page {
			last = l.Seq
			if slices.Contains(l.Header["ce-id"], event) {
				return &page[i], last, nil
			}
		}
		if len(page) < lettersAtOnce {
			return nil, last, nil
		}
	}
}

// DeadLetter returns one complete dead letter; raw skips the redaction.
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

// ReplayLetter publishes the original event of a dead letter again and returns
// its sequence number. The relay publishes an event that never reached a stream,
// from its outbox row and under its original id; the number is then 0. When
// retention has deleted that row, ReplayLetter publishes the letter's own copy.
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
