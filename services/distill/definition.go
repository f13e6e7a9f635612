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
	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/consult"
	"github.com/winnowhq/winnow/services/internal/session/trust"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// maxDeliver is above what the patience with a model uses: see [patience].
const maxDeliver = 20

// Definition is the distiller.
var Definition = worker.Definition{
	Name:    "distill",
	Summary: "draws lessons from stored sessions and proposes them",
	Durable: bus.Durable{
		Stream:  bus.StreamMemory,
		Name:    "distill",
		Filters: []string{event.SubjectSessionIngested},
		// A model may think for longer: the pipeline says meanwhile that the
		// session is in hand.
		AckWait:    60 * time.Second,
		MaxPending: 512,
		MaxDeliver: maxDeliver,
	},
	Config: []worker.Section{Settings, trusted},
	Needs:  worker.Needs{Model: model},
	Concurrency: func(d worker.Deps) int {
		c := Settings.Of(d)
		return min(c.Workers, c.QueueBatch)
	},
	Work: func(d worker.Deps) (worker.Work, error) { return newWork(d, defaultPatience()), nil },
}

// work distils one session after the other.
type work struct {
	worker.Deps
	config   Config
	trust    trust.Config
	consult  *consult.Consult // nil without a model
	patience patience
	room     *room
	words    *lexical.Analyzer
}

func newWork(d worker.Deps, p patience) *work {
	w := &work{Deps: d, config: Settings.Of(d), trust: trusted.Of(d), patience: p, room: newRoom(mostBytes), words: lexical.NewAnalyzer()}
	if d.Model != nil {
		w.consult = consult.New(d.Model, d.Store, d.Redactor, consult.Config{DailyTokens: w.config.DailyTokens}, d.Log, d.Metrics, d.Now)
	}
	return w
}

// classSession is the class of events about a session that nobody can read.
const classSession = "session"

// Do implements [worker.Work]. A session that was distilled before, as a replay
// finds it, is left as it is.
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
	leave, err := w.room.enter(ctx, header.Bytes)
	if err != nil {
		return change.Set{}, err
	}
	defer leave()
	s, kept, err := w.read(ctx, header)
	if err != nil {
		return change.Set{}, err
	}
	l := lessons{note: noteNoTrace}
	if kept {
		if l, err = w.learn(ctx, e, s); err != nil {
			return change.Set{}, fmt.Errorf("session %s: %w", header.ID, err)
		}
	}
	return w.effect(s, l)
}
