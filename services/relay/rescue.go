package relay

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/worker"
)

const (
	// notesAtOnce is how many advisories are taken together.
	notesAtOnce = 64
	// quietRound is how long one round waits for an advisory.
	quietRound = time.Minute
)

// rescue makes dead letters of messages whose worker could not: those that
// killed it. Every replica helps; the durable deals the advisories out.
type rescue struct{ worker.Deps }

// Await implements [worker.Projection].
func (rescue) Await(context.Context) (time.Duration, error) { return quietRound, nil }

// Topic implements [worker.Projection]: every advisory is about a message of its
// own.
func (rescue) Topic(e worker.Event) (worker.Topic, error) { return worker.Topic{Name: e.ID}, nil }

// Project implements [worker.Projection].
func (r rescue) Project(ctx context.Context, advisories []worker.TopicEvents) (failed map[int]error, err error) {
	failed = map[int]error{}
	for i, a := range advisories {
		err := r.DeadLetters.Rescue(ctx, a.Events[0].Subject, a.Events[0].Data)
		switch {
		case errors.Is(err, bus.ErrNoLetter):
			// The original has aged out: there is nothing left to store.
			r.Log.Warn("an advisory without its message", zap.Error(err))
		case err != nil:
			failed[i] = worker.Snooze(longestPause, err)
		}
	}
	return failed, nil
}
