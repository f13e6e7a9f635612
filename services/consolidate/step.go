package consolidate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/consolidation"
	"github.com/winnowhq/winnow/services/internal/consolidation/merge"
	"github.com/winnowhq/winnow/services/internal/consolidation/report"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// stepAttempts is after how many failed attempts a step is given up. Outages of the
// store, the bus or the model have limits of their own.
const stepAttempts = 4

// step takes one step of a run. A step that was taken, or that its run does not wait for
// any more, stays as it is.
func (w *work) step(ctx context.Context, e worker.Event, id string, n int) (change.Set, error) {
	run, err := w.Store.Run(ctx, e.Tenant, id)
	var item memory.RunItem
	if err == nil {
		item, err = w.Store.RunItem(ctx, e.Tenant, id, n)
	}
	if errors.Is(err, store.ErrNotFound) {
		return change.Set{}, worker.Permanent(classRun, fmt.Errorf("step %d of run %s: %w", n, id, err))
	}
	if err != nil || run.State != memory.RunRunning || item.State != memory.ItemPlanned {
		return change.Set{}, err
	}
	if w.Now().After(run.Deadline) {
		return w.without(item, memory.ItemSkipped, outOfTime), nil
	}
	working, cancel := context.WithTimeout(ctx, run.Deadline.Sub(w.Now()))
	defer cancel()
	set, err := w.take(working, e, run, item)
	var refused *merge.Refusal
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return change.Set{}, ctx.Err() // the process stops; the next one takes the step
	case working.Err() != nil:
		return w.without(item, memory.ItemSkipped, outOfTime), nil
	case errors.As(err, &refused):
		return w.without(item, memory.ItemRefused, refused.Reason), nil
	case snoozed(err) || unavailable(err):
		return change.Set{}, err
	case e.Attempt < stepAttempts:
		return change.Set{}, fmt.Errorf("step %d of run %s: %w", n, id, err)
	default:
		w.Log.Warn("a step of a run failed", zap.String("run", run.ID), zap.Int("step", n), zap.Error(err))
		return w.without(item, memory.ItemFailed, err.Error()), nil
	}
	for _, done := range set.RunItems {
		w.metrics.steps.WithLabelValues(string(done.Action), string(done.State)).Inc()
	}
	return set, nil
}

func snoozed(err error) bool {
	var snooze *worker.SnoozeError
	return errors.As(err, &snooze)
}

// without returns the end of a step that changes no memory.
func (w *work) without(item memory.RunItem, state memory.RunItemState, reason string) change.Set {
	item.State, item.Reason, item.EndedAt = state, reason, stamp(w.Now())
	w.metrics.steps.WithLabelValues(string(item.Action), string(state)).Inc()
	return change.Set{RunItems: []memory.RunItem{item}}
}

// take does the work of a step by its action.
func (w *work) take(ctx context.Context, e worker.Event, run memory.Run, item memory.RunItem) (change.Set, error) {
	switch item.Action {
	case memory.ActionMerge, memory.ActionOffer:
		return w.merge(ctx, e, run, item)
	case memory.ActionWeekly:
		return w.week(ctx, e, run, item)
	}
	return change.Set{}, fmt.Errorf("action %q is unknown", item.Action)
}

// merge writes the text that stands for the sources of a step, and returns what replaces
// them, or the question whether to.
func (w *work) merge(ctx context.Context, e worker.Event, run memory.Run, item memory.RunItem) (change.Set, error) {
	d, err := report.DetailOf(item)
	if err != nil {
		return change.Set{}, err
	}
	sources, why, err := w.sources(ctx, run, item)
	if err != nil {
		return change.Set{}, err
	}
	if why != "" {
		return w.without(item, memory.ItemSkipped, why), nil
	}
	var read []merge.Source
	for _, s := range sources {
		// A copy says nothing that its member does not say.
		if len(d.Members) < 2 || slices.Contains(d.Members, s.ID) {
			read = append(read, merge.Source{Memory: s.Memory, Usage: s.Usage})
		}
	}
	o := merge.Options{Gate: w.config.Gate, Language: w.config.Language}
	if w.Model != nil {
		o.Model = w.Model.ID()
	}
	merged, err := merge.Merge(ctx, read, w.ask(e, run, item), o)
	var refused *merge.Refusal
	if errors.As(err, &refused) && refused.Code == merge.RefusedConflict && !run.Options.DryRun {
		return w.contradiction(ctx, run, item, sources, refused)
	}
	if err != nil {
		return change.Set{}, err
	}
	d.Fill(merged)
	evidence, err := w.Store.Evidence(ctx, run.Tenant, item.Sources...)
	if err != nil {
		return change.Set{}, fmt.Errorf("evidence: %w", err)
	}
	item.EndedAt = stamp(w.Now())
	act := consolidation.Act{
		Now: item.EndedAt, NewID: w.NewID, RunID: run.ID, Group: d.Group(), Sources: sources, Evidence: evidence,
		Product: consolidation.Product{
			Title: merged.Title, Description: merged.Description, Text: merged.Text, Tags: merged.Tags, Confidence: merged.Confidence, By: merged.By,
		},
		Similarity: d.Similarity, Calibration: d.Calibration,
	}
	var set change.Set
	switch {
	case run.Options.DryRun:
		item.State = memory.ItemPreviewed
	case item.Action == memory.ActionOffer:
		var p memory.Proposal
		set, p = consolidation.Offer(act)
		item.State, item.ProposalID = memory.ItemOffered, p.ID
	default:
		var m memory.Memory
		set, m = consolidation.Apply(act)
		item.State, item.MemoryID = memory.ItemApplied, m.ID
		w.metrics.memories.WithLabelValues("created").Inc()
		w.metrics.memories.WithLabelValues("archived").Add(float64(len(sources)))
	}
	if item.Detail, err = json.Marshal(d); err != nil {
		return change.Set{}, fmt.Errorf("detail: %w", err)
	}
	set.RunItems = []memory.RunItem{item}
	return set, nil
}

// sources reads the sources of a step as they are now. why says why the step cannot be
// taken any more: the plan was made from what has changed since.
func (w *work) sources(ctx context.Context, run memory.Run, item memory.RunItem) (sources []consolidation.Candidate, why string, err error) {
	rows, err := w.Store.Memories(ctx, run.Tenant, store.MemoryQuery{IDs: item.Sources})
	if err != nil {
		return nil, "", fmt.Errorf("sources: %w", err)
	}
	if len(rows) < len(item.Sources) {
		return nil, "a source has been erased since the plan", nil
	}
	usage, err := w.Store.Usage(ctx, run.Tenant, item.Sources...)
	if err != nil {
		return nil, "", fmt.Errorf("usage: %w", err)
	}
	for _, m := range rows {
		if m.State != memory.StateActive {
			return nil, m.ID + " has been archived since the plan", nil
		}
		sources = append(sources, consolidation.Candidate{Memory: m, Usage: usage[m.ID]})
	}
	if !consolidation.Alike(sources) {
		return nil, notAlike + " any more", nil
	}
	return sources, "", nil
}
