package ingest

import (
	"context"
	"errors"
	"runtime"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// work ingests the sessions that arrive over the bus.
type work struct{ sessions *sessions }

func newWork(deps worker.Deps) (worker.Work, error) {
	return work{newSessions(deps)}, nil
}

// concurrency returns how many sessions one process reads at once. Reading is
// CPU-bound; the second session of a processor is read while the first one
// commits.
func concurrency(worker.Deps) int { return 2 * runtime.GOMAXPROCS(0) }

// Do implements [worker.Work]. A session that its scope holds already changes
// nothing and is no error.
func (w work) Do(ctx context.Context, e worker.Event) (change.Set, error) {
	msg := new(winnowv1.SessionCompleted)
	if err := event.Unmarshal(e.Envelope, msg); err != nil {
		w.sessions.metrics.ended(resultRefused, "")
		return change.Set{}, err
	}
	a := arrival{who: e.Principal, claimed: e.Envelope.Principal, eventID: e.ID, at: e.Time, msg: msg}
	if a.at.IsZero() {
		a.at = e.Stored
	}
	done, err := w.sessions.ingest(ctx, a)
	if err != nil {
		return change.Set{}, permanent(err)
	}
	log := w.sessions.deps.Log.With(zap.String(telemetry.KeyEvent, e.ID), zap.String("session", done.session.ID))
	if done.duplicate {
		log.Debug("the same session is there already")
		return change.Set{}, nil
	}
	log.Debug("session read", zap.String(telemetry.KeyScope, string(done.session.Scope)), zap.Int64(telemetry.KeyBytes, done.session.Bytes))
	return done.set, nil
}

// errReused says that an event id was used again for another session.
var errReused = errors.New("the same event id or Idempotency-Key was used for another session; send a new one")
