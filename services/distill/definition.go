package distill

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/confidence"
	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/consult"
	"github.com/winnowhq/winnow/services/internal/session/trust"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// maxDeliver is above the number of attempts that the retry policy for a model
// uses: see [retryPolicy].
const maxDeliver = 20

// Definition is the distiller's worker definition.
var Definition = worker.Definition{
	Name:    "distill",
	Summary: "draws lessons from stored sessions and proposes them",
	Durable: bus.Durable{
		Stream:  bus.StreamMemory,
		Name:    "distill",
		Filters: []string{event.SubjectSessionIngested},
		// A model may take longer: the pipeline extends the deadline while the
		// session is being distilled.
		AckWait:    60 * time.Second,
		MaxPending: 512,
		MaxDeliver: maxDeliver,
	},
	Config: []worker.Section{Settings, trusted, Learning},
	Needs:  worker.Needs{Model: model},
	Concurrency: func(d worker.Deps) int {
		c := Settings.Of(d)
		return min(c.Workers, c.QueueBatch)
	},
	Work: func(d worker.Deps) (worker.Work, error) { return newWork(d, defaultRetryPolicy()), nil },
}

// work distils sessions.
type work struct {
	worker.Deps
	config   Config
	trust    trust.Config
	learning confidence.Config
	consult  *consult.Consult // nil without a model
	retry    retryPolicy
	memory   *memoryLimiter
	words    *lexical.Analyzer
}

func newWork(d worker.Deps, p retryPolicy) *work {
	w := &work{Deps: d, config: Settings.Of(d), trust: trusted.Of(d), learning: Learning.Of(d), retry: p, memory: newMemoryLimiter(mostBytes), words: lexical.NewAnalyzer()}
	if d.Model != nil {
		w.consult = consult.New(d.Model, d.Store, d.Redactor, consult.Config{DailyTokens: w.config.DailyTokens}, d.Log, d.Metrics, d.Now)
	}
	return w
}

// classSession is the dead-letter class of events about an unreadable session.
const classSession = "session"

// Do implements [worker.Work]. A session that was distilled before, as a replay
// finds it, stays unchanged.
func (w *work) Do(ctx context.Context, e worker.Event) (change.Set, error) {
	var msg winnowv1.SessionIngested
	if err := event.Unmarshal(e.Envelope, &msg); err != nil {
		return change.Set{}, err
	}
	if msg.GetSessionId() == "" {
		return change.Set{}, worker.Permanent(classSession, errors.New("an ingested session has no id"))
	}
	header, err := w.header(ctx, e.Tenant, msg.GetSessionId())
	if err != nil {
		return change.Set{}, err
	}
	if header.State == memory.SessionDistilled {
		return change.Set{}, nil
	}
	release, err := w.memory.acquire(ctx, header.Bytes)
	if err != nil {
		return change.Set{}, err
	}
	defer release()
	s, found, err := w.read(ctx, header)
	if err != nil {
		return change.Set{}, err
	}
	l := lessons{note: noteNoTrace}
	if found {
		if l, err = w.learn(ctx, e, s); err != nil {
			return change.Set{}, fmt.Errorf("session %s: %w", header.ID, err)
		}
	}
	return w.effect(s, l)
}
