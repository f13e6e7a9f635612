package consolidate

import (
	"fmt"
	"strings"

	"go.uber.org/zap"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/consolidation/report"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// ender ends runs: it sums up their steps and tells the others.
type ender struct {
	worker.Deps
	metrics *metrics
}

// weeklyLimit is how many active memories a user should have after a weekly run (S1.6).
const weeklyLimit = 50

// ended returns the end of a run with these steps.
func (w *ender) ended(run memory.Run, items []memory.RunItem) change.Set {
	total(&run, items)
	run.OverLimit = run.Strategy == memory.RunWeekly && run.After > weeklyLimit
	return w.end(run)
}

// failed returns the end of a run that could not be planned.
func (w *ender) failed(run memory.Run, cause error) change.Set {
	run.State, run.Reason = memory.RunFailed, cause.Error()
	run.After = run.Before
	return w.end(run)
}

// end returns the update of a run with its result, and the event about it.
func (w *ender) end(run memory.Run) change.Set {
	run.EndedAt = stamp(w.Now())
	msg := &winnowv1.ConsolidationCompleted{
		Id: run.ID + "/completed", RunId: run.ID, Scope: string(run.Scope), Status: string(run.State),
		Examined: int32(run.Examined), Recorded: int32(run.Created), Archived: int32(run.Archived), NeedsReview: int32(run.Offered),
		Reason: run.Reason, CompletedAt: timestamppb.New(run.EndedAt),
	}
	if run.Options.DryRun {
		msg.Recorded, msg.Archived, msg.NeedsReview = 0, 0, 0 // nothing happened
	}
	return change.Set{
		RunUpdates: []change.RunUpdate{change.UpdateOf(run)},
		Events: []change.Event{{
			ID: msg.GetId(), Subject: event.SubjectConsolidationCompleted, Type: event.TypeFor(event.SubjectConsolidationCompleted), Message: msg,
		}},
		Audit: []change.Audit{{
			Actor: memory.ActorSystem, Principal: run.Principal, Action: "run.ended", Subject: run.ID,
			Body: map[string]any{
				"scope": run.Scope, "strategy": run.Strategy, "trigger": run.Trigger, "state": run.State, "dry_run": run.Options.DryRun,
				"created": run.Created, "archived": run.Archived, "offered": run.Offered, "refused": run.Refused, "skipped": run.Skipped,
			},
		}},
	}
}

// total sums up the steps of a run. For a dry run the numbers are those that it would
// have had (S4.66).
func total(run *memory.Run, items []memory.RunItem) {
	run.Created, run.Archived, run.Offered, run.Refused, run.Skipped = 0, 0, 0, 0, 0
	failed := 0
	why := map[string]int{}
	for _, item := range items {
		switch item.State {
		case memory.ItemApplied, memory.ItemPreviewed, memory.ItemUndone:
			made, gone := effectOf(item)
			run.Created += made
			run.Archived += gone
			if item.Action == memory.ActionOffer {
				run.Offered++
			}
		case memory.ItemOffered:
			run.Offered++
		case memory.ItemRefused:
			run.Refused++
		case memory.ItemFailed:
			failed++
			why[item.Reason]++
		case memory.ItemSkipped, memory.ItemPlanned:
			run.Skipped++
			why[item.Reason]++
		}
	}
	run.After = run.Before - run.Archived + run.Created
	switch {
	case failed > 0 && failed == len(items):
		run.State, run.Reason = memory.RunFailed, sentence(why)
	case failed+run.Skipped > 0:
		run.State = memory.RunPartial
		run.Reason = fmt.Sprintf("%d of %d steps were not taken: %s", failed+run.Skipped, len(items), sentence(why))
	default:
		run.State = memory.RunCompleted
	}
}

// sentence returns the most frequent reason, ties by their text.
func sentence(why map[string]int) string {
	best := ""
	for reason, n := range why {
		if best == "" || n > why[best] || n == why[best] && reason < best {
			best = reason
		}
	}
	return strings.TrimSuffix(best, ".")
}

// effectOf returns how many memories a step made and archived.
func effectOf(item memory.RunItem) (made, gone int) {
	if item.Action == memory.ActionOffer {
		return 0, 0
	}
	return report.Made(&item), len(item.Sources)
}

// tell writes the end of a run into log and metrics (S4.74).
func (w *ender) tell(run memory.Run, u change.RunUpdate) {
	took := u.EndedAt.Sub(run.RequestedAt)
	if !u.StartedAt.IsZero() {
		took = u.EndedAt.Sub(u.StartedAt)
		w.metrics.seconds.WithLabelValues(string(run.Strategy)).Observe(took.Seconds())
	}
	w.metrics.runs.WithLabelValues(string(run.Strategy), string(u.State)).Inc()
	fields := []zap.Field{
		zap.String(telemetry.KeyTenant, string(run.Tenant)), zap.String("project", string(run.Scope)), zap.String("run", run.ID),
		zap.Bool("dry_run", run.Options.DryRun), zap.Int("created", u.Created), zap.Int("archived", u.Archived), zap.Int("offered", u.Offered),
		zap.Duration("duration", took),
	}
	if u.State == memory.RunFailed || u.State == memory.RunPartial {
		w.Log.Warn("project consolidation failed", append(fields, zap.String("state", string(u.State)), zap.String(telemetry.KeyError, u.Reason))...)
		return
	}
	w.Log.Info("consolidation complete", fields...)
}
