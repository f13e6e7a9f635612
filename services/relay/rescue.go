package relay

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/bus"
)

// notesAtOnce is how many advisories are taken together.
const notesAtOnce = 64

// rescue makes dead letters of messages whose worker could not: those that
// killed it. Every replica helps; the durable deals the notes out.
func (r *relay) rescue(ctx context.Context) error {
	defer r.notes.Drain()
	for pause := firstPause; ctx.Err() == nil; {
		notes, err := r.notes.Fetch(ctx, notesAtOnce)
		if err != nil {
			if ctx.Err() == nil {
				r.log.Debug("cannot read advisories", zap.Error(err))
			}
			sleep(ctx, pause)
			pause = min(2*pause, longestPause)
			continue
		}
		pause = firstPause
		for _, note := range notes {
			r.rescueOne(context.WithoutCancel(ctx), note)
		}
	}
	return nil
}

func (r *relay) rescueOne(ctx context.Context, note bus.Message) {
	err := r.deps.DeadLetters.Rescue(ctx, note)
	switch {
	case errors.Is(err, bus.ErrNoLetter):
		// The original has aged out: there is nothing left to keep.
		r.log.Warn("an advisory without its message", zap.Error(err))
	case err != nil:
		r.log.Warn("a dead letter could not be stored", zap.Error(err))
		// Unsettled is as good when this fails too: it comes back.
		_ = note.Retry(longestPause)
		return
	}
	if err := note.Ack(ctx); err != nil {
		r.log.Debug("ack advisory", zap.Error(err))
	}
}
