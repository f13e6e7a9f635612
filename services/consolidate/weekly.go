package consolidate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/consolidation/erosion"
	"github.com/winnowhq/winnow/services/internal/consolidation/merge"
	"github.com/winnowhq/winnow/services/internal/consolidation/weekly"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/consult"
	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// purposeWeekly names the questions of the weekly strategy in the ledger and the metrics.
const purposeWeekly = "weekly"

// weeklyItems returns the one step of a weekly run: all memories of the user at once.
// Without a model nothing can be judged, so only what says the same is merged.
func (w *work) weeklyItems(ctx context.Context, run *memory.Run, g gathered) ([]memory.RunItem, error) {
	if w.consult == nil {
		return w.similar(ctx, run, g)
	}
	run.Examined = g.active
	if g.active < 2 {
		return nil, nil
	}
	return []memory.RunItem{{Tenant: run.Tenant, RunID: run.ID, N: 1, Action: memory.ActionWeekly, State: memory.ItemPlanned, Sources: []string{}}}, nil
}

// week asks the model about all memories of a user and returns what becomes of them, in
// one change (S1.14). An answer that breaks the contract skips the user (S1.16).
func (w *work) week(ctx context.Context, e worker.Event, run memory.Run, item memory.RunItem) (change.Set, error) {
	if w.consult == nil {
		return w.without(item, memory.ItemSkipped, "no model is configured any more"), nil
	}
	in, evidence, err := w.weeklyInput(ctx, run)
	if err != nil {
		return change.Set{}, err
	}
	step := weekly.Step{Run: run, Item: item, Now: in.Now, NewID: w.NewID, Evidence: evidence, Model: w.Model.ID()}
	answer, err := w.consult.Ask(ctx, run.Tenant, consult.Request{
		Purpose: purposeWeekly, Subject: run.ID + " " + in.Question.Subject, Prompt: in.Question.Version,
		Question: llm.Question{
			System: in.Question.System, User: in.Question.User, Schema: in.Question.Schema, SchemaName: weekly.SchemaName, MaxTokens: w.config.WeeklyAnswerTokens,
		},
	})
	if err == nil && answer.Stop == llm.StopRefusal {
		err = fmt.Errorf("%w: it declined to answer", merge.ErrNoAnswer)
	}
	if err = w.answered(e, run, err); errors.Is(err, merge.ErrNoAnswer) {
		return w.skipWeek(step, err), nil
	}
	if err != nil {
		return change.Set{}, err
	}
	in.Answer = answer.Text
	out, err := weekly.Decide(in)
	var invalid *weekly.InvalidError
	if errors.As(err, &invalid) {
		w.metrics.invalid.WithLabelValues(string(invalid.Gate)).Inc()
		return w.skipWeek(step, err), nil
	}
	if err != nil {
		return change.Set{}, err
	}
	if !run.Options.DryRun {
		w.metrics.memories.WithLabelValues("created").Add(float64(len(out.Merges)))
		w.metrics.memories.WithLabelValues("archived").Add(float64(out.Before - out.After + len(out.Merges)))
	}
	return weekly.Apply(step, in.Memories, out), nil
}

// skipWeek leaves a user as it is, and says so in the log (S1.16, S1.20).
func (w *work) skipWeek(step weekly.Step, why error) change.Set {
	w.Log.Warn("a user is skipped this week", zap.String(telemetry.KeyScope, string(step.Run.Scope)), zap.String("run", step.Run.ID), zap.Error(why))
	return weekly.Skip(step, why)
}

// weeklyInput reads what the weekly decision is made from, except the answer.
func (w *work) weeklyInput(ctx context.Context, run memory.Run) (weekly.Input, map[string][]memory.Evidence, error) {
	in := weekly.Input{Now: stamp(w.Now()), Gate: merge.Options{Gate: w.config.Gate, Model: w.Model.ID()}}
	list, err := w.Store.Memories(ctx, run.Tenant, store.MemoryQuery{Scope: run.Scope, States: []memory.State{memory.StateActive}, Limit: weeklyMost})
	if err != nil {
		return in, nil, fmt.Errorf("memories of %s: %w", run.Scope, err)
	}
	in.Memories = list
	ids := make([]string, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	if in.Eroded, err = w.Store.Eroded(ctx, run.Tenant, run.Scope, in.Now.Add(-erosion.Month)); err != nil {
		return in, nil, fmt.Errorf("erosion of %s: %w", run.Scope, err)
	}
	if in.Usage, err = w.Store.Usage(ctx, run.Tenant, ids...); err != nil {
		return in, nil, fmt.Errorf("usage: %w", err)
	}
	undone, err := w.Store.TakenBack(ctx, run.Tenant, run.Scope)
	if err != nil {
		return in, nil, fmt.Errorf("undone steps: %w", err)
	}
	for _, item := range undone {
		in.Undone = append(in.Undone, item.Sources)
	}
	if in.Previous, err = w.previousWeek(ctx, run); err != nil {
		return in, nil, err
	}
	language, err := w.language(ctx, run)
	if err != nil {
		return in, nil, err
	}
	_, number := run.WindowEnd.ISOWeek()
	in.Question = weekly.Prompt(list, weekly.PromptOptions{
		Language: weekly.Language(language, list), Now: run.RequestedAt, Nonce: nonce(run.ID), Tokens: w.config.WeeklyPromptTokens, Turn: number,
	})
	rows, err := w.Store.Evidence(ctx, run.Tenant, ids...)
	if err != nil {
		return in, nil, fmt.Errorf("evidence: %w", err)
	}
	evidence := map[string][]memory.Evidence{}
	for _, row := range rows {
		evidence[row.Subject] = append(evidence[row.Subject], row)
	}
	return in, evidence, nil
}

// previousWeek returns what the last weekly run of the scope did, zero for none.
func (w *work) previousWeek(ctx context.Context, run memory.Run) (weekly.Previous, error) {
	list, err := w.Store.Runs(ctx, run.Tenant, store.RunQuery{
		Scope: run.Scope, Strategy: memory.RunWeekly, States: []memory.RunState{memory.RunCompleted, memory.RunPartial}, Newest: true, Limit: 20,
	})
	if err != nil {
		return weekly.Previous{}, fmt.Errorf("last weekly run: %w", err)
	}
	for _, before := range list {
		if before.Options.DryRun {
			continue
		}
		items, err := w.Store.RunItems(ctx, run.Tenant, before.ID)
		if err != nil {
			return weekly.Previous{}, fmt.Errorf("steps of %s: %w", before.ID, err)
		}
		for _, item := range items {
			if item.Action == memory.ActionWeekly && item.State == memory.ItemApplied {
				return weekly.PreviousOf(item), nil
			}
		}
	}
	return weekly.Previous{}, nil
}

// weeklyMost bounds the memories of a user that are read; the prompt shows a part.
const weeklyMost = 100_000

// language returns the language that is set for a run's scope: that of the reviewer who
// answers for it, else the one in the settings, else none (D11).
func (w *work) language(ctx context.Context, run memory.Run) (string, error) {
	list, err := w.Store.Reviewers(ctx, run.Tenant)
	if err != nil {
		return "", fmt.Errorf("reviewers: %w", err)
	}
	for _, r := range list {
		if r.Scope == run.Scope && r.Language != "" {
			return r.Language, nil
		}
	}
	return w.config.Language, nil
}

// nonce returns the word of a run's fence. The authors of the memories cannot know it,
// because the run's id is drawn after they wrote, and it is the same in each delivery.
func nonce(run string) string {
	sum := sha256.Sum256([]byte("fence of " + run))
	return hex.EncodeToString(sum[:12])
}
