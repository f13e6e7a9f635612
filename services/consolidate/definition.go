package consolidate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/model/consult"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// Definition is the consolidation worker.
var Definition = worker.Definition{
	Name:    "consolidate",
	Summary: "merges memories that say the same, on schedule and by hand",
	Config:  []worker.Section{Settings, Scheduler},
	Needs:   worker.Needs{Index: true, Model: model},
	Durable: bus.Durable{
		Stream:  bus.StreamMemory,
		Name:    "consolidate",
		Filters: []string{event.SubjectConsolidationRequested, event.SubjectConsolidationPlanned},
		// A plan or a model may take longer: the pipeline extends the deadline
		// meanwhile.
		AckWait:    60 * time.Second,
		MaxPending: 512,
		MaxDeliver: maxDeliver,
	},
	More:        []bus.Durable{counted},
	Concurrency: func(d worker.Deps) int { return Settings.Of(d).Workers },
	Work:        func(d worker.Deps) (worker.Work, error) { return newWork(d), nil },
	Notices:     notices,
	Run:         newLoop,
}

// maxDeliver is above the attempts after which a plan is given up: see [work.plan].
const maxDeliver = 20

// work plans runs and takes their steps. It is safe for concurrent use.
type work struct {
	ender
	config     Config
	consult    *consult.Consult // nil without a model
	firstPause time.Duration    // after a model was not available
}

func newWork(d worker.Deps) *work {
	w := &work{ender: ender{Deps: d, metrics: newMetrics(d.Metrics)}, config: Settings.Of(d), firstPause: firstPause}
	if d.Model != nil {
		w.consult = consult.New(d.Model, d.Store, d.Redactor, consult.Config{DailyTokens: w.config.DailyTokens}, d.Log, d.Metrics, d.Now)
	}
	return w
}

// classRun is the dead-letter class of events about an unreadable run.
const classRun = "run"

// Do implements [worker.Work].
func (w *work) Do(ctx context.Context, e worker.Event) (change.Set, error) {
	switch e.Subject {
	case event.SubjectConsolidationRequested:
		var msg winnowv1.ConsolidationRequested
		if err := event.Unmarshal(e.Envelope, &msg); err != nil {
			return change.Set{}, err
		}
		if msg.GetRunId() == "" {
			return change.Set{}, worker.Permanent(classRun, errors.New("a requested run has no id"))
		}
		return w.plan(ctx, e, msg.GetRunId())
	case event.SubjectConsolidationPlanned:
		var msg winnowv1.ConsolidationPlanned
		if err := event.Unmarshal(e.Envelope, &msg); err != nil {
			return change.Set{}, err
		}
		if msg.GetRunId() == "" || msg.GetItem() < 1 {
			return change.Set{}, worker.Permanent(classRun, errors.New("a planned step names no run or no item"))
		}
		return w.step(ctx, e, msg.GetRunId(), int(msg.GetItem()))
	}
	return change.Set{}, worker.Permanent("subject", fmt.Errorf("%s is not the consolidation's", e.Subject))
}
