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
	// advisoryBatch is how many advisories are processed together.
	advisoryBatch = 64
	// advisoryWait is how long one round waits for an advisory.
	advisoryWait = time.Minute
)

// rescue stores dead letters for messages whose worker could not, because they crashed
// it. Every replica runs it; the durable distributes the advisories.
type rescue struct{ worker.Deps }

// Await implements [worker.Projection].
func (rescue) Await(context.Context) (time.Duration, error) { return advisoryWait, nil }

// Topic implements [worker.Projection]: each advisory is a topic of its own.
func (rescue) Topic(e worker.Event) (worker.Topic, error) { return worker.Topic{Name: e.ID}, nil }

// Project implements [worker.Projection].
func (r rescue) Project(ctx context.Context, advisories []worker.TopicEvents) (failed map[int]error, err error) {
	failed = map[int]error{}
	for i, a := range advisories {
		err := r.DeadLetters.Rescue(ctx, a.Events[0].Subject, a.Events[0].Data)
		switch {
		case errors.Is(err, bus.ErrNoLetter):
			// The original has aged out of its stream; there is nothing to store.
			r.Log.Warn("an advisory without its message", zap.Error(err))
		case err != nil:
			failed[i] = worker.Snooze(longestPause, err)
		}
	}
	return failed, nil
}
