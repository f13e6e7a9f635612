package relay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/worker"
)

const (
	// batchRows is how many rows go out together: one fsync for all of them. It
	// is the most that the server takes, and what a full batch of triage writes
	// fits in.
	batchRows = 1000
	// roundTimeout bounds one round, so that a process that is told to stop
	// finishes it and no more.
	roundTimeout = 15 * time.Second
	// lettersAtOnce is how many refused rows become dead letters before they are
	// marked.
	lettersAtOnce = 100
)

// publish publishes what waits, then sleeps until it is woken or a poll is due.
func (r *relay) publish(ctx context.Context) {
	woken, err := r.deps.Publisher.Woken(ctx)
	if err != nil {
		// Polling alone still works.
		r.log.Warn("cannot listen for wake-ups", zap.Error(err))
	}
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	grown := newGrowth()
	for pause := firstPause; ctx.Err() == nil; {
		n, err := r.round(ctx)
		if grown.due(n) {
			r.analyze(ctx)
		}
		switch {
		case err != nil:
			if ctx.Err() == nil {
				r.log.Warn("publishing is tried again", zap.Error(err))
			}
			sleep(ctx, pause)
			pause = min(2*pause, longestPause)
			continue
		case n == batchRows:
			pause = firstPause
			continue // there is more
		}
		pause = firstPause
		select {
		case <-woken:
		case <-poll.C:
		case <-ctx.Done():
		}
	}
}

// round publishes the oldest rows and marks them, in this order: marked first,
// a crash in between would lose them. It returns how many rows it published. A
// round that began is finished when ctx ends.
func (r *relay) round(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), roundTimeout)
	defer cancel()
	rows, err := r.deps.Store.Unpublished(ctx, batchRows)
	if err != nil {
		return 0, fmt.Errorf("read outbox: %w", err)
	}
	if len(rows) == 0 {
		return 0, nil
	}
	r.deps.At(worker.PointBeforePublish)
	seqs, failed := r.deps.Publisher.Publish(ctx, outgoing(rows))
	published := make(map[int64]uint64, len(rows))
	for i, seq := range seqs {
		if seq != 0 {
			published[rows[i].ID] = seq
		}
	}
	if len(published) > 0 {
		r.deps.At(worker.PointBeforeMark)
		if err := r.deps.Store.MarkPublished(ctx, published); err != nil {
			return 0, errors.Join(failed, fmt.Errorf("mark published: %w", err))
		}
		r.metrics.published.Add(float64(len(published)))
		r.log.Debug("published", zap.Int(telemetry.KeyCount, len(published)))
	}
	refused, failed := bus.Refusals(failed)
	aside, unstored := r.putAside(ctx, rows, refused)
	done := len(published) + aside
	if failed = errors.Join(failed, unstored); failed != nil {
		return done, fmt.Errorf("publish %d of %d: %w", len(rows)-done, len(rows), failed)
	}
	return done, nil
}

// putAside makes dead letters of the rows that the bus refuses, and returns how
// many wait no more. One whose letter cannot be stored is tried again. Some at a
// time, so that a round that ends early has got somewhere.
func (r *relay) putAside(ctx context.Context, rows []store.OutboxRow, refused []*bus.Refusal) (aside int, err error) {
	for some := range slices.Chunk(refused, lettersAtOnce) {
		ids := make([]int64, 0, len(some))
		for _, no := range some {
			row := rows[no.At]
			if err := r.deps.DeadLetters.PutRefused(ctx, advisories.Name, row.ID, row.At, outgoing(rows[no.At : no.At+1])[0], no.Reason); err != nil {
				return aside, err
			}
			ids = append(ids, row.ID)
		}
		if err := r.deps.Store.MarkRefused(ctx, ids...); err != nil {
			return aside, fmt.Errorf("mark refused: %w", err)
		}
		aside += len(ids)
		for _, no := range some {
			r.metrics.refused.WithLabelValues(no.Reason.Class).Inc()
			r.log.Error("the bus refuses an event, which became a dead letter. Remedy: mend the cause, then winnow dlq replay",
				zap.String(telemetry.KeyEvent, rows[no.At].EventID), zap.String(telemetry.KeySubject, rows[no.At].Subject),
				zap.String(telemetry.KeyReason, no.Reason.Class+": "+no.Reason.Text))
		}
	}
	return aside, nil
}

func outgoing(rows []store.OutboxRow) []bus.Outgoing {
	out := make([]bus.Outgoing, len(rows))
	for i, row := range rows {
		// Messages of an older version are addressed anew. An event may be a
		// principal's, such as one that came over HTTP, and principals choose their
		// ids without knowing of each other.
		out[i] = bus.Outgoing{ID: row.EventID, Subject: row.Subject, Header: row.Header, Data: row.Data}
		out[i].Subject = bus.Addressed(out[i])
		out[i].ID = event.MessageID(out[i].Subject, row.EventID)
	}
	return out
}
