package consolidate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/consolidation"
	"github.com/winnowhq/winnow/services/internal/consolidation/report"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// planAttempts is after how many failed attempts a run is given up. Outages of the store
// or the bus do not end it: the pipeline waits for those.
const planAttempts = 4

// errOptions reports options of a run that no attempt makes valid.
var errOptions = errors.New("the run's options cannot be used")

// plan reads a run's scope and returns its steps. A run that is not new any more, as a
// replay finds it, stays unchanged.
func (w *work) plan(ctx context.Context, e worker.Event, id string) (change.Set, error) {
	run, err := w.Store.Run(ctx, e.Tenant, id)
	if errors.Is(err, store.ErrNotFound) {
		return change.Set{}, worker.Permanent(classRun, fmt.Errorf("run %s: %w", id, err))
	}
	if err != nil || run.State != memory.RunRequested {
		return change.Set{}, err
	}
	run.StartedAt = stamp(w.Now())
	run.Deadline = run.StartedAt.Add(w.config.RunTimeout)
	planning, cancel := context.WithTimeout(ctx, w.config.RunTimeout)
	defer cancel()
	items, err := w.items(planning, &run)
	switch {
	case ctx.Err() != nil:
		return change.Set{}, ctx.Err() // the process stops; the next one plans
	case planning.Err() != nil:
		return w.atOnce(run, w.failed(run, fmt.Errorf("timeout exceeded: the plan took longer than %s", w.config.RunTimeout)))
	case err != nil && unavailable(err):
		return change.Set{}, err
	case err != nil && e.Attempt < planAttempts && !errors.Is(err, errOptions):
		return change.Set{}, fmt.Errorf("plan %s: %w", run.ID, err)
	case err != nil:
		return w.atOnce(run, w.failed(run, err))
	}
	var events []change.Event
	for i := range items {
		if items[i].State == memory.ItemPlanned {
			events = append(events, w.planned(run, items[i].N))
		}
	}
	if len(events) == 0 {
		set := w.ended(run, items)
		set.RunItems = items
		return w.atOnce(run, set)
	}
	run.State = memory.RunRunning
	w.Log.Debug("a run is planned", zap.String(telemetry.KeyScope, string(run.Scope)), zap.String("run", run.ID),
		zap.Int("steps", len(items)), zap.Int("examined", run.Examined))
	return change.Set{RunUpdates: []change.RunUpdate{change.UpdateOf(run)}, RunItems: items, Events: events}, nil
}

// atOnce tells about a run that ends with its plan, before the pipeline commits it. After
// a conflict it is told twice.
func (w *work) atOnce(run memory.Run, set change.Set) (change.Set, error) {
	w.tell(run, set.RunUpdates[0])
	return set, nil
}

// unavailable reports an outage, which says nothing about the run.
func unavailable(err error) bool {
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrMigration)
}

// planned is the event that asks for a step. Its id follows from the step, so that a
// plan that is committed again asks for nothing twice.
func (w *work) planned(run memory.Run, n int) change.Event {
	msg := &winnowv1.ConsolidationPlanned{Id: fmt.Sprintf("%s/%d", run.ID, n), RunId: run.ID, Item: int32(n), Scope: string(run.Scope)}
	return change.Event{
		ID: msg.GetId(), Subject: event.SubjectConsolidationPlanned, Type: event.TypeFor(event.SubjectConsolidationPlanned), Message: msg,
	}
}

// items returns the steps of a run by its strategy, and writes into run what the plan
// found.
func (w *work) items(ctx context.Context, run *memory.Run) ([]memory.RunItem, error) {
	g, err := w.gather(ctx, *run)
	if err != nil {
		return nil, err
	}
	run.Before = g.active
	if err := g.config.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", errOptions, err)
	}
	switch run.Strategy {
	case memory.RunSimilar, memory.RunExplicit:
		return w.similar(ctx, run, g)
	case memory.RunWeekly:
		return w.weeklyItems(ctx, run, g)
	}
	return nil, fmt.Errorf("strategy %q is unknown", run.Strategy)
}

// planReport is what a plan says beside its steps.
type planReport struct {
	Threshold   float64 `json:"similarity_threshold"`
	Given       bool    `json:"threshold_given,omitempty"`
	Calibration string  `json:"calibration,omitempty"`
	// Sure says that the model's calibration allows acting on similarity; otherwise the
	// engine acts on words alone, and vectors only propose.
	Sure          bool                  `json:"calibrated"`
	WithoutVector int                   `json:"without_vector"`
	Truncated     int                   `json:"truncated,omitempty"`
	Unsure        int                   `json:"unsure,omitempty"`
	Waiting       int                   `json:"waiting,omitempty"`
	Clusters      int                   `json:"clusters_found"`
	Apart         []consolidation.Apart `json:"kept_apart,omitempty"`
	ApartTotal    int                   `json:"kept_apart_total,omitempty"`
}

// similar returns the steps of a run by similarity.
func (w *work) similar(ctx context.Context, run *memory.Run, g gathered) ([]memory.RunItem, error) {
	plan, err := w.find(ctx, *run, g)
	if err != nil {
		return nil, err
	}
	run.Examined = plan.Examined
	facts, err := json.Marshal(planReport{
		Threshold: plan.Threshold, Given: g.config.Given, Calibration: g.calibration, Sure: g.config.Sure,
		WithoutVector: plan.WithoutVector, Truncated: plan.Truncated, Unsure: plan.Unsure, Waiting: plan.Waiting,
		Clusters: len(plan.Groups) + plan.Waiting, Apart: plan.Apart, ApartTotal: plan.ApartTotal,
	})
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	run.Report = facts
	items := make([]memory.RunItem, 0, len(plan.Groups))
	for i, group := range plan.Groups {
		item, err := report.Planned(*run, i+1, group, g.compared(), g.calibration)
		if err != nil {
			return nil, err
		}
		if run.Strategy == memory.RunExplicit && !g.alike(group) {
			item.State, item.EndedAt, item.Reason = memory.ItemRefused, run.StartedAt, notAlike
		}
		items = append(items, item)
	}
	return items, nil
}

// stamp returns a time as rows have it: in UTC, in microseconds.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
