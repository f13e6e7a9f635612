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
	// batchRows is how many rows are published together, with one fsync for all. It is
	// the server's limit, and holds the events of one full batch of triage.
	batchRows = 1000
	// roundTimeout bounds one round, which a stopping process finishes.
	roundTimeout = 15 * time.Second
	// deadLetterChunk is how many refused rows become dead letters before they are
	// marked together.
	deadLetterChunk = 100
)

// publish publishes unpublished rows, then sleeps until a wake-up or the next poll, and
// repeats both until ctx ends.
func (r *relay) publish(ctx context.Context) {
	woken, err := r.deps.Publisher.Woken(ctx)
	if err != nil {
		// Polling alone still works.
		r.log.Warn("cannot listen for wake-ups", zap.Error(err))
	}
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	defer r.deps.Conditions.Set("outbox", nil) // another process leads then, or none
	grown := newGrowth()
	for pause := firstPause; ctx.Err() == nil; {
		n, err := r.round(ctx)
		r.sayReadiness(ctx, err)
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
			continue // more rows may wait
		}
		pause = firstPause
		select {
		case <-woken:
		case <-poll.C:
		case <-ctx.Done():
		}
	}
}

// sayReadiness makes the process not ready while the stream takes nothing, and counts the
// rounds. Postgres has its own line in readiness. A server whose disk was full answers
// nothing until it is started again, also when there is room.
func (r *relay) sayReadiness(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil:
		return
	case errors.Is(err, bus.ErrUnavailable):
		r.metrics.failed.Inc()
		err = fmt.Errorf("events wait, the server stores none: %w. "+
			"Remedy: make room for its streams, and start it again when its disk was full (see \"Full disks\" in docs/operations.md)", err)
	case err != nil:
		return
	}
	r.deps.Conditions.Set("outbox", err)
}

// round publishes the oldest rows and then marks them; with marks first, a crash in
// between would lose the events. It returns how many rows are done: published, or dead
// letters. When ctx ends, a round in progress is finished.
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
	if err := ctx.Err(); err != nil {
		// This process stood still. Another has the lead by now, and has published the
		// rows, perhaps longer ago than the stream knows ids again.
		return 0, fmt.Errorf("publish: %w", err)
	}
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
	deadLettered, unstored := r.deadLetterRefused(ctx, rows, refused)
	done := len(published) + deadLettered
	if failed = errors.Join(failed, unstored); failed != nil {
		return done, fmt.Errorf("publish %d of %d: %w", len(rows)-done, len(rows), failed)
	}
	return done, nil
}

// deadLetterRefused stores dead letters for the rows that the bus refuses and marks the
// rows, in chunks, so that a round that ends early has made progress. It returns how many
// rows are marked. A row whose letter cannot be stored is tried again.
func (r *relay) deadLetterRefused(ctx context.Context, rows []store.OutboxRow, refused []*bus.Refusal) (deadLettered int, err error) {
	for some := range slices.Chunk(refused, deadLetterChunk) {
		ids := make([]int64, 0, len(some))
		for _, no := range some {
			row := rows[no.At]
			if err := r.deps.DeadLetters.PutRefused(ctx, advisories.Name, row.ID, row.At, outgoing(rows[no.At : no.At+1])[0], no.Reason); err != nil {
				return deadLettered, err
			}
			ids = append(ids, row.ID)
		}
		if err := r.deps.Store.MarkRefused(ctx, ids...); err != nil {
			return deadLettered, fmt.Errorf("mark refused: %w", err)
		}
		deadLettered += len(ids)
		for _, no := range some {
			r.metrics.refused.WithLabelValues(no.Reason.Class).Inc()
			r.log.Error("the bus refuses an event, which became a dead letter. Remedy: mend the cause, then winnow dlq replay",
				zap.String(telemetry.KeyEvent, rows[no.At].EventID), zap.String(telemetry.KeySubject, rows[no.At].Subject),
				zap.String(telemetry.KeyReason, no.Reason.Class+": "+no.Reason.Text))
		}
	}
	return deadLettered, nil
}

func outgoing(rows []store.OutboxRow) []bus.Outgoing {
	out := make([]bus.Outgoing, len(rows))
	for i, row := range rows {
		// A message of an older version gets this version's subject. The message id
		// includes the principal, because principals choose event ids independently, for
		// instance over HTTP.
		out[i] = bus.Outgoing{ID: row.EventID, Subject: row.Subject, Header: row.Header, Data: row.Data}
		out[i].Subject = bus.Addressed(out[i])
		out[i].ID = event.MessageID(out[i].Subject, row.EventID)
	}
	return out
}
